"""overtone split."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtone.cli.console import Columns, Duplicates, check_output, columns
from overtone.errors import SettingError
from overtone.files import make_folder

if TYPE_CHECKING:
    from overtone import Ratings


def split(  # noqa: PLR0913 - each option is an argument
    ratings: Annotated[Path, typer.Argument(help="The ratings: .csv, .tsv, .dat, .parquet or .npz.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where train.csv and test.csv go.")],
    given_n: Annotated[
        int | None, typer.Option(metavar="N", help="N random ratings of each user train, the rest test.")
    ] = None,
    by_time: Annotated[
        float | None, typer.Option(metavar="FRACTION", help="The newest ratings test.")
    ] = None,
    holdout: Annotated[float | None, typer.Option(metavar="FRACTION", help="Random ratings test.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same split.")] = 0,
    column: Columns = [],  # noqa: B006 - typer wants a list
    duplicates: Duplicates = "error",
) -> None:
    """Divide ratings into DIR/train.csv and DIR/test.csv (user,item,rating)."""
    import overtone as ot  # noqa: PLC0415 - after --help

    if [given_n, by_time, holdout].count(None) != 2:
        raise SettingError("ask for one of --given-n N, --by-time FRACTION and --holdout FRACTION")
    whole = ot.Ratings.read(ratings, **columns(column), duplicates=duplicates)
    if given_n is not None:
        cut = ot.given_n(whole, given_n, seed=seed)
    elif by_time is not None:
        cut = ot.by_time(whole, fraction=by_time, seed=seed)
    else:
        cut = ot.holdout(whole, fraction=holdout or 0.0, seed=seed)
    parts = {"train": cut.train, "test": cut.test}
    for name in parts:
        check_output(make_folder(out) / f"{name}.csv", ratings)
    for name, part in parts.items():
        part.write(out / f"{name}.csv")
        typer.echo(f"{out / name}.csv: {len(part):,} ratings of {_users(part):,} users")
    if cut.dropped_users:
        left_out = f"{cut.dropped_users:,} users with {cut.dropped_ratings:,} ratings"
        typer.echo(f"dropped: {left_out}, too few for this split")


def _users(part: "Ratings") -> int:
    return len(set(part.user_rows.tolist()))
