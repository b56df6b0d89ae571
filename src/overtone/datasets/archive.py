"""The MovieLens archives: what they hold, and where on this machine they may lie."""

import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath

from overtone.errors import DatasetError

TERMS = "its terms forbid redistribution, so overtone does not bundle it"


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive: where its tables lie in it, its published MD5, its users, items and ratings.

    The two last are None where GroupLens changes the archive from time to time.
    """

    name: str
    ratings: str
    movies: str
    encoding: str
    md5: str | None
    counts: tuple[int, int, int] | None

    @property
    def file(self) -> str:
        """The name under which GroupLens publishes it."""
        return f"ml-{self.name}.zip"

    @property
    def homes_of_ratings(self) -> tuple[str, ...]:
        """Where the ratings may be in a folder: as arrays, extracted, or in the archive."""
        return f"ml-{self.name}.npz", self.ratings, self.file

    @property
    def homes_of_movies(self) -> tuple[str, ...]:
        """Where the titles may be in a folder: alone, extracted, or in the archive."""
        return f"ml-{self.name}-{PurePath(self.movies).name}", self.movies, self.file


ARCHIVES = {
    one.name: one
    for one in (
        Archive(
            "100k",
            "ml-100k/u.data",
            "ml-100k/u.item",
            "latin-1",
            "0e33842e24a9c977be4e0107933c0723",
            (943, 1_682, 100_000),
        ),
        Archive(
            "1m",
            "ml-1m/ratings.dat",
            "ml-1m/movies.dat",
            "latin-1",
            "c4d9eecfca2ab87c1945afe126590906",
            (6_040, 3_706, 1_000_209),
        ),
        Archive(
            "10m",
            "ml-10M100K/ratings.dat",
            "ml-10M100K/movies.dat",
            "utf-8",
            "ce571fd55effeba0271552578f2648bd",
            (69_878, 10_677, 10_000_054),
        ),
        Archive(
            "25m",
            "ml-25m/ratings.csv",
            "ml-25m/movies.csv",
            "utf-8",
            "6b51fb2759a8657d3bfcbfc42b592ada",
            (162_541, 59_047, 25_000_095),
        ),
        Archive(
            "latest-small",
            "ml-latest-small/ratings.csv",
            "ml-latest-small/movies.csv",
            "utf-8",
            None,
            None,
        ),
    )
}


def cache() -> Path:
    """Return the folder that downloads go to."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "overtone"


def places(folder: str | Path | None) -> list[Path]:
    """Return the folders to look in, first to last."""
    named = [Path(one) for one in (folder, os.environ.get("OVERTONE_DATA")) if one]
    return [*named, cache()]


def find(homes: tuple[str, ...], folders: list[Path]) -> Path | None:
    """Return the first of these files in the first folder that has any."""
    for folder in folders:
        try:
            found = [folder / home for home in homes if (folder / home).is_file()]
        except OSError as error:
            raise DatasetError(f"cannot look into {folder}: {error.strerror}; make it readable") from error
        if found:
            return found[0]
    return None


def contents(path: Path, member: str) -> bytes:
    """Return the bytes of a file, or of one member if it is a zip."""
    try:
        if path.suffix != ".zip":
            return path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            return archive.read(member)
    except KeyError as error:
        raise DatasetError(f"{path} has no {member}; it is another archive: replace it") from error
    except OSError as error:
        raise DatasetError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise DatasetError(f"cannot read {path}: {error or 'it ends early'}; replace it") from error
