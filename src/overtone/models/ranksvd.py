"""The RankSVD model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overtone.factors.descent import Learned, Sorted, Step, while_it_helps
from overtone.factors.losses import LOSSES
from overtone.factors.ranksvd import learn, losses
from overtone.factors.rows import Factors
from overtone.kernels import Floats, Ints
from overtone.models.factors import FactorsModel, with_mean_row
from overtone.models.person import Person


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RankSVDModel(FactorsModel):
    """Scores are products of factors, learned for some rounds.

    An item in no pair has the middle of the start, from where the others set out; who has no pair has
    the mean taste.
    """

    learned: Learned
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
        row = person.row._replace(data=self.learned.scale.put(person.values))
        table = Sorted.of(row, np.zeros(len(person.items), np.int64))
        loss, l2 = str(self.settings["loss"]), float(self.settings["l2"])

        def turn(state: Factors, number: int) -> Factors:
            moved = state._replace(users=state.users.copy())
            step = Step.of(loss, self.learned.rate / number**0.5, l2, len(self.users))
            learn(moved, table, step._replace(items=0.0))
            return moved

        def own_loss(state: Factors) -> Floats:
            found: Floats = losses(state, table, LOSSES.index(loss))
            return found

        start = Factors(self.tastes[-1:].astype(np.float64), self.traits.astype(np.float64))
        factors = while_it_helps(start, turn, own_loss, self.learned.ran)
        return factors.users[0].astype(np.float32), 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return super().arrays() | {"ranksvd.learned": self.learned.array}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        learned = Learned.from_array(arrays["ranksvd.learned"])
        return super().from_arrays(common | {"learned": learned}, arrays)
