"""What a rating is expected to be before any similarity: mean, user and item offsets, damped."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from overtone.kernels import Floats, Ints
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
        by_user = ratings.by_user
        sizes = ratings.n_users, ratings.n_items
        rated = csr_array((np.ones(len(ratings)), by_user.indices, by_user.indptr), shape=sizes)
        of_user = Damped.of(ratings.user_rows, by_user.data - mean, ratings.n_users, user_damping)
        of_item = Damped.of(by_user.indices, by_user.data - mean, ratings.n_items, item_damping)
        user, item = np.zeros(ratings.n_users), np.zeros(ratings.n_items)
        for _ in range(ROUNDS):
            before = item
            left = of_item.total - rated.T @ user
            item = of_item.share * left
            if prior is not None:
                item += prior.expect(left, item_damping) * item_damping / (prior.counts + item_damping)
            user = of_user.share * (of_user.total - rated @ item)
            if np.abs(item - before).max() <= STILL:
                break
        user, item = np.append(user, 0.0), np.append(item, 0.0)
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


class Damped(NamedTuple):
    """The sum of each row's values, and what makes a damped mean of such a sum; 0 where it has none."""

    total: NDArray[np.float64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Ints, values: Floats, size: int, damping: float) -> Self:
        """Sum up, and divide by the count plus the damping."""
        count = np.bincount(rows, minlength=size)
        share = np.divide(1.0, count + damping, out=np.zeros(size), where=count > 0)
        return cls(np.bincount(rows, values, minlength=size).astype(np.float64), share)


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
