"""The two-way map between a user's own ids (str or int) and rows."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from numbers import Integral
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import DataError, UnknownIdError

Id = str | int


@dataclass(frozen=True, eq=False)
class Ids:
    """Distinct ids in ascending order; an id's place is its row."""

    values: pl.Series
    noun: str

    @classmethod
    def of(cls, column: pl.Series, noun: str) -> Self:
        """Collect the distinct ids of a column of str or int."""
        return cls(column.unique().sort().rename(noun), noun)

    def __len__(self) -> int:
        """Return how many ids there are."""
        return len(self.values)

    @cached_property
    def _index(self) -> dict[Id, int]:
        """The row of each id, made when the first one is asked for."""
        return dict(zip(self.values.to_list(), range(len(self)), strict=True))

    @property
    def are_numbers(self) -> bool:
        """Whether the ids are int rather than str."""
        return self.values.dtype == pl.Int64

    def rows(self, column: pl.Series) -> NDArray[np.int32]:
        """Return the row of each id, -1 where it is not one of these."""
        index = pl.DataFrame({"id": self.values, "row": np.arange(len(self), dtype=np.int32)})
        found = pl.DataFrame({"id": self._alike(column)}).join(
            index, on="id", how="left", maintain_order="left"
        )
        return found["row"].fill_null(-1).to_numpy().astype(np.int32, copy=False)

    def row(self, wanted: Hashable) -> int:
        """Return the row of one id; say what comes close where it is not one of these."""
        if wanted not in self:
            raise UnknownIdError(f"unknown {self.noun} {wanted!r}{self._hint(wanted)}")
        return self._index[wanted]  # type: ignore[index]

    def __contains__(self, wanted: object) -> bool:
        """Whether this is one of the ids."""
        return _is_id(wanted) and wanted in self._index

    def rows_of(self, wanted: Iterable[Id]) -> NDArray[np.int32]:
        """Return the rows of ids that must all be known."""
        return np.array([self.row(one) for one in wanted], np.int32)

    def take(self, rows: NDArray[np.int32]) -> pl.Series:
        """Return the ids at these rows."""
        return self.values.gather(rows)

    def parse(self, text: str) -> Id:
        """Read an id typed by a person: an int where these are int and the text is one."""
        if self.are_numbers and is_canonical_integer(text):
            return int(text)
        return text

    def _alike(self, column: pl.Series) -> pl.Series:
        """Return the column as the kind of these ids, empty where that would change how it reads.

        A file whose ids all happen to be ints may be asked of a model that has some texts, and vice versa.
        """
        if column.dtype == self.values.dtype:
            return column
        texts = column.cast(pl.String)
        if not self.are_numbers:
            return texts
        numbers = texts.cast(pl.Int64, strict=False)
        return pl.select(pl.when(numbers.cast(pl.String) == texts).then(numbers)).to_series()

    def _hint(self, wanted: Hashable) -> str:
        kind = "int" if self.are_numbers else "str"
        if not _is_id(wanted) or isinstance(wanted, str) is self.are_numbers:
            return f": the {self.noun} ids here are {kind}, not {type(wanted).__name__}"
        close = get_close_matches(str(wanted), map(str, self.values.head(50_000)), n=3, cutoff=0.75)
        return f"; did you mean {' or '.join(close)}?" if close else f" among the {len(self):,} known"


def _is_id(wanted: object) -> bool:
    """Whether this may be an id: True and 1.0 equal 1, and are not it."""
    return isinstance(wanted, (str, Integral)) and not isinstance(wanted, bool)


def is_canonical_integer(text: str) -> bool:
    """Whether reading the text as an int and writing it again gives the same text."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
        return False
    return str(int(text)) == text and -(2**63) <= int(text) < 2**63


def id_column(column: pl.Series, noun: str) -> pl.Series:
    """Return the column as Int64 or String, the two kinds of id; refuse any other, and gaps."""
    if column.dtype.is_integer():
        ids = column.cast(pl.Int64, strict=False)
    elif column.dtype in (pl.String, pl.Categorical, pl.Enum):
        ids = column.cast(pl.String)
    elif column.dtype == pl.Null:
        ids = column
    else:
        raise DataError(f"{noun} ids must be str or int, not {column.dtype}")
    if ids.null_count():
        row = int(ids.is_null().arg_true()[0])
        fault = "missing" if column[row] is None else f"{column[row]}, beyond 64 bits"
        raise DataError(f"row {row + 1}: the {noun} id is {fault}")
    return ids


def narrow(column: pl.Series) -> pl.Series:
    """Turn a column of texts into int if every one of them is an int to the letter ("7", not "007")."""
    numbers = column.cast(pl.Int64, strict=False)
    same = (numbers.cast(pl.String) == column).fill_null(value=False).all()
    return numbers if same else column
