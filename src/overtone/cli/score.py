"""overtone score."""

from pathlib import Path
from typing import Annotated

import typer

from overtone.cli.console import Columns, check_output, columns

Fallback = Annotated[
    bool, typer.Option("--fallback", help="Serve unknown ids by the model's prior, instead of an error.")
]


def score(
    model: Annotated[Path, typer.Argument(help="A file that `overtone fit` wrote.")],
    pairs: Annotated[Path, typer.Argument(help="A table of user,item.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="OUT", help="The file to write: .csv, .parquet or .jsonl.")
    ],
    column: Columns = [],  # noqa: B006 - typer wants a list
    *,
    fallback: Fallback = False,
) -> None:
    """Score pairs of user and item, in their order: user,item,score."""
    import polars as pl  # noqa: PLC0415 - after --help

    import overtone as ot  # noqa: PLC0415
    from overtone.models.lists import write_lists  # noqa: PLC0415

    check_output(out, model, pairs)
    loaded = ot.load(model)
    asked = ot.read_pairs(pairs, **columns(column))
    unknown = "fallback" if fallback else "error"
    table = asked.with_columns(score=pl.Series(loaded.score(asked["user"], asked["item"], unknown=unknown)))
    write_lists(iter([table]), out)
    typer.echo(f"{out}: {len(table):,} scores")
