"""How much better the best ratings count than the good ones."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from overtone.kernels import Floats
from overtone.ratings import Ratings


@dataclass(frozen=True, slots=True)
class Emphasis:
    """A convex map of the scale `low` to `high` onto itself; with `strength` 0 nothing changes.

    A list is judged by its top, where a gain of `2^r` sets the best apart. The mean of a convex
    map of ratings ranks an item that divides people above one that all find fair.
    """

    low: float
    high: float
    strength: float

    @classmethod
    def of(cls, ratings: Ratings, strength: float) -> Self:
        """Take the scale from the ratings."""
        values = ratings.by_user.data
        return cls(float(values.min()), float(values.max()), strength)

    def __call__(self, values: Floats) -> Floats:
        """Map ratings; the ends of the scale stay, and beyond them the map goes straight on."""
        width = self.high - self.low
        if self.strength == 0.0 or width == 0.0:
            return values
        place = (values - self.low) / width
        inside = np.clip(place, 0.0, 1.0)
        slope = self.strength * np.exp(self.strength * inside) / np.expm1(self.strength)
        share = np.expm1(self.strength * inside) / np.expm1(self.strength) + slope * (place - inside)
        mapped: Floats = self.low + width * share
        return mapped

    def heard(self, ratings: Ratings) -> Ratings:
        """Return ratings as they are learned from."""
        return Ratings.from_triples(
            ratings.users, ratings.items, ratings.triples._replace(value=self(ratings.by_user.data))
        )
