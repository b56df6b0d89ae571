"""Scores by chance, the same for the same seed, user and item."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.kernels import Ints
from overtone.models.base import Model
from overtone.models.explanation import Carriers, explanation
from overtone.models.person import Person


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ChanceModel(Model):
    """A uniform number in [0, 1) for each user and item, computed when it is asked for."""

    seed: int
    kind = "chance"

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        return uniform(self.seed, np.asarray(users), np.asarray(items))

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        return uniform(self.seed, np.asarray(users)[:, None], np.arange(len(self.items)))

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new, as for an unknown user."""
        scores: NDArray[np.float64] = self.score_block(np.array([-1]))[0]
        return scores

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return chance as the one source."""
        score = float(self.score_rows(np.array([user]), np.array([item]))[0])
        return explanation(self.ratings, {"chance": score}, Carriers.none())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the seed."""
        return {"chance.seed": np.array([self.seed])}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "ChanceModel":
        """Rebuild the model."""
        return cls(**common, seed=int(arrays["chance.seed"][0]))


def uniform(seed: int, users: Ints, items: Ints) -> NDArray[np.float64]:
    """Hash (seed, user, item) to [0, 1): each number is multiplied in and mixed, 64 bits wide."""
    state = np.full(1, seed & (2**64 - 1), np.uint64)
    for part in (users, items):
        state = _mix(
            state + (part.astype(np.int64).astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        )
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all others by two rounds of shift, xor and odd product."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
