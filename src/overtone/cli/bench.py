"""overtone bench."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from overtone.cli.console import drawn_progress
from overtone.errors import DataError

RANKERS = ["random", "popularity", "item-mean", "bias", "ldm-paper", "ldm"]

app = typer.Typer(no_args_is_help=True, help="Measure, keep the numbers, and make tables of them.")

Data = Annotated[str, typer.Option(help="ml-100k, ml-1m, ..., synthetic, or a file of ratings.")]
Ns = Annotated[list[int], typer.Option("--n", help="Training ratings a user; may be repeated.")]
Rankers = Annotated[
    list[str], typer.Option("--ranker", metavar="NAME[:KEY=VALUE,...]", help="May be repeated.")
]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="RUN", help="The JSON file to write.")]


@app.command()
def quality(
    out: Out,
    data: Data = "ml-1m",
    ns: Ns = [10, 20, 50],  # noqa: B006 - typer wants a list
    seeds: Annotated[int, typer.Option(help="How many splits; their seeds are 0, 1, ...")] = 5,
    rankers: Rankers = RANKERS,
) -> None:
    """NDCG@10 under given-N, the same splits for every ranker."""
    from overtone.bench import measure_quality, quality_table  # noqa: PLC0415 - after --help
    from overtone.errors import require_count  # noqa: PLC0415

    require_count("seeds", seeds, 1)
    with drawn_progress() as progress:
        run = measure_quality(data, ns, seeds, rankers, _command(), progress)
    _keep(run, out)
    typer.echo(quality_table(run))


@app.command()
def cost(
    out: Out,
    data: Data = "ml-1m",
    ns: Ns = [10, 20, 50],  # noqa: B006 - typer wants a list
    rankers: Rankers = ["ldm-paper", "ldm"],  # noqa: B006
) -> None:
    """Seconds and memory of a fit that solves everything, each in a process of its own."""
    from overtone.bench import cost_table, measure_cost  # noqa: PLC0415 - after --help

    with drawn_progress() as progress:
        run = measure_cost(data, ns, rankers, _command(), progress)
    _keep(run, out)
    typer.echo(cost_table(run))


@app.command()
def table(run: Annotated[Path, typer.Argument(help="A file that another bench command wrote.")]) -> None:
    """Print a stored run as Markdown."""
    from overtone.bench import cost_table, quality_table  # noqa: PLC0415 - after --help

    try:
        stored = json.loads(run.read_text(encoding="utf-8"))
        typer.echo({"quality": quality_table, "cost": cost_table}[stored["kind"]](stored))
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{run} is not a stored run of overtone bench") from error


def _command() -> str:
    return " ".join(["overtone", *sys.argv[1:]])


def _keep(run: dict[str, Any], out: Path) -> None:
    from overtone.files import replacing  # noqa: PLC0415 - after --help

    with replacing(out) as part:
        part.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
