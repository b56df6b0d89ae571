"""From a table with any column names to checked columns user, item, rating, time."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from overtone.errors import DataError
from overtone.ids import id_column, narrow

KNOWN = {
    "user": ("user", "user_id", "userid", "uid", "customer", "customer_id", "reviewer_id", "u"),
    "item": ("item", "item_id", "itemid", "iid", "movie", "movie_id", "movieid", "product", "product_id", "i"),
    "rating": ("rating", "ratings", "score", "stars", "value", "r"),
    "time": ("time", "timestamp", "ts", "date", "datetime"),
}


def find_column(table: pl.DataFrame, role: str, given: str | None) -> str | None:
    """Return the name of the column that plays `role`: the given one, or one with a usual name."""
    if given is not None:
        if given not in table.columns:
            raise DataError(f"there is no column {given!r}; the columns are {', '.join(table.columns)}")
        return given
    by_plain_name = {name.strip().lower(): name for name in reversed(table.columns)}
    return next((by_plain_name[name] for name in KNOWN[role] if name in by_plain_name), None)


def pick(table: pl.DataFrame, roles: tuple[str, ...], names: Mapping[str, str | None]) -> dict[str, pl.Series]:
    """Find the column of each role, all but `time` required."""
    columns: dict[str, pl.Series] = {}
    for role in roles:
        name = find_column(table, role, names.get(role))
        if name is not None:
            columns[role] = table[name]
        elif role != "time":
            raise DataError(
                f"no column for {role}; the columns are {', '.join(table.columns)}: name the one that holds it"
            )
    return columns


def ids_from(column: pl.Series, noun: str, *, texts: bool) -> pl.Series:
    """Check a column of ids; one that came from a text file is int if all of it is."""
    ids = id_column(column, noun)
    empty = ids == "" if ids.dtype == pl.String else None
    if empty is not None and empty.any():
        raise DataError(f"row {int(empty.arg_true()[0]) + 1}: the {noun} id is missing")
    return narrow(ids) if texts and ids.dtype == pl.String else ids


def numbers_from(column: pl.Series, role: str) -> pl.Series:
    """Check a column of finite numbers; say the row and the value that is not one."""
    source = column.str.strip_chars() if column.dtype == pl.String else column
    if column.dtype == pl.Boolean:
        raise DataError(f"the {role}s are true or false; they must be numbers")
    numbers = source.cast(pl.Float64, strict=False)
    bad = ~(numbers.is_finite().fill_null(value=False))
    if bad.any():
        row = int(bad.arg_true()[0])
        value = column[row]
        shown = "missing" if value is None or value == "" else f"{value!r}, which is not a finite number"
        raise DataError(f"row {row + 1}: the {role} is {shown}")
    return numbers


def times_from(column: pl.Series) -> pl.Series:
    """Return times as whole seconds since 1970, from numbers or from dates."""
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).dt.epoch("s")
    return numbers_from(column, "time").cast(pl.Int64)


def as_table(source: Any) -> pl.DataFrame:
    """Take any table that speaks the Arrow PyCapsule interface (or is a polars one already)."""
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    kind = f"{type(source).__module__}.{type(source).__qualname__}"
    raise DataError(f"{kind} is not a table: it has no __arrow_c_stream__ (polars, pandas, pyarrow, duckdb have)")


def array_column(name: str, values: Any) -> pl.Series:
    """Take one array or list."""
    if isinstance(values, pl.Series):
        return values
    try:
        array = np.asarray(values)
        if array.ndim != 1:
            raise DataError(f"{name} must have one dimension, not {array.ndim}")
        return pl.Series(name, values if array.dtype == object else array)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{name} mixes kinds of values; ids must be all str or all int") from error
