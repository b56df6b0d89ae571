"""overtone evaluate."""

from pathlib import Path
from typing import Annotated

import typer

from overtone.cli.console import Columns, Duplicates, Json, columns, print_json, print_table


def evaluate(  # noqa: PLR0913 - each option is an argument
    model: Annotated[Path, typer.Argument(help="A file that `overtone fit` wrote.")],
    test: Annotated[Path, typer.Argument(help="Ratings that the model has not seen.")],
    k: Annotated[int, typer.Option("-k", help="How far down the list counts.")] = 10,
    ties: Annotated[
        str, typer.Option(metavar="RULE", help="Tied scores: average or first (by id).")
    ] = "average",
    relevant: Annotated[
        float | None, typer.Option(help="The least relevant rating; the median of the test by default.")
    ] = None,
    column: Columns = [],  # noqa: B006 - typer wants a list
    duplicates: Duplicates = "error",
    *,
    json: Json = False,
) -> None:
    """Measure a model on test ratings: NDCG, precision, recall, MRR and AUC, over each user's test items."""
    import polars as pl  # noqa: PLC0415 - after --help

    import overtone as ot  # noqa: PLC0415

    loaded = ot.load(model)
    ratings = ot.Ratings.read(test, **columns(column), duplicates=duplicates)
    measures = ot.evaluate(loaded, ratings, k, ties=ties, relevant=relevant)
    unseen = int((loaded.items.rows(ratings.items.values) < 0).sum())
    strangers = int((loaded.users.rows(ratings.users.values) < 0).sum())
    names = ("name", "mean", "stderr", "users", "skipped", "definition")
    rows = [{name: getattr(measure, name) for name in names} for measure in measures]
    about = {
        "ranker": loaded.ranker,
        "test_ratings": len(ratings),
        "unknown_items": unseen,
        "unknown_users": strangers,
    }
    if json:
        print_json(about | {"measures": [_plain(row) for row in rows]})
        return
    print_table(
        pl.DataFrame(rows).select("name", "mean", "stderr", "users", "skipped"),
        title=f"{loaded.ranker} on {len(ratings):,} test ratings of {ratings.n_users:,} users",
    )
    typer.echo("")
    for row in rows:
        typer.echo(f"{row['name']}: {row['definition']}")
    if unseen or strangers:
        typer.echo(
            f"scored by the prior: {unseen:,} items and {strangers:,} users that the model has not seen"
        )


def _plain(row: dict[str, object]) -> dict[str, object]:
    """Put null in the place of NaN, which is not JSON."""
    return {key: None if value != value else value for key, value in row.items()}  # noqa: PLR0124 - NaN differs from itself
