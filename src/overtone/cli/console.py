"""What the commands share with a person's terminal: tables, progress, and common options."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from overtone.errors import DataError, SettingError
from overtone.files import require_target
from overtone.parallel import Progress, quiet

if TYPE_CHECKING:
    import polars as pl

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a program.")]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column", metavar="ROLE=NAME", help="Name a column: user=..., item=..., rating=..., time=..."
    ),
]
Duplicates = Annotated[
    str, typer.Option(metavar="RULE", help="A (user, item) rated twice: error, last or mean.")
]
Threads = Annotated[
    int | None, typer.Option(metavar="T", help="Threads; all by default. Results do not depend on it.")
]


def assignments(texts: list[str], what: str) -> dict[str, str]:
    """Read `key=value` texts."""
    pairs = [text.partition("=") for text in texts]
    for (key, sign, value), text in zip(pairs, texts, strict=True):
        if not (key and sign and value):
            raise SettingError(f"{what} must be KEY=VALUE, not {text!r}")
    return {key.strip(): value.strip() for key, _, value in pairs}


def columns(texts: list[str]) -> dict[str, str]:
    """Read the names given to columns."""
    named = assignments(texts, "--column")
    roles = ("user", "item", "rating", "time")
    for role in named:
        if role not in roles:
            raise SettingError(f"--column takes {', '.join(roles)}, not {role!r}")
    return named


def check_output(out: Path, *inputs: Path | None) -> None:
    """Refuse, before any work, a place that cannot be written or that is read."""
    require_target(out)
    for one in inputs:
        if one is not None and out.exists() and one.exists() and out.samefile(one):
            raise DataError(f"{out} is what is read here; give another file to write")


def check_folder(out: Path) -> Path:
    """Refuse, before any work, what is no folder and cannot become one."""
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; give a folder to write into")
    return out


def command_line() -> str:
    """Return the command as it was typed."""
    return " ".join(["overtone", *sys.argv[1:]])


def say(sentence: str) -> None:
    """Tell a person something that is not the result."""
    typer.echo(sentence, err=True)


def print_json(value: Any) -> None:
    """Print a value as JSON, non-ASCII letters as they are."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def print_table(table: "pl.DataFrame", title: str | None = None, caption: str | None = None) -> None:
    """Print a table for a person: numbers to the right, nothing cut."""
    from rich.console import Console  # noqa: PLC0415 - only where a table is drawn
    from rich.table import Table  # noqa: PLC0415

    drawn = Table(
        title=title,
        caption=caption,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        box=None,
    )
    for name, dtype in table.schema.items():
        drawn.add_column(
            name, justify="right" if dtype.is_numeric() else "left", overflow="fold", no_wrap=False
        )
    for row in table.rows():
        drawn.add_row(*(_cell(value) for value in row))
    out = Console(soft_wrap=not sys.stdout.isatty(), highlight=False, markup=False)
    out.print(drawn)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


@contextmanager
def drawn_progress() -> Iterator[Progress]:
    """Draw a bar on stderr while it is a terminal, else stay quiet."""
    if not sys.stderr.isatty():
        yield quiet
        return
    from rich.console import Console  # noqa: PLC0415 - only where a bar is drawn
    from rich.progress import Progress as Bars  # noqa: PLC0415

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield progress
