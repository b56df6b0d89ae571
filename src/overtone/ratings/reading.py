"""Files of every kind that ratings come in, as a table of columns as they stand in the file."""

import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from overtone.errors import DataError

KINDS = ".csv, .tsv, .data, .dat, .parquet, .npz (and .csv.gz, .tsv.gz)"
POSITIONS = ("user", "item", "rating", "time")


def read_table(path: str | Path) -> pl.DataFrame:
    """Read a file; the columns of text files are texts."""
    file = Path(path)
    kind = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix
    try:
        match kind.lower():
            case ".csv" | ".csv.gz":
                return _delimited(file, ",")
            case ".tsv" | ".tsv.gz" | ".data":
                return _delimited(file, "\t")
            case ".dat":
                return _double_colon(file)
            case ".parquet":
                return pl.read_parquet(file)
            case ".npz":
                return _arrays(file)
    except FileNotFoundError as error:
        raise DataError(f"there is no file {file}") from error
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror or error}") from error
    except pl.exceptions.NoDataError as error:
        raise DataError(f"{file} is empty") from error
    except (pl.exceptions.PolarsError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"cannot read {file}: {_first_sentence(error)}") from error
    raise DataError(f"cannot tell what {file} holds by its ending; these are read: {KINDS}")


def _delimited(source: Path | BytesIO, separator: str) -> pl.DataFrame:
    """Read separated text; a first line whose third field is a number is data, not names."""
    table = pl.read_csv(source, separator=separator, infer_schema=False, has_header=False)
    first = table.row(0)
    if len(first) >= 3 and _is_number(first[2]):
        names = [*POSITIONS[: len(first)], *(f"column {k + 1}" for k in range(4, len(first)))]
        return table.rename(dict(zip(table.columns, names, strict=True)))
    names = [(name or "").strip().strip("\ufeff") or f"column {k + 1}" for k, name in enumerate(first)]
    if len(set(names)) < len(names):
        raise DataError(f"two columns have the same name: {', '.join(names)}")
    return table.slice(1).rename(dict(zip(table.columns, names, strict=True)))


def _double_colon(file: Path) -> pl.DataFrame:
    """Read `::`-separated text, the form of the older MovieLens archives."""
    text = file.read_bytes()
    if not text.strip():
        raise pl.exceptions.NoDataError
    return _delimited(BytesIO(text.replace(b"::", b"\x1f")), "\x1f")


def _arrays(file: Path) -> pl.DataFrame:
    """Read arrays `user`, `item`, `rating`; original ids stand in `user_id` and `item_id`, by row."""
    with np.load(file, allow_pickle=False) as arrays:
        missing = [name for name in POSITIONS[:3] if name not in arrays]
        if missing:
            raise DataError(f"{file} has no array {', '.join(missing)}; it has {', '.join(arrays.files)}")
        columns = {name: arrays[name] for name in POSITIONS[:3]}
        for name in ("user", "item"):
            if f"{name}_id" in arrays:
                columns[name] = arrays[f"{name}_id"][columns[name]]
        if "timestamp" in arrays:
            columns["time"] = arrays["timestamp"]
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the arrays of {file} differ in length: {lengths}")
    return pl.DataFrame(columns)


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _first_sentence(error: Exception) -> str:
    """Return the first line of a foreign message, without its closing stop."""
    return (str(error).strip().splitlines() or ["it is damaged"])[0].rstrip(".:")
