"""The RankSVD model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overtone.factors.descent import Scale, Sorted
from overtone.factors.losses import LOSSES
from overtone.factors.ranksvd import Step, learn
from overtone.factors.rows import Factors
from overtone.kernels import Floats, Ints
from overtone.models.factors import FactorsModel, with_mean_row
from overtone.models.person import Person

FEWEST = 250
"""A table of fewer users counts as one of so many: the rate over a handful is beyond any descent."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RankSVDModel(FactorsModel):
    """Scores are products of factors, learned in `ran` rounds.

    An item in no pair has the middle of the start, from where the others set out; who has no pair has
    the mean taste.
    """

    scale: Scale
    ran: int
    kind = "ranksvd"

    @classmethod
    def of(cls, common: dict[str, Any], factors: Factors, pairs: Ints, middle: float) -> Self:
        """Fill in users and items without a pair; `pairs` counts those of each user."""
        table = common["ratings"].by_user
        paired = np.zeros(len(factors.items), np.bool_)
        paired[table.indices[np.repeat(pairs > 0, np.diff(table.indptr))]] = True
        traits = np.vstack(
            [np.where(paired[:, None], factors.items, middle), np.full_like(factors.items[:1], middle)]
        )
        return cls(
            **common,
            tastes=with_mean_row(factors.users, pairs > 0).astype(np.float32),
            traits=traits.astype(np.float32),
            heights=np.zeros(len(factors.users) + 1),
            levels=np.zeros(len(traits)),
        )

    def fold(self, person: Person) -> tuple[Floats, float]:
        """Let the mean taste go through the same rounds, the items standing still."""
        table = Sorted.of(person.row, np.zeros(len(person.items), np.int64))
        table = table._replace(ratings=self.scale.put(table.ratings))
        factors = Factors(self.tastes[-1:].astype(np.float64), self.traits.astype(np.float64))
        for number in range(1, self.ran + 1):
            learn(factors, table, step_of(self.settings, number, len(self.users))._replace(items=0.0))
        return factors.users[0].astype(np.float32), 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return super().arrays() | {"ranksvd.scale": np.array([*self.scale, self.ran])}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        low, high, ran = (float(one) for one in arrays["ranksvd.scale"])
        return super().from_arrays(common | {"scale": Scale(low, high), "ran": int(ran)}, arrays)


def step_of(settings: Mapping[str, Any], number: int, n_users: int) -> Step:
    """Return the step of a round: the rate falls with the root of its number."""
    rate = settings["rate"] / number**0.5
    share = rate / max(n_users, FEWEST)
    return Step(LOSSES.index(settings["loss"]), share, share, 2.0 * rate * settings["l2"])
