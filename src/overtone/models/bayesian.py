"""The Bayesian model: a normal distribution over anybody's scores, conditioned on what they rated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.factors.gaussian import Gaussian, fold
from overtone.kernels import Csr, Floats
from overtone.models.factors import FactorsModel, explain_sum, regression_weights
from overtone.models.person import Person
from overtone.parallel import in_order, spans

WIDTH = 256


class Standard(NamedTuple):
    """Ratings less `centre`, over `spread`, are what is learned."""

    centre: float
    spread: float

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Take mean and standard deviation; a spread of 1 where all are equal."""
        centre, spread = float(values.mean()), float(values.std())
        return cls(centre, spread if spread > 1e-9 * abs(centre) else 1.0)

    def put(self, table: Csr) -> Csr:
        """Standardise."""
        return table._replace(data=(table.data - self.centre) / self.spread)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BayesianModel(FactorsModel):
    """Scores are the mean of a normal distribution, matched to all draws, given what a person rated.

    A known user and somebody new with the same ratings have the same scores.
    """

    gaussian: Gaussian = field(repr=False)
    standard: Standard
    kind = "bayesian"

    @classmethod
    def of(cls, common: dict[str, Any], gaussian: Gaussian, standard: Standard, threads: int | None) -> Self:
        """Fold in every user; the last row of the distribution is that of an item not seen."""
        table = standard.put(common["ratings"].by_user)
        tastes = np.zeros((len(table.indptr), gaussian.basis.shape[1]))
        noise = float(common["settings"]["noise"])

        def work(block: slice) -> None:
            fold(gaussian, table, noise, (block.start, block.stop), tastes)

        for _ in in_order(work, spans(len(tastes) - 1, WIDTH), threads):
            pass
        return cls(
            **common,
            tastes=tastes.astype(np.float32),
            traits=(gaussian.basis * standard.spread).astype(np.float32),
            heights=np.zeros(len(tastes)),
            levels=np.asarray(gaussian.offset * standard.spread + standard.centre, np.float64),
            gaussian=gaussian,
            standard=standard,
        )

    def fold(self, person: Person) -> tuple[Floats, float]:
        """Condition on the newcomer's ratings."""
        taste = np.zeros((1, self.tastes.shape[1]))
        fold(self.gaussian, self.standard.put(person.row), float(self.settings["noise"]), (0, 1), taste)
        return taste[0].astype(np.float32), 0.0

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return what is expected of the item by those who rated the same, and what each rating adds."""
        basis, offset, lift, stiff = self.gaussian
        table = self.ratings.by_user
        rated = slice(table.indptr[user], table.indptr[user + 1])
        items = table.indices[rated]
        mean = lift[items].sum(axis=0) / np.sqrt(max(len(items), 1))
        expected = offset[items] + basis[items] @ mean
        left = table.data[rated] - self.standard.centre - self.standard.spread * expected
        weights = regression_weights(basis[items], basis[item], stiff / float(self.settings["noise"]))
        score = float(self.score_rows(np.array([user]), np.array([item]))[0])
        who = float(basis[item] @ mean) * self.standard.spread
        baseline = {"this item": float(self.levels[item]), "for who rated the same items": who}
        return explain_sum(self.ratings, user, baseline, score, (weights, left))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        found = {f"gaussian.{name}": part for name, part in self.gaussian._asdict().items()}
        return super().arrays() | found | {"gaussian.standard": np.array(self.standard)}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        gaussian = Gaussian(*(arrays[f"gaussian.{name}"] for name in Gaussian._fields))
        standard = Standard(*(float(one) for one in arrays["gaussian.standard"]))
        return super().from_arrays(common | {"gaussian": gaussian, "standard": standard}, arrays)
