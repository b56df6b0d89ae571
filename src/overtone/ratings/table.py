"""Ratings: ids and sparse values, frozen."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import DataError
from overtone.files import replacing
from overtone.ids import Ids
from overtone.kernels import Csr, csr, row_of_each, transpose
from overtone.ratings import columns as col
from overtone.ratings.reading import holds_texts, read_table
from overtone.ratings.triples import Triples, settle

WRITTEN = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who rated what how much: a value of 0 or below is a rating, what is not stored is not one.

    `by_user` has a row for each user, its columns are item rows; `times` (seconds), where known,
    stands in the same order as its data.
    """

    users: Ids
    items: Ids
    by_user: Csr
    times: NDArray[np.int64] | None = None

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        time: str | None = None,
        duplicates: str = "error",
    ) -> Self:
        """Read CSV, TSV, `::`-separated DAT, Parquet or NPZ; columns are found by name or named here."""
        table = read_table(path)
        names = dict(user=user, item=item, rating=rating, time=time)
        try:
            columns = col.pick(table, tuple(names), names)
            return cls._from_columns(columns, duplicates, texts=holds_texts(path))
        except DataError as error:
            raise DataError(f"{path}: {error}") from None

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        time: str | None = None,
        duplicates: str = "error",
    ) -> Self:
        """Take a table of polars, pandas, pyarrow, duckdb or any other that speaks Arrow."""
        names = dict(user=user, item=item, rating=rating, time=time)
        return cls._from_columns(col.pick(col.as_table(table), tuple(names), names), duplicates, texts=False)

    @classmethod
    def from_arrays(
        cls, user: Any, item: Any, rating: Any, time: Any = None, *, duplicates: str = "error"
    ) -> Self:
        """Take one array (or list) each of ids and of values."""
        given = dict(user=user, item=item, rating=rating) | ({} if time is None else dict(time=time))
        columns = {name: col.array_column(name, values) for name, values in given.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"the arrays differ in length: {lengths}")
        return cls._from_columns(columns, duplicates, texts=False)

    @classmethod
    def _from_columns(cls, columns: dict[str, pl.Series], duplicates: str, *, texts: bool) -> Self:
        if not len(columns["rating"]):
            raise DataError("there are no ratings")
        user = col.ids_from(columns["user"], "user", texts=texts)
        item = col.ids_from(columns["item"], "item", texts=texts)
        value = col.ratings_from(columns["rating"]).to_numpy()
        time = col.times_from(columns["time"]).to_numpy() if "time" in columns else None
        users, items = Ids.of(user, "user"), Ids.of(item, "item")
        triples = Triples(users.rows(user), items.rows(item), value, time)
        return cls.from_triples(users, items, settle(triples, duplicates, users, items))

    @classmethod
    def from_triples(cls, users: Ids, items: Ids, triples: Triples) -> Self:
        """Compress distinct triples that are sorted by user, then item."""
        return cls(users, items, csr(triples.user, triples.item, triples.value, len(users)), triples.time)

    def __repr__(self) -> str:
        """Return one line."""
        return f"Ratings({len(self):,} of {self.n_users:,} users on {self.n_items:,} items)"

    def __len__(self) -> int:
        """Return how many ratings there are."""
        return len(self.by_user.data)

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.users)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def user_rows(self) -> NDArray[np.int32]:
        """The user row of each rating."""
        return row_of_each(self.by_user)

    def by_item(self) -> Csr:
        """Return the ratings with a row for each item."""
        return transpose(self.by_user, self.n_items)

    @property
    def triples(self) -> Triples:
        """The ratings as parallel arrays, sorted by user, then item."""
        return Triples(self.user_rows, self.by_user.indices, self.by_user.data, self.times)

    def keep(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the chosen ratings over the same ids."""
        return self.from_triples(self.users, self.items, self.triples.take(chosen))

    def compact(self) -> Self:
        """Drop the ids that have no rating."""
        user, item = np.unique(self.user_rows), np.unique(self.by_user.indices)
        users = Ids(self.users.take(user), "user")
        items = Ids(self.items.take(item), "item")
        rows = np.searchsorted(user, self.user_rows).astype(np.int32)
        columns = np.searchsorted(item, self.by_user.indices).astype(np.int32)
        return self.from_triples(users, items, self.triples._replace(user=rows, item=columns))

    def table(self) -> pl.DataFrame:
        """Return columns user, item, rating, and time where known, sorted by user and item."""
        columns = dict(
            user=self.users.take(self.user_rows),
            item=self.items.take(self.by_user.indices),
            rating=pl.Series(self.by_user.data),
        )
        return pl.DataFrame(columns if self.times is None else columns | dict(time=pl.Series(self.times)))

    def fingerprint(self) -> str:
        """Return a hash of who rated what how high."""
        hashed = sha256()
        for ids in (self.users, self.items):
            hashed.update("\n".join(str(one) for one in ids.values).encode())
        for array in self.by_user:
            hashed.update(np.ascontiguousarray(array).tobytes())
        return hashed.hexdigest()[:16]

    def write(self, path: str | Path) -> None:
        """Write user, item, rating (whole ratings as whole numbers) as CSV, TSV or Parquet, by its ending."""
        kind = Path(path).suffix.lower()
        if kind not in WRITTEN and not Path(path).is_dir():
            raise DataError(f"ratings are written as {', '.join(WRITTEN)}; {path} ends on none of these")
        table = self.table().select("user", "item", "rating")
        value = self.by_user.data
        # -0.0 stays a float: as an int it would lose its sign, and come back as another rating.
        if ((np.rint(value) == value) & (np.abs(value) < 2**53) & ~((value == 0) & np.signbit(value))).all():
            table = table.with_columns(pl.col("rating").cast(pl.Int64))
        with replacing(path) as part, part.open("wb") as file:
            if kind == ".parquet":
                table.write_parquet(file)
            else:
                table.write_csv(file, separator="," if kind == ".csv" else "\t")


def require_ratings(value: Any) -> Ratings:
    """Return `value` if it is a Ratings, else say how to make one."""
    if not isinstance(value, Ratings):
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        raise DataError(
            f"this takes a Ratings, not {kind}: make one with Ratings.read, from_table or from_arrays"
        )
    return value
