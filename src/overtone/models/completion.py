"""The extended values of a model: kept as a matrix, or extended again whenever they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from overtone.harmonic.extension import Extended, Extension
from overtone.kernels import Ints
from overtone.parallel import Progress, quiet
from overtone.ratings import Ratings

Matrix = NDArray[np.float32]


class Completion(Protocol):
    """Values by user and item row, relative to what is expected of them."""

    def blocks(self, users: Ints) -> Iterator[tuple[Ints, Matrix]]:
        """Yield some items and their values for these users, until every item has come."""
        ...

    def pairs(self, users: Ints, items: Ints) -> Matrix:
        """Return the values of pairs of rows."""
        ...

    def seen(self, users: Ints) -> Matrix:
        """Return what the neighbours of these users see of them, one row a user."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Everything solved ahead: f for all, and beside each training rating what others see of it."""

    f: Matrix
    at_ratings: NDArray[np.float32]
    ratings: Ratings

    def blocks(self, users: Ints) -> Iterator[tuple[Ints, Matrix]]:
        """Yield all items at once."""
        yield np.arange(self.f.shape[1]), self.f[users]

    def pairs(self, users: Ints, items: Ints) -> Matrix:
        """Look the values up."""
        return self.f[users, items]

    def seen(self, users: Ints) -> Matrix:
        """Put what others see in the place of f where a user has a rating."""
        rows = self.f[users]
        by_user = self.ratings.by_user
        for place, user in enumerate(users):
            own = slice(by_user.indptr[user], by_user.indptr[user + 1])
            rows[place, by_user.indices[own]] = self.at_ratings[own]
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """For each solved column its residual, NaN where it was not solved yet, and the most sweeps taken."""

    residuals: NDArray[np.float64]
    sweeps: NDArray[np.int32]

    @classmethod
    def empty(cls, columns: int) -> "Report":
        """Make room for so many columns."""
        return cls(np.full(columns, np.nan), np.zeros(columns, np.int32))

    def note(self, part: Extended) -> None:
        """Take in a solved block."""
        self.residuals[part.columns] = part.solution.residuals
        self.sweeps[part.columns] = part.solution.sweeps


@dataclass(frozen=True, slots=True, eq=False)
class OnDemand:
    """Nothing kept: a question about some items solves those items, one about a user solves all.

    With the users as nodes a column of the extension is an item, else it is a user.
    """

    extension: Extension
    nodes: str
    report: Report
    threads: int | None = None

    @property
    def n_columns(self) -> int:
        """How many columns there are to solve."""
        return len(self.report.residuals)

    def solve(self, columns: Ints, progress: Progress = quiet) -> Iterator[Extended]:
        """Solve some columns, and note how that went."""
        for part in self.extension.blocks(columns, self.threads, progress):
            self.report.note(part)
            yield part

    def blocks(self, users: Ints) -> Iterator[tuple[Ints, Matrix]]:
        """Solve every item, or with the items as nodes these users alone."""
        yield from self._blocks(users, seen=False)

    def pairs(self, users: Ints, items: Ints) -> Matrix:
        """Solve the columns that the pairs need."""
        nodes, columns = (users, items) if self.nodes == "users" else (items, users)
        out = np.empty(len(nodes), np.float32)
        order = np.argsort(columns, kind="stable")
        wanted, starts = np.unique(columns[order], return_index=True)
        ends = np.append(starts[1:], len(order))
        for part in self.solve(wanted):
            for b, column in enumerate(part.columns):
                at = int(np.searchsorted(wanted, column))
                places = order[starts[at] : ends[at]]
                out[places] = part.f[nodes[places], b]
        return out

    def seen(self, users: Ints) -> Matrix:
        """Solve, and take what others see."""
        out = np.empty((len(users), self.n_items), np.float32)
        for items, values in self._blocks(users, seen=True):
            out[:, items] = values
        return out

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return self.n_columns if self.nodes == "users" else self.extension.walk.size

    def _blocks(self, users: Ints, *, seen: bool) -> Iterator[tuple[Ints, Matrix]]:
        if self.nodes == "users":
            everybody = np.array_equal(users, np.arange(self.extension.walk.size))
            for part in self.solve(np.arange(self.n_columns)):
                values = part.x if seen else part.f
                yield part.columns, values if everybody else values[users]
            return
        rows = np.empty((len(users), self.n_items), np.float32)
        wanted, back = np.unique(users, return_inverse=True)
        for part in self.solve(wanted):
            place = np.searchsorted(wanted, part.columns)
            for b, at in enumerate(place):
                rows[back == at] = (part.x if seen else part.f)[:, b]
        yield np.arange(self.n_items), rows


def keep(system: OnDemand, ratings: Ratings, progress: Progress = quiet) -> Kept:
    """Solve every column into a matrix."""
    f = np.empty((ratings.n_users, ratings.n_items), np.float32)
    seen = np.empty(len(ratings), np.float32)
    by_item = np.argsort(ratings.by_user.indices, kind="stable")
    for part in system.solve(np.arange(system.n_columns), progress):
        if system.nodes == "users":
            f[:, part.columns] = part.f
            seen[by_item[part.entry]] = part.seen
        else:
            f[part.columns] = part.f.T
            seen[part.entry] = part.seen
    return Kept(f, seen, ratings)
