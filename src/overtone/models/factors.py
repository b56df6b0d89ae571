"""Models with a few numbers for each user and each item, whose product is the score."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import DivergedError
from overtone.factors.rows import Factors, score_block, score_pairs
from overtone.kernels import Floats, Ints
from overtone.models.base import Model
from overtone.models.explanation import Carriers, explanation
from overtone.models.person import Person
from overtone.ratings import Ratings


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FactorsModel(Model):
    """Scores are `height of the user + level of the item + taste . traits`.

    The last row of each array is that of a user, or an item, that was not seen. Products are summed
    by one kernel in one order, so that a score is the same number in a pair, a list and a block.
    """

    tastes: Floats = field(repr=False)
    traits: Floats = field(repr=False)
    heights: NDArray[np.float64] = field(repr=False)
    levels: NDArray[np.float64] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse numbers that are none."""
        require_numbers(self.tastes, self.traits, self.heights, self.levels)

    @abstractmethod
    def fold(self, person: Person) -> tuple[Floats, float]:
        """Return taste and height of somebody new, the items being what they are."""

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        products = np.empty(len(users))
        score_pairs(Factors(self.tastes, self.traits), users, items, products)
        scores: NDArray[np.float64] = products + self.levels[items] + self.heights[users]
        return scores

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        return self._scores(self.tastes, users) + self.heights[users][:, None]

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new."""
        taste, height = self.fold(person)
        scores: NDArray[np.float64] = self._scores(taste[None, :], np.zeros(1, np.int64))[0] + height
        return scores

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Say how the traits of what the user rated make up the user's taste.

        The taste is written as a sum of these traits, with the least weights that do so; what such
        a sum leaves over is a part of its own.
        """
        table = self.ratings.by_user
        rated = table.indices[table.indptr[user] : table.indptr[user + 1]]
        score = float(self.score_rows(np.array([user]), np.array([item]))[0])
        baseline = {
            "every item for this user": float(self.heights[user]),
            "this item": float(self.levels[item]),
        }
        traits = self.traits[rated], self.traits[item]
        return explain_product(self.ratings, user, baseline, score, (self.tastes[user], *traits))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return {f"factors.{name}": getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        return cls(**common | {name: arrays[f"factors.{name}"] for name in ARRAYS})

    def _scores(self, tastes: Floats, users: Ints) -> NDArray[np.float64]:
        products = np.empty((len(users), len(self.items)))
        score_block(Factors(tastes, self.traits), np.asarray(users), products)
        scores: NDArray[np.float64] = products + self.levels[:-1]
        return scores


def explain_product(
    ratings: Ratings,
    user: int,
    baseline: Mapping[str, float],
    score: float,
    product: tuple[Floats, Floats, Floats],
) -> pl.DataFrame:
    """Explain a score whose last part is `taste . trait`, by the traits of what the user rated.

    `product` is the taste, the traits of the rated items as rows, and the item's trait.
    """
    taste, own, trait = (part.astype(np.float64) for part in product)
    weights = np.linalg.lstsq(own.T, taste, rcond=1e-6)[0] if len(own) else np.empty(0)
    return explain_sum(ratings, user, baseline, score, (weights, own @ trait))


def explain_sum(
    ratings: Ratings,
    user: int,
    baseline: Mapping[str, float],
    score: float,
    carried: tuple[Floats, Floats],
) -> pl.DataFrame:
    """Explain a score by weights and values of what the user rated; what they leave over is a part too."""
    weights, values = carried
    parts = {name: part for name, part in baseline.items() if part != 0.0}
    rest = score - sum(parts.values()) - float(weights @ values)
    if abs(rest) > ROUNDING * (1.0 + abs(score)):
        parts["the rest of this user's taste"] = rest
    table = ratings.by_user
    rated = slice(table.indptr[user], table.indptr[user + 1])
    items = table.indices[rated]
    carriers = Carriers(np.full(len(items), user), items, table.data[rated], weights, values)
    return explanation(ratings, parts, carriers)


def regression_weights(rated: Floats, item: Floats, penalty: Floats) -> Floats:
    """Return what each rating counts in a ridge regression's prediction; features are rows."""
    return np.asarray(np.linalg.solve(penalty + rated.T @ rated, item) @ rated.T)


def require_numbers(*learned: Floats) -> None:
    """Refuse what is not finite, or so large that a product of it is not."""
    if not all((np.abs(one) < LARGEST).all() for one in learned):
        raise DivergedError("the factors grew beyond all bounds; set a smaller rate, start or precision")


LARGEST = 1e15

ROUNDING = 1e-5
"""What is left over of a score by less than this share of it is single precision, and not a part."""

ARRAYS = ("tastes", "traits", "heights", "levels")


def with_mean_row(rows: Floats, known: NDArray[np.bool_]) -> Floats:
    """Put the mean of the known rows in the place of the others, and after the last, for strangers."""
    mean = rows[known].mean(axis=0, dtype=np.float64) if known.any() else np.zeros(rows.shape[1])
    filled = np.vstack([rows, mean[None, :]]).astype(rows.dtype)
    filled[:-1][~known] = mean
    return filled
