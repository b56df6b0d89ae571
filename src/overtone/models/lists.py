"""Ranked lists streamed to a file, a block of users at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from overtone.errors import DataError
from overtone.files import replacing

ENDINGS = (".parquet", ".csv", ".jsonl")


def write_lists(lists: Iterator[pl.DataFrame], path: str | Path) -> None:
    """Write blocks one after the other: .parquet, .csv or .jsonl; the file appears when all are in."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        shown = repr(ending) if ending else "a name without ending"
        raise DataError(f"tables are written as {', '.join(ENDINGS)}, not {shown}")
    with replacing(path) as part:
        match ending:
            case ".parquet":
                _stream(lists).sink_parquet(part)
            case ".csv":
                _stream(lists).sink_csv(part)
            case _:
                _stream(lists).sink_ndjson(part)


def _stream(lists: Iterator[pl.DataFrame]) -> pl.LazyFrame:
    """Make a lazy table that pulls the next block when the writer asks for it."""
    first = next(lists)

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        yield first
        yield from lists

    return register_io_source(source, schema=first.schema)
