"""The program `overtone`: its commands, and what becomes of an error."""

import os
import sys
from typing import Annotated

import typer

from overtone.cli.bench import app as bench
from overtone.cli.demo import demo
from overtone.cli.evaluate import evaluate
from overtone.cli.explain import explain
from overtone.cli.fit import fit
from overtone.cli.rankers import rankers
from overtone.cli.recommend import recommend
from overtone.cli.score import score
from overtone.cli.split import split
from overtone.cli.tune import tune
from overtone.errors import OvertoneError

COMMANDS = (split, tune, fit, score, evaluate, recommend, explain, rankers, demo)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(bench, name="bench")


def print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """Print the version and stop."""
    if wanted:
        import overtone  # noqa: PLC0415 - the installed version is looked up only when asked for

        typer.echo(f"overtone {overtone.__version__}")
        raise typer.Exit


@app.callback()
def overtone(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turn explicit ratings into ranked lists, by harmonic extension on the graph of similar users."""


def main() -> None:
    """Run a command; a person's mistake is one sentence on stderr and exit code 1."""
    try:
        app()
    except OvertoneError as error:
        _fail(str(error))
    except BrokenPipeError:
        # The reader of our output has left, as `head` does: stop without a word.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        _fail("this needs more memory than there is; with --set keep=no nothing of users x items is held")
    except OSError as error:
        _fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def _fail(sentence: str) -> None:
    typer.echo(f"overtone: {sentence}", err=True)
    sys.exit(1)
