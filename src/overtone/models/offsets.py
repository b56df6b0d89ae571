"""What a rating is expected to be before any similarity: mean, user and item offsets, damped."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.kernels import Ints
from overtone.models.base import Model
from overtone.models.explanation import Carriers, explanation
from overtone.models.item_prior import ItemPrior
from overtone.models.person import Person
from overtone.ratings import Ratings

STILL = 1e-10
ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Offsets:
    """`mean + user + item`; the last entry of either array, 0, is that of an unknown one (row -1)."""

    mean: float
    user: NDArray[np.float64]
    item: NDArray[np.float64]
    user_damping: float

    @classmethod
    def fit(
        cls,
        ratings: Ratings,
        *,
        mean: float,
        user_damping: float,
        item_damping: float,
        prior: ItemPrior | None = None,
    ) -> Self:
        """Minimise squared errors plus damping times squared offsets, by turns until both are still.

        An infinite damping leaves its offsets at 0. With a prior the items' offsets are damped
        towards that, and it is learned anew at every turn.
        """
        user_rows, item_rows, values = ratings.user_rows, ratings.by_user.indices, ratings.by_user.data
        user, item = np.zeros(ratings.n_users + 1), np.zeros(ratings.n_items + 1)
        for _ in range(ROUNDS):
            before = item
            left = values - mean - user[user_rows]
            item = _damped(item_rows, left, len(item), item_damping)
            if prior is not None:
                expected = prior.expect(np.bincount(item_rows, left, minlength=ratings.n_items), item_damping)
                item[:-1] += expected * item_damping / (prior.counts + item_damping)
            user = _damped(user_rows, values - mean - item[item_rows], len(user), user_damping)
            if np.abs(item - before).max() <= STILL:
                break
        return cls(mean, user, item, user_damping)

    def at(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Return the expected rating of pairs of rows."""
        expected: NDArray[np.float64] = self.mean + self.user[users] + self.item[items]
        return expected

    def block(self, users: Ints) -> NDArray[np.float64]:
        """Return the expected rating of every item, one row a user."""
        expected: NDArray[np.float64] = self.mean + self.user[users][:, None] + self.item[:-1]
        return expected

    def of_person(self, person: Person) -> float:
        """Return the offset of somebody new, the items' being what they are."""
        left = person.values - self.mean - self.item[person.items]
        return float(left.sum() / (len(left) + self.user_damping)) if len(left) else 0.0

    def for_person(self, person: Person) -> NDArray[np.float64]:
        """Return the expected rating of every item by somebody new."""
        expected: NDArray[np.float64] = self.mean + self.of_person(person) + self.item[:-1]
        return expected

    def parts(self, user: int, item: int) -> dict[str, float]:
        """Return what the expected rating is the sum of."""
        own = {"this user's offset": float(self.user[user]), "this item's offset": float(self.item[item])}
        return {"mean rating": self.mean, **own}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return {
            "offsets.mean": np.array([self.mean, self.user_damping]),
            "offsets.user": self.user,
            "offsets.item": self.item,
        }

    @classmethod
    def from_arrays(cls, arrays: Any) -> Self:
        """Rebuild from `arrays()`."""
        mean, damping = arrays["offsets.mean"]
        return cls(float(mean), arrays["offsets.user"], arrays["offsets.item"], float(damping))


def _damped(rows: Ints, left: NDArray[np.float64], size: int, damping: float) -> NDArray[np.float64]:
    """Return sum over (count + damping) of each row's values, 0 where it has none."""
    count = np.bincount(rows, minlength=size)
    total = np.bincount(rows, left, minlength=size)
    offsets: NDArray[np.float64] = np.divide(total, count + damping, out=np.zeros(size), where=count > 0)
    return offsets


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OffsetsModel(Model):
    """Scores by the damped offsets alone."""

    offsets: Offsets
    kind = "offsets"

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        return self.offsets.at(users, items)

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        return self.offsets.block(users)

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new."""
        return self.offsets.for_person(person)

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return mean, user offset and item offset."""
        return explanation(self.ratings, self.offsets.parts(user, item), Carriers.none())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return self.offsets.arrays()

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Any) -> "OffsetsModel":
        """Rebuild the model."""
        return cls(**common, offsets=Offsets.from_arrays(arrays))
