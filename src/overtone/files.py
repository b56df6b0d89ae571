"""Files that are whole or not there: written beside their place, then renamed; and journals, line by line."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import Any

from overtone.errors import DataError, OvertoneError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; take its place when the block ends well.

    The file keeps its permissions, a new one has those that the umask leaves.
    """
    target = require_target(path)
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        part.touch()
        mode = S_IMODE((target if target.exists() else part).stat().st_mode)
        yield part
        part.chmod(mode)
        part.replace(target)
    except OvertoneError:
        raise
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def require_target(path: str | Path) -> Path:
    """Return the file to replace: a link stays a link, a device, a pipe or a folder is refused."""
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    if target.is_dir():
        raise DataError(f"{path} is a folder; give the path of a file to write")
    if target.exists() and not target.is_file():
        raise DataError(f"{path} is a device or a pipe, which cannot be replaced; give the path of a file")
    if not target.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {target.parent}; make it first")
    return target


def make_folder(path: Path) -> Path:
    """Return a folder, made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to the folder {path}: {error.strerror or error}") from error
    return path


class Journal:
    """A file with a line of JSON that says what it is of, then a line for each thing done.

    A line that was cut short, by a kill in the middle, is not counted, and is overwritten by the next.
    """

    def __init__(self, path: str | Path, about: Mapping[str, Any], kind: str) -> None:
        self.path, self.kind = require_target(path), kind
        if not self.path.exists() or not self._lines():
            self.path.write_text(json.dumps({kind: about}) + "\n", encoding="utf-8")
        elif self._lines()[0] != json.loads(json.dumps({kind: about})):
            raise DataError(f"{path} was begun with other settings or other ratings; give another file")

    def entries(self) -> list[dict[str, Any]]:
        """Return what was done."""
        return self._lines()[1:]

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a line, after the last whole one."""
        with self.path.open("rb+") as file:
            file.seek(file.read().rfind(b"\n") + 1)
            file.truncate()
            file.write(json.dumps(entry).encode() + b"\n")

    def _lines(self) -> list[dict[str, Any]]:
        return read_journal(self.path, self.kind)


def read_journal(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the whole lines of a journal, the first one saying what it is of."""
    try:
        text = path.read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise DataError(f"{path} is not a journal of overtone; give another file") from error
    if lines and (not all(isinstance(line, dict) for line in lines) or kind not in lines[0]):
        raise DataError(f"{path} is not a journal of overtone; give another file")
    return lines
