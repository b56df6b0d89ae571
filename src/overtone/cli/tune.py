"""overtone tune."""

from pathlib import Path
from shlex import join
from typing import Annotated, Any

import typer

from overtone.cli.console import (
    Columns,
    Duplicates,
    Json,
    Threads,
    assignments,
    check_output,
    columns,
    drawn_progress,
    print_json,
    print_table,
)


def tune(  # noqa: PLR0913 - each option is an argument
    train: Annotated[Path, typer.Argument(help="The ratings to choose settings by: training ratings only.")],
    ranker: Annotated[str, typer.Option(metavar="NAME", help="See `overtone rankers`.")] = "ldm",
    values: Annotated[
        list[str], typer.Option("--try", metavar="KEY=V,V,...", help="Values to try; may be repeated.")
    ] = [],  # noqa: B006 - typer wants a list
    trials: Annotated[int | None, typer.Option(help="Try so many combinations by chance, not all.")] = None,
    splits: Annotated[int, typer.Option(help="Splits inside the ratings.")] = 2,
    seed: Annotated[int, typer.Option(help="Of the splits and of the chance.")] = 0,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep each trial there; the same command then goes on where it stopped."
        ),
    ] = None,
    threads: Threads = None,
    column: Columns = [],  # noqa: B006
    duplicates: Duplicates = "error",
    *,
    json: Json = False,
) -> None:
    """Choose a ranker's settings by splits inside the ratings, and print how to fit with them."""
    import overtone as ot  # noqa: PLC0415 - after --help

    if keep is not None:
        check_output(keep, train)
    grid = {key: text.split(",") for key, text in assignments(values, "--try").items()} or None
    ratings = ot.Ratings.read(train, **columns(column), duplicates=duplicates)
    with drawn_progress() as progress:
        found = ot.tune(
            ranker,
            ratings,
            grid,
            trials=trials,
            splits=splits,
            seed=seed,
            keep=keep,
            threads=threads,
            progress=progress,
        )
    if json:
        print_json({"ranker": ranker, "settings": found.settings, "trials": found.records})
        return
    print_table(found.trials, f"{ranker}: {len(found.records)} trials, NDCG@10 inside {train}")
    words = ["overtone", "fit", str(train), "--ranker", ranker]
    words += [word for key, value in found.settings.items() for word in ("--set", f"{key}={_text(value)}")]
    words += [word for one in column for word in ("--column", one)]
    words += ["--duplicates", duplicates] if duplicates != "error" else []
    typer.echo(f"{join(words)} -o MODEL")


def _text(value: Any) -> str:
    """Write a value so that it is read as the same again."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
