"""Everybody gets the same list: by mean rating, or by how many rated."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from overtone.models.itemwise import ItemwiseModel
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import Ranker, common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemMean:
    """Rank by the mean of an item's ratings; one without any gets the mean of all."""

    name: ClassVar[str] = "item-mean"

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> ItemwiseModel:
        """Average."""
        return _itemwise(self, ratings, averaged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """Rank by the number of an item's ratings, whatever they say."""

    name: ClassVar[str] = "popularity"

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> ItemwiseModel:
        """Count."""
        return _itemwise(self, ratings, averaged=False)


def _itemwise(ranker: Ranker, ratings: Ratings, *, averaged: bool) -> ItemwiseModel:
    require_ratings(ratings)
    items, values = ratings.by_user.indices, ratings.by_user.data
    scores = np.bincount(items, minlength=ratings.n_items + 1).astype(np.float64)
    if averaged:
        total = np.bincount(items, values, minlength=len(scores))
        scores = np.divide(total, scores, out=np.full(len(scores), values.mean()), where=scores > 0.0)
    return ItemwiseModel(**common(ranker, ratings), scores=scores, averaged=averaged)
