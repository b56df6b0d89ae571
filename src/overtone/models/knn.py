"""Nearest neighbours: offsets plus what similar users, or similar items, have over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.graph.steps import two_steps
from overtone.graph.wiring import Wiring
from overtone.kernels import Csr, Floats, Ints, transpose
from overtone.models.base import Model
from overtone.models.explanation import Carriers, explanation
from overtone.models.offsets import Offsets
from overtone.models.person import Person
from overtone.ratings import Ratings


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class KNNModel(Model):
    """Scores are `offsets + sum w x / (shrink + sum w)`, x the surplus of a rating over its offsets.

    The sum runs over the ratings of the item by the user's neighbours, or of the item's neighbours
    by the user. `weights` has a row for each user (or item), with its neighbours.
    """

    offsets: Offsets
    weights: Csr = field(repr=False)
    kind = "knn"

    @property
    def of_users(self) -> bool:
        """Whether users have neighbours, and not items."""
        return bool(self.settings["nodes"] == "users")

    @cached_property
    def surplus(self) -> Csr:
        """What every rating has over its offsets."""
        return surplus_of(self.ratings, self.offsets)

    @cached_property
    def second(self) -> Csr:
        """The second of two steps from a user to items: over a neighbour's ratings, or to similar items."""
        return self.surplus if self.of_users else transpose(self.weights, len(self.items))

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows, a user's together."""
        users, items = np.asarray(users), np.asarray(items)
        scores = self.offsets.at(users, items)
        known = np.flatnonzero((users >= 0) & (items >= 0))
        order = known[np.argsort(users[known], kind="stable")]
        different, starts = np.unique(users[order], return_index=True)
        ends = np.append(starts, len(order))[1:]
        sums = np.zeros((2, len(self.items)))
        for user, start, end in zip(different, starts, ends, strict=True):
            self._reach(self._first(), int(user), sums)
            scores[order[start:end]] += self._means(sums)[items[order[start:end]]]
        return scores

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        scores = self.offsets.block(users)
        sums = np.zeros((2, len(self.items)))
        for place, user in enumerate(np.asarray(users)):
            if user >= 0:
                self._reach(self._first(), int(user), sums)
                scores[place] += self._means(sums)
        return scores

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new, among the known neighbours of whom they are not."""
        own = person.values - self.offsets.mean - self.offsets.item[person.items]
        row = person.row._replace(data=own - self.offsets.of_person(person))
        sums = np.zeros((2, len(self.items)))
        self._reach(self._neighbors_of(row) if self.of_users else row, 0, sums)
        return self.offsets.for_person(person) + self._means(sums)

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return the offsets, and the neighbours' ratings that the mean is of."""
        first, second = self._first(), self.second
        steps = slice(first.indptr[user], first.indptr[user + 1])
        middle, before = first.indices[steps], first.data[steps]
        found = [_entry(second, int(row), item) for row in middle]
        there = np.array([place >= 0 for place in found], np.bool_)
        after = second.data[np.array([place for place in found if place >= 0], np.int64)]
        w, x = (before[there], after) if self.of_users else (after, before[there])
        near = middle[there].astype(np.int64)
        users, items = (near, np.full(len(near), item)) if self.of_users else (np.full(len(near), user), near)
        rated = self.surplus.data - self.ratings.by_user.data
        places = [_entry(self.surplus, int(u), int(i)) for u, i in zip(users, items, strict=True)]
        ratings = x - rated[np.array(places, np.int64)] if places else np.empty(0)
        total = float(w.sum()) + float(self.settings["shrink"])
        carriers = Carriers(users, items, ratings, w / total if total > 0.0 else w, x)
        return explanation(self.ratings, self.offsets.parts(user, item), carriers)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        return self.offsets.arrays() | self.weights.named("weights")

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "KNNModel":
        """Rebuild the model."""
        offsets = Offsets.from_arrays(arrays)
        return cls(**common, offsets=offsets, weights=Csr.from_named("weights", arrays))

    def _first(self) -> Csr:
        return self.weights if self.of_users else self.surplus

    def _reach(self, first: Csr, row: int, sums: Floats) -> None:
        sums[:] = 0.0
        two_steps(first, row, self.second, self.of_users, sums)

    def _means(self, sums: Floats) -> NDArray[np.float64]:
        total = sums[1] + float(self.settings["shrink"])
        means: NDArray[np.float64] = np.divide(sums[0], total, out=np.zeros(len(total)), where=sums[1] > 0.0)
        return means

    def _neighbors_of(self, row: Csr) -> Csr:
        wiring = wiring_of(self.settings)
        near = wiring.index(self.surplus, len(self.items)).nearest(row, wiring.neighbors)
        weights = wiring.weigh(row, self.surplus, near)[0]
        kept = (near.rows[0] >= 0) & (weights > 0.0)
        order = np.argsort(near.rows[0][kept])
        indptr = np.array([0, kept.sum()], np.int64)
        return Csr(indptr, near.rows[0][kept][order], weights[kept][order])


def wiring_of(settings: Mapping[str, Any]) -> Wiring:
    """Return how neighbours are found: those of the greatest damped cosine over what both rated."""
    return Wiring(
        neighbors=settings["neighbors"],
        search="agreement",
        comparisons=settings["neighbors"],
        symmetric=False,
        damping=settings["damping"],
        overlapping=False,
    )


def surplus_of(ratings: Ratings, offsets: Offsets) -> Csr:
    """Return what every rating has over its offsets."""
    table = ratings.by_user
    return table._replace(data=table.data - offsets.at(ratings.user_rows, table.indices))


def _entry(matrix: Csr, row: int, column: int) -> int:
    """Return the place of an entry, -1 where there is none."""
    start, stop = matrix.indptr[row], matrix.indptr[row + 1]
    place = int(start + np.searchsorted(matrix.indices[start:stop], column))
    return place if place < stop and matrix.indices[place] == column else -1
