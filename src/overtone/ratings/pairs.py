"""Pairs of user and item, the questions that a model is asked."""

from pathlib import Path

import polars as pl

from overtone.errors import DataError
from overtone.ratings import columns as col
from overtone.ratings.reading import holds_texts, read_table


def read_pairs(path: str | Path, *, user: str | None = None, item: str | None = None) -> pl.DataFrame:
    """Read columns user and item, in the order of the file; repeats are fine here."""
    table, texts = read_table(path), holds_texts(path)
    try:
        found = col.pick(table, ("user", "item"), dict(user=user, item=item))
        return pl.DataFrame({role: col.ids_from(ids, role, texts=texts) for role, ids in found.items()})
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
