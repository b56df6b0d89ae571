"""Fetch a MovieLens archive from GroupLens: whole and verified, or not at all."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from overtone.datasets.archive import TERMS, Archive
from overtone.errors import DataError, DatasetError, SettingError
from overtone.files import make_folder, replacing
from overtone.parallel import Progress

GROUPLENS = "https://files.grouplens.org/datasets/movielens"
MIRROR = "OVERTONE_MOVIELENS_URL"

TIMEOUT = 30.0
"""Seconds that the other side may be silent."""

PIECE = 2**20
"""Bytes between two reports of progress."""


class Fault(Exception):  # noqa: N818 - a reason on its way to becoming a DatasetError
    """Why the bytes are not to be had."""


def base_url() -> str:
    """Return the address of the folder of archives, of a mirror where the environment names one."""
    base = os.environ.get(MIRROR) or GROUPLENS
    if not base.startswith(("https://", "http://")):
        raise SettingError(f"{MIRROR} must begin with https:// or http://, not {base!r}")
    return base.rstrip("/")


def fetch(archive: Archive, into: Path, put: Path, progress: Progress) -> Path:
    """Download an archive to the folder `into`; where that fails, say to put it into the folder `put`."""
    url = f"{base_url()}/{archive.file}"
    try:
        wanted = archive.md5 or _published_md5(url)
        with replacing(make_folder(into) / archive.file) as part:
            found = _save(url, part, f"download {archive.file}", progress)
            if found != wanted:
                raise Fault(f"its MD5 is {found}, not {wanted}")
    except (Fault, DataError, OSError) as fault:
        raise DatasetError(
            f"cannot download {url}: {fault}; put {archive.file} into {put} yourself ({TERMS})"
        ) from fault
    return into / archive.file


def _published_md5(url: str) -> str:
    """Read the checksum that GroupLens publishes beside an archive, in the words of either md5 program."""
    with _open(f"{url}.md5") as response:
        text = response.read(1024).decode("ascii", "replace")
    found = re.search(r"\b[0-9a-fA-F]{32}\b", text)
    if found is None:
        raise Fault(f"{url}.md5 holds no MD5")
    return found[0].lower()


def _save(url: str, part: Path, stage: str, progress: Progress) -> str:
    """Stream the body to a file and return its MD5."""
    digest, done = md5(usedforsecurity=False), 0
    with _open(url) as response, part.open("wb") as file:
        stated = response.headers.get("Content-Length", "")
        total = int(stated) if stated.isdigit() else None
        while piece := response.read(PIECE):
            file.write(piece)
            digest.update(piece)
            done += len(piece)
            progress(stage, done, max(done, total or 0))
    # Read piece by piece, http.client takes an early end for the end.
    if total is not None and done < total:
        raise Fault(f"the transfer ended after {done} of {total} bytes")
    return digest.hexdigest()


@contextmanager
def _open(url: str) -> Iterator[HTTPResponse]:
    """Open an address; what goes wrong until it is closed is a fault with a reason."""
    request = Request(url, headers={"User-Agent": "overtone"})  # noqa: S310 - base_url lets only http(s) through
    try:
        with urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310 - the same
            yield response
    except HTTPError as error:
        error.close()
        raise Fault(f"{url} answered {error.code} {error.reason}") from error
    except URLError as error:
        raise Fault(f"no connection ({error.reason})") from error
    except (OSError, HTTPException) as error:
        # Some of these quote what the other side said, line ends and all.
        raise Fault(" ".join(str(error).split()) or type(error).__name__) from error
