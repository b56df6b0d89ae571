"""Files of every kind that ratings come in, as a table of columns as they stand in the file."""

import csv
import gzip
import zipfile
import zlib
from errno import EISDIR
from io import BytesIO, StringIO
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import numpy as np
import polars as pl

from overtone.errors import DataError
from overtone.ratings.columns import array_column, listed

KINDS = ".csv, .tsv, .data, .dat (each also as .gz), .parquet, .npz"
TEXTS = (".csv", ".tsv", ".data", ".dat")
POSITIONS = ("user", "item", "rating", "time")
DAMAGE = (pl.exceptions.PolarsError, zipfile.BadZipFile, zlib.error, ValueError, EOFError, RuntimeError)
"""What the readers of others raise for a file that is not what its ending says."""


def read_table(path: str | Path) -> pl.DataFrame:
    """Read a file; the columns of text files are texts."""
    file = Path(path)
    try:
        if S_ISDIR(file.stat().st_mode):
            raise IsADirectoryError(EISDIR, "it is a folder; give the path of a file")
        return _read(file)
    except FileNotFoundError as error:
        raise DataError(f"there is no file {file}") from error
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror or error}") from error
    except pl.exceptions.NoDataError as error:
        raise DataError(f"{file} is empty") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error.__cause__
    except DAMAGE as error:
        raise DataError(f"cannot read {file}: {_first_sentence(error)}") from error
    except pl.exceptions.PanicException as error:  # an assertion in polars, which is no Exception
        raise DataError(f"cannot read {file}: it is damaged") from error


def holds_texts(path: str | Path) -> bool:
    """Whether the file, by its ending, knows no kinds of values: all that stands in it is text."""
    return _kind(Path(path)) in TEXTS


def _read(file: Path) -> pl.DataFrame:
    match _kind(file):
        case ".csv":
            return _delimited(file, _bytes_if_packed(file), ",")
        case ".tsv" | ".data":
            return _delimited(file, _bytes_if_packed(file), "\t")
        case ".dat":
            # The form of the older MovieLens archives, in which a quotation mark is a letter like any other.
            packed = _bytes_if_packed(file)
            text = file.read_bytes() if packed is None else packed
            return _delimited(file, text.replace(b"::", b"\x1f"), "\x1f", quote=None)
        case ".parquet":
            return pl.read_parquet(file, glob=False)
        case ".npz":
            return _arrays(file)
    raise DataError(f"its ending does not say what it holds; these are read: {KINDS}")


def _kind(file: Path) -> str:
    inner = Path(file.stem) if file.suffix.lower() == ".gz" else file
    return inner.suffix.lower()


def _bytes_if_packed(file: Path) -> bytes | None:
    """Unpack a .gz file here: gzip checks its sum, so that a damaged file cannot pass for a whole one."""
    if file.suffix.lower() != ".gz":
        return None
    with gzip.open(file) as packed:
        return packed.read()


def _delimited(file: Path, text: bytes | None, separator: str, *, quote: str | None = '"') -> pl.DataFrame:
    """Read separated text; a first line whose third field is a number is data, not names."""
    source = file if text is None else BytesIO(text)
    try:
        table = pl.read_csv(
            source, separator=separator, quote_char=quote, has_header=False, infer_schema=False, glob=False
        )
    except pl.exceptions.ComputeError as error:
        ragged = _first_long_line(file.read_bytes() if text is None else text, separator, quote)
        raise DataError(ragged or _first_sentence(error)) from error
    table = _without_blank_end(table)
    first = table.row(0)
    if len(first) >= 3 and _is_number(first[2]):
        names = [*POSITIONS[: len(first)], *(f"column {k + 1}" for k in range(4, len(first)))]
        return table.rename(dict(zip(table.columns, names, strict=True)))
    names = [(name or "").strip() or f"column {k + 1}" for k, name in enumerate(first)]
    if len(set(names)) < len(names):
        raise DataError(f"two columns have the same name: {listed(names)}")
    return table.slice(1).rename(dict(zip(table.columns, names, strict=True)))


def _without_blank_end(table: pl.DataFrame) -> pl.DataFrame:
    """Drop the blank lines that editors leave at the end of a file."""
    filled = table.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    if not len(filled):
        raise pl.exceptions.NoDataError
    return table.head(filled[-1] + 1)


def _first_long_line(text: bytes, separator: str, quote: str | None) -> str | None:
    """Say which line has more fields than the first, if one has."""
    source = StringIO(text.decode(errors="replace"), newline="")
    lines = csv.reader(source, delimiter=separator, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE)
    try:
        width = len(next(lines))
        long = next((fields for fields in lines if len(fields) > width), None)
    except csv.Error:
        return None
    return (
        None if long is None else f"line {lines.line_num} has {len(long)} fields where the first has {width}"
    )


def _arrays(file: Path) -> pl.DataFrame:
    """Read arrays `user`, `item`, `rating`; original ids stand in `user_id` and `item_id`, by row."""
    # Opened here, since NumPy leaves its own handle open where the archive turns out to be damaged.
    with file.open("rb") as stream:
        if not zipfile.is_zipfile(stream):
            raise DataError("it is not an npz archive")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as arrays:
            missing = [name for name in POSITIONS[:3] if name not in arrays]
            if missing:
                raise DataError(f"there is no array {', '.join(missing)} among {', '.join(arrays.files)}")
            columns = {name: arrays[name] for name in POSITIONS[:3]}
            for name in ("user", "item"):
                if f"{name}_id" in arrays:
                    columns[name] = _take(arrays[f"{name}_id"], columns[name], name)
            if "timestamp" in arrays:
                columns["time"] = arrays["timestamp"]
    series = {name: array_column(name, values) for name, values in columns.items()}
    lengths = {name: len(column) for name, column in series.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the arrays differ in length: {lengths}")
    return pl.DataFrame(series)


def _take(ids: Any, rows: Any, noun: str) -> Any:
    """Return the ids at these rows; NumPy would count a negative row from the end."""
    if rows.dtype.kind not in "iu" or ids.ndim != 1:
        raise DataError(f"{noun} must hold whole numbers, the rows of {noun}_id")
    outside = (rows < 0) | (rows >= len(ids))
    if outside.any():
        row = int(np.argmax(outside))
        raise DataError(f"row {row + 1}: {noun} is {rows[row]}, but {noun}_id has rows 0..{len(ids) - 1}")
    return ids[rows]


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _first_sentence(error: BaseException) -> str:
    """Return the first line of a foreign message, cut short where it quotes the file, without its stop."""
    return (str(error).strip().splitlines() or ["it is damaged"])[0][:200].rstrip(".:")
