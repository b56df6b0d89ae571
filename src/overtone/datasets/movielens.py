"""MovieLens, in any of the forms in which people have it, or by download."""

import csv
from collections.abc import Iterable
from io import BytesIO, StringIO
from pathlib import Path

import polars as pl

from overtone.datasets.archive import ARCHIVES, TERMS, Archive, cache, contents, find, places
from overtone.datasets.download import base_url, fetch
from overtone.errors import DataError, DatasetError, require_choice
from overtone.parallel import Progress, quiet
from overtone.ratings import Ratings

COLUMNS = {"user": pl.Int64, "item": pl.Int64, "rating": pl.Float64, "time": pl.Int64}


def movielens(
    name: str, *, folder: str | Path | None = None, download: bool = True, progress: Progress = quiet
) -> Ratings:
    """Read the MovieLens ratings called 100k, 1m, 10m, 25m or latest-small.

    Looks in `folder`, `$OVERTONE_DATA` and the cache folder for arrays (`ml-1m.npz`), the extracted archive
    or the archive itself; else downloads that to the cache folder, unless told not to.
    """
    archive = _archive(name)
    folders = places(folder)
    path = find(archive.homes_of_ratings, folders)
    if path is None and not download:
        raise _absent("ratings", archive, folders)
    if path is None:
        path = fetch(archive, cache(), folders[0], progress)
    ratings = _read(path, archive)
    _require_counts(ratings, archive, path)
    return ratings


def movielens_titles(name: str, *, folder: str | Path | None = None) -> dict[int, str]:
    """Return the title of each movie, from the places where `movielens` looks; downloads nothing."""
    archive = _archive(name)
    folders = places(folder)
    path = find(archive.homes_of_movies, folders)
    if path is None:
        raise _absent("titles", archive, folders)
    try:
        rows = _rows(contents(path, archive.movies).decode(archive.encoding), archive.movies)
        return {int(row[0]): row[1] for row in rows}
    except (ValueError, IndexError, csv.Error) as error:
        raise _strange(path, "titles", archive, error) from error


def _archive(name: str) -> Archive:
    return ARCHIVES[require_choice("name", name, tuple(ARCHIVES))]


def _absent(what: str, archive: Archive, folders: list[Path]) -> DatasetError:
    return DatasetError(
        f"the {what} of MovieLens {archive.name} are in none of {', '.join(map(str, folders))};"
        f" put {base_url()}/{archive.file} into {folders[0]} ({TERMS})"
    )


def _read(path: Path, archive: Archive) -> Ratings:
    try:
        if path.suffix == ".npz":
            return Ratings.read(path)
        return Ratings.from_table(_table(contents(path, archive.ratings), archive.ratings))
    except (DataError, pl.exceptions.PolarsError) as error:
        raise _strange(path, "ratings", archive, error) from error


def _strange(path: Path, what: str, archive: Archive, error: Exception) -> DatasetError:
    reason = str(error).strip().splitlines()[0].removeprefix(f"{path}: ").rstrip(".:")
    return DatasetError(
        f"{path} does not hold the {what} of MovieLens {archive.name}: {reason};"
        f" replace it with {archive.file}"
    )


def _table(text: bytes, member: str) -> pl.DataFrame:
    """Read user, item, rating, time: a known form, so its types need no guessing."""
    separator = {".data": "\t", ".dat": "\x1f", ".csv": ","}[Path(member).suffix]
    plain = text.replace(b"::", b"\x1f") if separator == "\x1f" else text
    names = 1 if separator == "," else 0
    return pl.read_csv(BytesIO(plain), separator=separator, has_header=False, skip_rows=names, schema=COLUMNS)


def _rows(text: str, member: str) -> Iterable[list[str]]:
    """Split a table of movies into fields, id and title first."""
    if member.endswith(".csv"):
        return list(csv.reader(StringIO(text)))[1:]
    separator = "|" if member.endswith(".item") else "::"
    # Not splitlines: a Latin-1 title may hold what Unicode takes for the end of a line.
    return [line.split(separator) for line in text.split("\n") if line]


def _require_counts(ratings: Ratings, archive: Archive, path: Path) -> None:
    found = (ratings.n_users, ratings.n_items, len(ratings))
    if archive.counts not in (None, found):
        raise DatasetError(
            f"{path} holds users, items and ratings {found}, not the {archive.counts} of MovieLens"
            f" {archive.name}; it is damaged or another file: replace it with {archive.file}"
        )
