"""The AltSVM model: factors that put what a user rated higher above what that user rated lower."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overtone.factors.altsvm import Draws, Problem, learn_users, loss
from overtone.factors.pairs import Pairs
from overtone.factors.rows import Factors
from overtone.kernels import Floats
from overtone.models.factors import FactorsModel, with_mean_row
from overtone.models.person import Person

PASSES, SETTLED = 20, 1e-3
"""A newcomer's problem is solved by so many passes over their pairs, or until one gains so little."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AltSVMModel(FactorsModel):
    """Scores are products of factors; an item in no pair lies below all others.

    Who has no pair (all ratings equal, or none) has the mean taste.
    """

    ridge: float
    kind = "altsvm"

    @classmethod
    def of(cls, common: dict[str, Any], problem: Problem, factors: Factors) -> Self:
        """Fill in users and items without a pair."""
        pairs, items = problem.pairs, problem.ratings.indices
        paired = np.zeros(len(factors.items) + 1, np.bool_)
        paired[items[pairs.higher]] = paired[items[pairs.lower]] = True
        tastes = with_mean_row(factors.users, pairs.counts > 0)
        traits = np.vstack([factors.items, np.zeros_like(factors.items[:1])])
        traits[~paired] = 0.0
        bottom = -1.0 - _longest(tastes) * _longest(traits)
        levels, heights = np.where(paired, 0.0, bottom), np.zeros(len(tastes))
        learned = {"tastes": tastes, "traits": traits, "heights": heights, "levels": levels}
        return cls(**common | learned, ridge=problem.ridge)

    def fold(self, person: Person) -> tuple[Floats, float]:
        """Solve the newcomer's own dual problem; where no user's turn came, have the mean taste."""
        pairs = Pairs.of(person.row)
        if pairs.total == 0 or self.settings["rounds"] < 1.0:
            return self.tastes[-1], 0.0
        taste = np.zeros_like(self.tastes[:1])
        problem = Problem(person.row, pairs, self.ridge)
        alpha = np.zeros(pairs.total, taste.dtype)
        rng = np.random.default_rng(int(self.settings["seed"]))
        factors = Factors(taste, self.traits)
        before = np.inf
        for _ in range(PASSES):
            learn_users(problem, factors, alpha, Draws.of(pairs, rng), (0, 1))
            now = loss(problem, factors) + self.ridge * float(np.square(taste).sum())
            if before - now < SETTLED * before:
                break
            before = now
        length = _longest(taste)
        # The order does not depend on the length; the bound keeps items in no pair below all others.
        return taste[0] * np.float32(min(1.0, _longest(self.tastes) / length) if length > 0.0 else 1.0), 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return super().arrays() | {"altsvm.ridge": np.array([self.ridge])}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        return super().from_arrays(common | {"ridge": float(arrays["altsvm.ridge"][0])}, arrays)


def _longest(rows: Floats) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64).max()))
