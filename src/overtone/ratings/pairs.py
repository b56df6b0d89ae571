"""Pairs of user and item, the questions that a model is asked."""

from pathlib import Path

import polars as pl

from overtone.errors import DataError
from overtone.ratings import columns as col
from overtone.ratings.reading import read_table


def read_pairs(path: str | Path, *, user: str | None = None, item: str | None = None) -> pl.DataFrame:
    """Read columns user and item, in the order of the file; repeats are fine here."""
    try:
        found = col.pick(read_table(path), ("user", "item"), dict(user=user, item=item))
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    return pl.DataFrame({role: col.ids_from(column, role, texts=True) for role, column in found.items()})
