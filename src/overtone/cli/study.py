"""overtone bench paper, all and report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtone.cli.console import check_folder, command_line, say

if TYPE_CHECKING:
    from overtone.study import Case, Plan

Data = Annotated[list[str], typer.Option(help="ml-100k, ml-1m, synthetic, ...; may be repeated.")]
Ratings = Annotated[list[Path], typer.Option(help="A file of ratings; may be repeated.")]
Ns = Annotated[list[int], typer.Option("--n", help="Training ratings a user; may be repeated.")]
Seeds = Annotated[int, typer.Option(help="How many splits; their seeds are 0, 1, ...")]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="RUN", help="A folder; the same command goes on in it.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Two splits of one N, few settings, no tuning.")]


def paper(
    out: Out,
    data: Data = [],  # noqa: B006 - typer wants a list
    ratings: Ratings = [],  # noqa: B006 - typer wants a list
    ns: Ns = [],  # noqa: B006 - typer wants a list
    seeds: Seeds = 5,
    *,
    quick: Quick = False,
) -> None:
    """Make the paper's tables and figures, its numbers beside ours."""
    from overtone.study import paper as plan_of  # noqa: PLC0415 - after --help

    _measure(plan_of(_datas(data, ratings), ns, seeds), out, quick=quick)


def everything(
    out: Out,
    data: Data = [],  # noqa: B006 - typer wants a list
    ratings: Ratings = [],  # noqa: B006 - typer wants a list
    ns: Ns = [],  # noqa: B006 - typer wants a list
    seeds: Seeds = 5,
    *,
    quick: Quick = False,
) -> None:
    """Compare every ranker, tuned inside its training data too, and the peers that are installed."""
    from overtone.study import everything as plan_of  # noqa: PLC0415 - after --help

    _measure(plan_of(_datas(data, ratings), ns, seeds), out, quick=quick)


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders that bench paper or all wrote.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where to write the page.")],
) -> None:
    """Write the page of one run, or of several together."""
    from overtone.study import report as write  # noqa: PLC0415 - after --help

    typer.echo(f"{write(runs, check_folder(out))}")


def _datas(data: list[str], ratings: list[Path]) -> list[str]:
    return [*data, *map(str, ratings)] or ["ml-100k", "ml-1m"]


def _measure(plan: "Plan", out: Path, *, quick: bool) -> None:
    from overtone.study import carry_out, quick as cut, report as write  # noqa: PLC0415 - after --help

    check_folder(out)
    try:
        carry_out(cut(plan) if quick else plan, out, command_line(), _tell)
    except KeyboardInterrupt:
        say(f"stopped; {out} keeps what is done, and the same command goes on from there")
        raise typer.Exit(130) from None
    typer.echo(f"{write([out], out)}")


def _tell(case: "Case", done: int, total: int, left: float | None) -> None:
    """Say on a line of its own what runs next, so that a log file reads as well as a terminal."""
    estimate = "" if left is None else f", about {_duration(left)} left"
    say(f"[{done + 1}/{total}] {case.data}, N = {case.n}, seed {case.seed}: {case.spec}{estimate}")


def _duration(seconds: float) -> str:
    minutes = seconds / 60.0
    if minutes < 1.0:
        return f"{seconds:.0f} s"
    return f"{minutes:.0f} min" if minutes < 100.0 else f"{minutes / 60.0:.1f} h"
