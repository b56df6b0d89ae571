"""Files that are whole or not there: written beside their place, then renamed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

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
