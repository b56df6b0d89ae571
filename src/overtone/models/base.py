"""What every model can do, whatever it learned: score, rank, explain, find the similar, save."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import DataError, SettingError, require_choice, require_count
from overtone.ids import Id, Ids
from overtone.kernels import Bools, Csr, Ints
from overtone.models.lists import write_lists
from overtone.models.person import Person
from overtone.models.similar import nearest_table
from overtone.models.top import Collector, Top
from overtone.parallel import Progress, quiet, spans
from overtone.ratings import Ratings

UNKNOWN = ("error", "fallback")
CHUNK = 1024


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Model(ABC):
    """A fitted ranker: the ratings that it learned from, its settings, and what it learned.

    A subclass says how rows are scored; ids, lists, files and errors are handled here. Row -1
    stands for a user or an item that was not seen, which gets the model's prior.
    """

    ranker: str
    settings: Mapping[str, Any]
    ratings: Ratings = field(repr=False)
    kind: ClassVar[str]

    def __repr__(self) -> str:
        """Return one line."""
        return f"{type(self).__name__}({self.ranker!r}, fitted on {self.ratings!r})"

    @property
    def users(self) -> Ids:
        """The users it knows."""
        return self.ratings.users

    @property
    def items(self) -> Ids:
        """The items it knows."""
        return self.ratings.items

    @abstractmethod
    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows; either may be -1."""

    @abstractmethod
    def score_block(self, users: Ints) -> NDArray[np.floating[Any]]:
        """Score every item for some users, one row a user."""

    @abstractmethod
    def score_person(self, person: Person) -> NDArray[np.floating[Any]]:
        """Score every item for somebody who was not there at training time."""

    @abstractmethod
    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return what a score is the sum of: see `overtone.models.explanation`."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name, to be saved."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "Model":
        """Rebuild the model from the fields that all have in common and its own arrays."""

    def top(self, users: Ints, n: int, skip: Csr | None, allowed: Bools) -> Top:
        """Return the best `n` items of some users."""
        best = Collector.of(len(users), n, skip, allowed)
        best.offer(self.score_block(users), np.arange(len(self.items)))
        return best.ranked()

    def score(self, users: Any, items: Any, *, unknown: str = "error") -> NDArray[np.float64]:
        """Score pairs of ids; an unknown id is an error, or gets the prior where unknown="fallback"."""
        require_choice("unknown", unknown, UNKNOWN)
        sides = []
        for ids, wanted in ((self.users, users), (self.items, items)):
            column = wanted if isinstance(wanted, pl.Series) else pl.Series(list(wanted), strict=False)
            rows = ids.rows(column)
            if unknown == "error" and len(rows) and rows.min() < 0:
                ids.row(column[int(np.argmin(rows))])
            sides.append(rows)
        if len(sides[0]) != len(sides[1]):
            raise DataError(f"there are {len(sides[0])} users but {len(sides[1])} items")
        return self.score_rows(*sides)

    def score_ratings(self, ratings: Ratings) -> NDArray[np.float64]:
        """Score each rating's user and item; what the model has not seen gets its prior."""
        users, items = self.users.rows(ratings.users.values), self.items.rows(ratings.items.values)
        return self.score_rows(users[ratings.user_rows], items[ratings.by_user.indices])

    def recommend(  # noqa: PLR0913 - one question, with its filters by name
        self,
        user: Id | None = None,
        n: int = 10,
        *,
        ratings: Mapping[Id, float] | None = None,
        exclude: Iterable[Id] = (),
        candidates: Iterable[Id] | None = None,
        include_rated: bool = False,
        unknown: str = "error",
    ) -> pl.DataFrame:
        """Return the best items for a known user, or for a new person by that person's `ratings`.

        Columns: rank, item, score. Items that the person rated are left out unless `include_rated`.
        With unknown="fallback" an unknown user, and unknown items among the ratings, are served as
        well as they can be, and a column `fallback` says so.
        """
        require_choice("unknown", unknown, UNKNOWN)
        require_count("n", n, 1)
        if (user is None) == (ratings is None):
            raise SettingError("recommend needs either a known user or the ratings of a new person")
        allowed = self._allowed(exclude, candidates)
        n = min(n, len(self.items))
        fallback = False
        if ratings is None and (unknown == "error" or user in self.users):
            row = np.array([self.users.row(user)], np.int32)
            best = self.top(row, n, None if include_rated else self._rated(row), allowed)
        else:
            person, fallback = Person.of(ratings or {}, self.items, lenient=unknown == "fallback")
            fallback |= ratings is None
            collector = Collector.of(1, n, None if include_rated else person.row, allowed)
            collector.offer(self.score_person(person)[None, :], np.arange(len(self.items)))
            best = collector.ranked()
        table = self._table(best)
        return table if unknown == "error" else table.with_columns(fallback=pl.lit(fallback))

    def recommend_all(
        self,
        path: str | Path | None = None,
        n: int = 10,
        *,
        exclude: Iterable[Id] = (),
        candidates: Iterable[Id] | None = None,
        include_rated: bool = False,
        progress: Progress = quiet,
    ) -> pl.DataFrame | None:
        """Rank for every user: columns user, rank, item, score, as a table or streamed to a file.

        The file is Parquet, CSV or JSON lines by its ending; memory does not grow with the users.
        """
        lists = self.lists(
            n, exclude=exclude, candidates=candidates, include_rated=include_rated, progress=progress
        )
        if path is None:
            return pl.concat(lists)
        write_lists(lists, path)
        return None

    def lists(
        self,
        n: int = 10,
        *,
        exclude: Iterable[Id] = (),
        candidates: Iterable[Id] | None = None,
        include_rated: bool = False,
        progress: Progress = quiet,
    ) -> Iterator[pl.DataFrame]:
        """Yield the lists of all users, a block of users at a time."""
        n = min(require_count("n", n, 1), len(self.items))
        allowed = self._allowed(exclude, candidates)
        blocks = spans(len(self.users), self.chunk())
        for done, block in enumerate(blocks, 1):
            rows = np.arange(block.start, block.stop, dtype=np.int32)
            best = self.top(rows, n, None if include_rated else self._rated(rows), allowed)
            yield self._table(best, self.users.take(np.repeat(rows, (best.items >= 0).sum(axis=1))))
            progress("rank", done, len(blocks))

    def explain(self, user: Id, item: Id) -> pl.DataFrame:
        """Say what a score is made of; the column `contribution` sums to it."""
        return self.explain_rows(self.users.row(user), self.items.row(item))

    def similar_users(self, user: Id, n: int = 10) -> pl.DataFrame:
        """Return the nearest other users by Algorithm 2: columns rank, user, overlap, agreement, shared."""
        return nearest_table(self.ratings.by_user, self.users, self.items, self.users.row(user), n)

    def similar_items(self, item: Id, n: int = 10) -> pl.DataFrame:
        """Return the nearest other items by Algorithm 2 with the roles swapped."""
        return nearest_table(self.by_item, self.items, self.users, self.items.row(item), n)

    def save(self, path: str | Path) -> None:
        """Write the model to one file, whole or not at all."""
        from overtone.models.files import save  # noqa: PLC0415 - the file format knows every model

        save(self, path)

    @cached_property
    def by_item(self) -> Csr:
        """The ratings with a row for each item."""
        return self.ratings.by_item()

    def chunk(self) -> int:
        """Return how many users are ranked together in a pass over all of them."""
        return CHUNK

    def _table(self, best: Top, users: pl.Series | None = None) -> pl.DataFrame:
        found = best.items >= 0
        columns: dict[str, Any] = {} if users is None else {"user": users}
        columns["rank"] = np.nonzero(found)[1] + 1
        columns["item"] = self.items.take(best.items[found])
        columns["score"] = best.scores[found]
        return pl.DataFrame(columns)

    def _rated(self, users: Ints) -> Csr:
        whole = self.ratings.by_user
        parts = [slice(whole.indptr[user], whole.indptr[user + 1]) for user in users]
        indptr = np.concatenate([[0], np.cumsum([part.stop - part.start for part in parts])])
        return Csr(
            indptr.astype(np.int64), np.concatenate([whole.indices[part] for part in parts]), np.empty(0)
        )

    def _allowed(self, exclude: Iterable[Id], candidates: Iterable[Id] | None) -> Bools:
        for name, ids in (("exclude", exclude), ("candidates", candidates)):
            if isinstance(ids, (str, int)):
                raise SettingError(f"{name} must be a list of item ids, not {ids!r}")
        allowed = np.full(len(self.items), candidates is None)
        if candidates is not None:
            allowed[self.items.rows_of(candidates)] = True
        allowed[self.items.rows_of(exclude)] = False
        return allowed
