"""Files that are whole or not there: written beside their place, then renamed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from overtone.errors import DataError, OvertoneError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; take its place when the block ends well."""
    target = Path(path)
    if target.is_dir():
        raise DataError(f"{target} is a folder; give the path of a file to write")
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}") from error
    try:
        yield part
        part.replace(target)
    except OvertoneError:
        raise
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
