"""overtone demo."""

from typing import TYPE_CHECKING

import typer

from overtone.cli.console import drawn_progress, print_table
from overtone.cli.explain import summary

if TYPE_CHECKING:
    from overtone import Model, Ratings

USERS, ITEMS, RATINGS = 2000, 800, 120_000


def demo() -> None:
    """Show the main job on ratings that the package makes itself."""
    import overtone as ot  # noqa: PLC0415 - after --help

    typer.echo(
        f"Synthetic ratings: {USERS:,} users on a curved surface, {ITEMS} items, {RATINGS:,} ratings of 1-5."
    )
    ratings = ot.datasets.synthetic(USERS, ITEMS, RATINGS, seed=7)
    train, test = ot.given_n(ratings, n=10, seed=7)
    typer.echo(f"10 random ratings of each of {train.n_users:,} users train, {len(test):,} test.\n")
    model = _compare(train, test)
    user = train.users.values[0]
    typer.echo("")
    print_table(model.recommend(user, n=5), title=f'model.recommend("{user}", n=5)')
    typer.echo("")
    person = dict(zip(model.recommend(user, n=3)["item"].to_list(), (5, 4, 1), strict=True))
    print_table(
        model.recommend(ratings=person, n=5), title=f"Somebody new: model.recommend(ratings={person})"
    )
    typer.echo("")
    item = model.recommend(user, n=1)["item"][0]
    print_table(
        summary(model.explain(user, item), 5),
        title=f'Why: model.explain("{user}", "{item}")',
        caption="A rating acts by what it has over its expectation.",
    )


def _compare(train: "Ratings", test: "Ratings") -> "Model":
    """Print NDCG@10 of every plain ranker and of LDM; return the LDM model."""
    import polars as pl  # noqa: PLC0415 - after --help

    import overtone as ot  # noqa: PLC0415

    rows = []
    with drawn_progress() as progress:
        for name in ("random", "popularity", "item-mean", "bias", "ldm"):
            model = ot.make_ranker(name).fit(train, progress=progress)
            found = ot.ndcg(model, test, k=10)
            rows.append({"ranker": name, "NDCG@10": found.mean, "standard error": found.stderr})
    print_table(
        pl.DataFrame(rows), title="Synthetic data, given 10, one split (seed 7)", caption=found.definition
    )
    return model
