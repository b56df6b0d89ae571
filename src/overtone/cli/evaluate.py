"""overtone evaluate."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtone.cli.console import Columns, Duplicates, Json, columns, print_json, print_table, say
from overtone.errors import DataError

if TYPE_CHECKING:
    from overtone import Model, Ratings


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
    unseen = int((loaded.items.rows(ratings.items.values) < 0).sum())
    strangers = int((loaded.users.rows(ratings.users.values) < 0).sum())
    if unseen == ratings.n_items and strangers == ratings.n_users:
        raise DataError(f"{model} knows none of the users and items of {test}; was it fitted on other data?")
    if strangers or unseen:
        say(f"scored by the prior: {unseen:,} items and {strangers:,} users that the model has not seen")
    known = _known(loaded, ratings)
    if known:
        say(f"warning: the model was fitted on {known:,} of these {len(ratings):,} ratings")
    measures = ot.evaluate(loaded, ratings, k, ties=ties, relevant=relevant)
    names = ("name", "mean", "stderr", "users", "skipped", "definition")
    rows = [{name: getattr(measure, name) for name in names} for measure in measures]
    about = {
        "ranker": loaded.ranker,
        "test_ratings": len(ratings),
        "unknown_items": unseen,
        "unknown_users": strangers,
        "training_ratings": known,
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


def _known(loaded: "Model", test: "Ratings") -> int:
    """Count the test ratings whose user and item the model was fitted on together."""
    users = loaded.users.rows(test.users.values)[test.user_rows].astype("int64")
    items = loaded.items.rows(test.items.values)[test.by_user.indices]
    own = loaded.ratings
    pairs = own.user_rows.astype("int64") * own.n_items + own.by_user.indices
    return len(set(pairs.tolist()) & set((users * own.n_items + items)[(users >= 0) & (items >= 0)].tolist()))


def _plain(row: dict[str, object]) -> dict[str, object]:
    """Put null in the place of NaN, which is not JSON."""
    return {key: None if value != value else value for key, value in row.items()}  # noqa: PLR0124 - NaN differs from itself
