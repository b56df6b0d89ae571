"""From a table with any column names to checked columns user, item, rating, time."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import DataError
from overtone.ids import id_column, narrow

LARGEST = 1e9
"""The greatest rating: what is learned from it is kept in single precision."""

KNOWN = {
    "user": ("user", "user_id", "userid", "uid", "customer", "customer_id", "reviewer_id", "u"),
    "item": (
        *("item", "item_id", "itemid", "iid", "movie", "movie_id", "movieid"),
        *("product", "product_id", "i"),
    ),
    "rating": ("rating", "ratings", "score", "stars", "value", "r"),
    "time": ("time", "timestamp", "ts", "date", "datetime"),
}

ISO_DATE = r"^\s*\d{4}-\d{2}-\d{2}"


def find_column(table: pl.DataFrame, role: str, given: str | None) -> str | None:
    """Return the name of the column that plays `role`: the given one, or one with a usual name."""
    if given is not None:
        if given not in table.columns:
            raise DataError(f"there is no column {given!r}; the columns are {listed(table.columns)}")
        return given
    by_plain_name = {name.strip().lower(): name for name in reversed(table.columns)}
    return next((by_plain_name[name] for name in KNOWN[role] if name in by_plain_name), None)


def pick(
    table: pl.DataFrame, roles: tuple[str, ...], names: Mapping[str, str | None]
) -> dict[str, pl.Series]:
    """Find the column of each role, all but `time` required."""
    columns: dict[str, pl.Series] = {}
    for role in roles:
        name = find_column(table, role, names.get(role))
        if name is not None:
            columns[role] = table[name]
        elif role != "time":
            there = listed(table.columns)
            raise DataError(
                f"no column for {role}; the columns are {there}: name the one that holds it, "
                f"as {role}=NAME or --column {role}=NAME"
            )
    return columns


def listed(names: Sequence[str]) -> str:
    """Return names for a message of one line, whatever stands in the first line of a file."""
    shown = [name if name.isprintable() and len(name) <= 40 else f"{name[:40]!r}" for name in names[:12]]
    return ", ".join(shown) + (", ..." if len(names) > 12 else "")


def ids_from(column: pl.Series, noun: str, *, texts: bool) -> pl.Series:
    """Check a column of ids; one that came from a text file is int if all of it is."""
    ids = id_column(column, noun)
    empty = ids == "" if ids.dtype == pl.String else None
    if empty is not None and empty.any():
        raise DataError(f"row {int(empty.arg_true()[0]) + 1}: the {noun} id is missing")
    return narrow(ids) if texts and ids.dtype == pl.String else ids


def numbers_from(column: pl.Series, role: str) -> pl.Series:
    """Check a column of finite numbers; say the row and the value that is not one."""
    source = column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column
    if not (source.dtype.is_numeric() or source.dtype in (pl.String, pl.Null)):
        raise DataError(f"the {role}s must be numbers, not {column.dtype}")
    if source.dtype == pl.Float32:  # 3.7 in 32 bits is meant as 3.7, not as 3.70000005
        source = source.cast(pl.String)
    source = source.str.strip_chars() if source.dtype == pl.String else source
    numbers = source.cast(pl.Float64, strict=False)
    _refuse(~numbers.is_finite().fill_null(value=False), column, role, "a finite number")
    return numbers


def ratings_from(column: pl.Series) -> pl.Series:
    """Check a column of ratings, whose squares must be numbers too."""
    ratings = numbers_from(column, "rating")
    _refuse(ratings.abs() > LARGEST, column, "rating", f"within {LARGEST:g} of 0")
    return ratings


def times_from(column: pl.Series) -> pl.Series:
    """Return times as whole seconds since 1970, from numbers, dates, or texts of either (ISO 8601)."""
    if column.dtype == pl.String and column.str.contains(ISO_DATE).any():
        dates = _iso_dates(column)
    elif column.dtype == pl.Date or isinstance(column.dtype, pl.Datetime):
        dates = column
    else:
        seconds = numbers_from(column, "time").floor()
        _refuse(seconds.abs() >= 2.0**63, column, "time", "seconds since 1970")
        return seconds.cast(pl.Int64)
    _refuse(dates.is_null(), column, "time", "a date")
    return dates.cast(pl.Datetime("us")).dt.epoch("s")


def _iso_dates(column: pl.Series) -> pl.Series:
    """Parse texts that begin with year, month, day: other orders cannot be told from one another."""
    iso = pl.select(pl.when(column.str.contains(ISO_DATE)).then(column.str.strip_chars())).to_series()
    try:
        return iso.str.to_datetime(strict=False, time_unit="us")
    except pl.exceptions.ComputeError:  # not one of them is a date
        return pl.Series([None], dtype=pl.Datetime("us")).new_from_index(0, len(column))


def _refuse(bad: pl.Series, column: pl.Series, role: str, wanted: str) -> None:
    """Raise for the first bad row, with the value that stands there."""
    if bad.any():
        row = int(bad.arg_true()[0])
        value = column[row]
        shown = "missing" if value is None or value == "" else f"{value!r:.60}, which is not {wanted}"
        raise DataError(f"row {row + 1}: the {role} is {shown}")


def as_table(source: Any) -> pl.DataFrame:
    """Take any table that speaks the Arrow PyCapsule interface (or is a polars one already)."""
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    kind = f"{type(source).__module__}.{type(source).__qualname__}"
    if not hasattr(source, "__arrow_c_stream__"):
        raise DataError(f"{kind} is not a table: polars, pandas, pyarrow, duckdb have __arrow_c_stream__")
    try:
        return pl.DataFrame(source)
    except (ImportError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise DataError(f"cannot take this {kind}: {str(error).splitlines()[0]}") from error


def array_column(name: str, values: Any) -> pl.Series:
    """Take one array or list."""
    if isinstance(values, pl.Series):
        return values
    try:
        array = np.asarray(values)
        # NumPy would turn the numbers of a mixed list into texts, and 1 and "1" into one id.
        if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
            array = np.asarray(values, object)
        if array.dtype.kind == "M":
            array = array.astype("datetime64[us]")  # polars knows no datetime64[s]
        if array.ndim == 1:
            return pl.Series(name, _with_gaps(array) if array.dtype == object else array)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the {name}s mix kinds of values, or are of a kind that cannot be used") from error
    raise DataError(f"{name} must have one dimension, not {array.ndim}")


def _with_gaps(array: NDArray[Any]) -> list[Any]:
    """Return objects as a list; NaN, which pandas puts where a text is missing, as None."""
    return [None if isinstance(one, float) and isnan(one) else one for one in array.tolist()]
