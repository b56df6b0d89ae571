"""overtone recommend."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from overtone.cli.console import Json, check_output, drawn_progress, print_json, print_table
from overtone.cli.score import Fallback
from overtone.errors import DataError, SettingError

if TYPE_CHECKING:
    import polars as pl

    from overtone import Model


def recommend(  # noqa: PLR0913 - each option is an argument
    model: Annotated[Path, typer.Argument(help="A file that `overtone fit` wrote.")],
    user: Annotated[str | None, typer.Option(metavar="ID", help="A user that the model knows.")] = None,
    ratings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The ratings (item,rating) of somebody new.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="How many items.")] = 10,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT", help="Write .parquet, .csv or .jsonl.")
    ] = None,
    exclude: Annotated[
        list[str], typer.Option(metavar="ID", help="Leave an item out; may be repeated.")
    ] = [],  # noqa: B006 - typer wants a list
    candidates: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rank only these items (a table with a column item).")
    ] = None,
    *,
    everybody: Annotated[bool, typer.Option("--all", help="A list for every user.")] = False,
    include_rated: Annotated[bool, typer.Option(help="Also items that the user rated.")] = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """List the best items for a user, for somebody new, or for everybody."""
    import overtone as ot  # noqa: PLC0415 - after --help

    if [user is None, ratings is None, not everybody].count(False) != 1:
        raise SettingError("ask for one of --user ID, --ratings FILE and --all")
    if out is not None:
        if json:
            raise SettingError("ask for one of -o OUT and --json")
        check_output(out, model, ratings, candidates)
    loaded = ot.load(model)
    filters: dict[str, Any] = {
        "exclude": [loaded.items.parse(item) for item in exclude],
        "candidates": None if candidates is None else _items(loaded, candidates)[0],
        "include_rated": include_rated,
    }
    if everybody:
        _everybody(loaded, n, filters, out, json=json)
        return
    asked: dict[str, Any] = dict(user=None if user is None else loaded.users.parse(user))
    asked |= dict(ratings=None if ratings is None else _person(loaded, ratings))
    table = loaded.recommend(**asked, n=n, **filters, unknown="fallback" if fallback else "error")
    whose = f"for {user}" if ratings is None else f"for the ratings of {ratings}"
    _one(table, out, f"{loaded.ranker}: {len(table)} items {whose}", json=json)


def _everybody(loaded: "Model", n: int, filters: dict[str, Any], out: Path | None, *, json: bool) -> None:
    if out is None and not json:
        raise SettingError("--all needs -o OUT (.parquet, .csv or .jsonl), or --json for lines on stdout")
    with drawn_progress() as progress:
        if out is not None:
            loaded.recommend_all(out, n, **filters, progress=progress)
            typer.echo(f"{out}: up to {n} items for each of {len(loaded.users):,} users")
            return
    for table in loaded.lists(n, **filters):
        typer.echo(table.write_ndjson(), nl=False)


def _one(table: "pl.DataFrame", out: Path | None, title: str, *, json: bool) -> None:
    from overtone.models.lists import write_lists  # noqa: PLC0415 - after --help

    if out is not None:
        write_lists(iter([table]), out)
        typer.echo(f"{out}: {len(table)} items")
    elif json:
        print_json(table.to_dicts())
    else:
        print_table(table, title=title)


def _person(loaded: "Model", path: Path) -> dict[Any, float]:
    """Read a new person's ratings, by the model's own ids."""
    from overtone.ratings.columns import numbers_from  # noqa: PLC0415 - after --help

    items, table = _items(loaded, path, ("item", "rating"))
    if len(set(items)) < len(items):
        twice = next(item for item in items if items.count(item) > 1)
        raise DataError(f"{path}: item {twice!r} is rated twice")
    try:
        return dict(zip(items, numbers_from(table["rating"], "rating").to_list(), strict=True))
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _items(
    loaded: "Model", path: Path, roles: tuple[str, ...] = ("item",)
) -> tuple[list[Any], dict[str, "pl.Series"]]:
    """Read the column of items, as the model's own ids, and the other columns of these roles."""
    from overtone.ratings.columns import ids_from, pick  # noqa: PLC0415 - after --help
    from overtone.ratings.reading import read_table  # noqa: PLC0415

    table = read_table(path)
    try:
        found = pick(table, roles, {})
        items = ids_from(found["item"], "item", texts=True)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    return [loaded.items.parse(str(item)) for item in items], found
