"""overtone bench."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from overtone.cli.console import Threads, check_output, command_line, drawn_progress
from overtone.cli.study import everything, paper, report
from overtone.errors import DataError

SPEED_RANKERS = ["ldm-paper:search=exact,tolerance=5e-7", "ldm-paper:tolerance=5e-7", "ldm"]

app = typer.Typer(no_args_is_help=True, help="Measure, keep the numbers, and make tables of them.")

Data = Annotated[str, typer.Option(help="ml-100k, ml-1m, ..., synthetic, or a file of ratings.")]
Ns = Annotated[list[int], typer.Option("--n", help="Training ratings a user; may be repeated.")]
Rankers = Annotated[
    list[str], typer.Option("--ranker", metavar="NAME[:KEY=VALUE,...]", help="May be repeated.")
]
Run = Annotated[Path, typer.Argument(help="A file that another bench command wrote.")]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="RUN", help="The JSON file to write.")]


@app.command()
def quality(
    out: Out,
    data: Data = "ml-1m",
    ns: Ns = [10, 20, 50],  # noqa: B006 - typer wants a list
    seeds: Annotated[int, typer.Option(help="How many splits; their seeds are 0, 1, ...")] = 5,
    rankers: Annotated[
        list[str],
        typer.Option("--ranker", metavar="NAME[:KEY=VALUE,...]", help="May be repeated; all by default."),
    ] = [],  # noqa: B006
) -> None:
    """NDCG@10 under given-N, the same splits for every ranker; a peer by its name too."""
    from overtone.bench import measure_quality, quality_table  # noqa: PLC0415 - after --help
    from overtone.errors import require_count  # noqa: PLC0415
    from overtone.rankers import PRESETS  # noqa: PLC0415

    require_count("seeds", seeds, 1)
    check_output(out)
    run: dict[str, Any] = {}
    with drawn_progress() as progress:
        for run in measure_quality(data, ns, seeds, rankers or list(PRESETS), command_line(), progress):
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
        run = measure_cost(data, ns, rankers, command_line(), progress)
    _keep(run, out)
    typer.echo(cost_table(run))


@app.command()
def speed(  # noqa: PLR0913 - what is measured, then how
    out: Out,
    data: Annotated[
        list[str], typer.Option(help="ml-1m, synthetic-10m, ..., or a file; may be repeated.")
    ] = ["ml-1m"],  # noqa: B006
    ns: Ns = [10, 20, 50],  # noqa: B006 - typer wants a list
    rankers: Rankers = SPEED_RANKERS,
    peers: Annotated[list[str], typer.Option("--peer", help="implicit-als or libmf; may be repeated.")] = [],  # noqa: B006
    growth: Annotated[bool, typer.Option(help="Also how time and memory grow, drawn beside RUN.")] = True,  # noqa: FBT002
    repeats: Annotated[int, typer.Option(help="Warm runs; their median is reported.")] = 5,
    threads: Threads = None,
) -> None:
    """LDM stage by stage, against the machine's limits, SciPy and other libraries."""
    from overtone.bench import (  # noqa: PLC0415 - after --help
        Plan,
        draw_growth,
        measure_speed,
        require_plots,
        speed_table,
    )

    check_output(out)
    if growth:
        require_plots()
    jobs = [(one, n) for one in data for n in ns]
    plan = Plan(jobs, rankers, peers, rankers[0] if growth else None, repeats, threads)
    run: dict[str, Any] = {}
    with drawn_progress() as progress:
        for run in measure_speed(plan, command_line(), progress):
            _keep(run, out)
    if run["growth"]:
        draw_growth(run["growth"], out.with_suffix(".svg"))
    typer.echo(speed_table(run))


@app.command()
def plot(
    run: Run,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="A .svg, .png or .pdf to write.")],
) -> None:
    """Draw how time and memory grow, from a stored run of bench speed."""
    from overtone.bench import draw_growth  # noqa: PLC0415 - after --help

    growth = _stored(run).get("growth")
    if not growth:
        raise DataError(f"{run} holds no growth; bench speed measures it unless --no-growth is given")
    if out.suffix not in (".svg", ".png", ".pdf"):
        raise DataError(f"pictures are written as .svg, .png or .pdf, not {out.suffix or out.name!r}")
    draw_growth(growth, out)


@app.command()
def table(
    run: Annotated[Path, typer.Argument(help="What another bench command wrote.")],
    part: Annotated[
        str, typer.Option(help="Of a folder: data, paper, quality, cost or undecided.")
    ] = "quality",
) -> None:
    """Print a stored run as Markdown."""
    from overtone.bench import TABLES  # noqa: PLC0415 - after --help
    from overtone.study import part as part_of  # noqa: PLC0415

    if run.is_dir():
        typer.echo(part_of(run, part))
        return
    stored = _stored(run)
    try:
        typer.echo(TABLES[stored["kind"]](stored))
    except (KeyError, TypeError) as error:
        raise DataError(f"{run} is not a stored run of overtone bench") from error


app.command()(paper)
app.command("all")(everything)
app.command()(report)


def _stored(run: Path) -> dict[str, Any]:
    try:
        stored = json.loads(run.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{run} is not a stored run of overtone bench") from error
    return stored if isinstance(stored, dict) else {}


def _keep(run: dict[str, Any], out: Path) -> None:
    from overtone.files import replacing  # noqa: PLC0415 - after --help

    with replacing(out) as part:
        part.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
