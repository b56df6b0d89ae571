"""overtone fit."""

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from overtone.cli.console import (
    Columns,
    Duplicates,
    Threads,
    assignments,
    check_output,
    columns,
    drawn_progress,
    say,
)


def fit(  # noqa: PLR0913 - each option is an argument
    train: Annotated[Path, typer.Argument(help="The ratings to learn from.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MODEL", help="The file to write.")],
    ranker: Annotated[str, typer.Option(metavar="NAME", help="See `overtone rankers`.")] = "ldm",
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated.")
    ] = [],  # noqa: B006 - typer wants a list
    seed: Annotated[int | None, typer.Option(help="For a ranker that draws random numbers.")] = None,
    threads: Threads = None,
    column: Columns = [],  # noqa: B006
    duplicates: Duplicates = "error",
) -> None:
    """Learn a model from ratings and write it to one file."""
    import overtone as ot  # noqa: PLC0415 - after --help
    from overtone.models.ldm import LDMModel  # noqa: PLC0415
    from overtone.rankers import PRESETS  # noqa: PLC0415

    check_output(out, train)
    chosen = assignments(settings, "--set")
    if seed is not None:
        if ranker in PRESETS and "seed" not in PRESETS[ranker].defaults():
            say(f"{ranker} draws no random numbers: --seed {seed} changes nothing")
        else:
            chosen["seed"] = str(seed)
    maker = ot.make_ranker(ranker, chosen)
    ratings = ot.Ratings.read(train, **columns(column), duplicates=duplicates)
    start = perf_counter()
    with drawn_progress() as progress:
        model = maker.fit(ratings, threads=threads, progress=progress)
    took = perf_counter() - start
    model.save(out)
    typer.echo(
        f"{out}: {ranker} on {len(ratings):,} ratings of {ratings.n_users:,} users "
        f"and {ratings.n_items:,} items, fitted in {took:.1f} s"
    )
    if isinstance(model, LDMModel) and not model.converged:
        bad = model.unconverged["residual"].to_numpy()
        say(f"warning: {len(bad):,} solves did not converge; the worst residual is {bad.max():.1e}")
