"""overtone explain."""

from pathlib import Path
from typing import Annotated

import typer

from overtone.cli.console import Json, print_json, print_table


def explain(
    model: Annotated[Path, typer.Argument(help="A file that `overtone fit` wrote.")],
    user: Annotated[str, typer.Option(metavar="ID", help="A user that the model knows.")],
    item: Annotated[str, typer.Option(metavar="ID", help="An item that the model knows.")],
    n: Annotated[int, typer.Option("-n", help="How many ratings to show; the rest are summed up.")] = 10,
    *,
    json: Json = False,
) -> None:
    """Say whose ratings carry a score; the contributions sum to it."""
    import polars as pl  # noqa: PLC0415 - after --help

    import overtone as ot  # noqa: PLC0415
    from overtone.errors import require_count  # noqa: PLC0415

    require_count("n", n, 1)
    loaded = ot.load(model)
    parts = loaded.explain(loaded.users.parse(user), loaded.items.parse(item))
    score = float(parts["contribution"].sum())
    if json:
        print_json({"user": user, "item": item, "score": score, "parts": parts.to_dicts()})
        return
    is_rating = parts["source"] == "rating"
    base, carried = parts.filter(~is_rating), parts.filter(is_rating)
    left = carried.slice(n)
    shown = pl.concat([base, carried.head(n)])
    if len(left):
        rest = {"source": f"{len(left):,} more ratings", "weight": left["weight"].sum()}
        rest |= {"contribution": left["contribution"].sum()}
        shown = pl.concat([shown, pl.DataFrame(rest)], how="diagonal_relaxed")
    total = pl.DataFrame({"source": "score", "contribution": score})
    print_table(
        pl.concat([shown, total], how="diagonal_relaxed"),
        title=f"{loaded.ranker}: why {item} has the score {score:.4f} for {user}",
        caption="A rating acts by what it has over its expectation; contribution = weight x that.",
    )
