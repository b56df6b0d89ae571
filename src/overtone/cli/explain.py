"""overtone explain."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtone.cli.console import Json, print_json, print_table

if TYPE_CHECKING:
    import polars as pl


SURPLUS = "A rating acts by what it has over its expectation; contribution = weight x that."


def explain(
    model: Annotated[Path, typer.Argument(help="A file that `overtone fit` wrote.")],
    user: Annotated[str, typer.Option(metavar="ID", help="A user that the model knows.")],
    item: Annotated[str, typer.Option(metavar="ID", help="An item that the model knows.")],
    n: Annotated[int, typer.Option("-n", help="How many ratings to show; the rest are summed up.")] = 10,
    *,
    json: Json = False,
) -> None:
    """Say whose ratings carry a score; the contributions sum to it."""
    import overtone as ot  # noqa: PLC0415 - after --help
    from overtone.errors import require_count  # noqa: PLC0415

    require_count("n", n, 1)
    loaded = ot.load(model)
    whom, what = loaded.users.parse(user), loaded.items.parse(item)
    parts = loaded.explain(whom, what)
    score = float(parts["contribution"].sum())
    if json:
        print_json({"user": whom, "item": what, "score": score, "parts": parts.to_dicts()})
        return
    print_table(
        summary(parts, n),
        title=f"{loaded.ranker}: why {item} has the score {score:.4f} for {user}",
        caption=SURPLUS if loaded.kind == "ldm" else None,
    )


def summary(parts: "pl.DataFrame", n: int) -> "pl.DataFrame":
    """Keep the baseline and the `n` heaviest ratings, put the others in one row, and add the score."""
    import polars as pl  # noqa: PLC0415 - after --help

    is_rating = parts["source"] == "rating"
    carried = parts.filter(is_rating)
    left = carried.slice(n)
    rows = [parts.filter(~is_rating), carried.head(n)]
    if len(left):
        rest = {"source": f"{len(left):,} more ratings", "weight": left["weight"].sum()}
        rows.append(pl.DataFrame(rest | {"contribution": left["contribution"].sum()}))
    rows.append(pl.DataFrame({"source": "score", "contribution": parts["contribution"].sum()}))
    return pl.concat(rows, how="diagonal_relaxed")
