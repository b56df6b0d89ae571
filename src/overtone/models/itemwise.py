"""Models that give everybody the same list: a score for each item."""

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
class ItemwiseModel(Model):
    """One score an item, the last for an unknown one; each rater carries `per_rater` of it.

    With `averaged` an item's score is the mean of its ratings, else the number of them.
    """

    scores: NDArray[np.float64]
    averaged: bool
    kind = "itemwise"

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        return self.scores[items] + 0.0 * users

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        return np.broadcast_to(self.scores[:-1], (len(users), len(self.items)))

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item."""
        return self.scores[:-1]

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return the raters of the item, each with an equal part."""
        start, stop = self.by_item.indptr[item], self.by_item.indptr[item + 1]
        rows, ratings = self.by_item.indices[start:stop], self.by_item.data[start:stop]
        each = np.ones(len(rows))
        weights, values = (each / max(len(rows), 1), ratings) if self.averaged else (each, each)
        unrated = {} if len(rows) else {"an item without ratings": float(self.scores[item])}
        carriers = Carriers(rows, np.full(len(rows), item), ratings, weights, values)
        return explanation(self.ratings, unrated, carriers)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return {"itemwise.scores": self.scores, "itemwise.averaged": np.array([self.averaged])}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "ItemwiseModel":
        """Rebuild the model."""
        averaged = bool(arrays["itemwise.averaged"][0])
        return cls(**common, scores=arrays["itemwise.scores"], averaged=averaged)
