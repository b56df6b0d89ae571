import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from overtone.errors import DataError
from overtone.ratings import Ratings

COLUMNS = dict(user=["ann", "bob", "ann"], item=[7, 7, 9], rating=[4.5, 0.0, -1.0], time=[100, 75, 50])
ROWS = [("ann", 7, 4.5, 100), ("ann", 9, -1.0, 50), ("bob", 7, 0.0, 75)]


class SpeaksArrow:
    """A table of a library that overtone has never heard of."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[5, 3, 9]),
        pd.DataFrame(COLUMNS).astype({"user": "category", "item": "Int64", "rating": "Float32"}),
        pa.table(COLUMNS),
        pa.table(COLUMNS).to_batches()[0],
        pl.DataFrame(COLUMNS).with_columns(
            pl.col("user").cast(pl.Categorical), pl.col("item").cast(pl.UInt8)
        ),
        pl.DataFrame(COLUMNS).with_columns(
            pl.col("rating").cast(pl.Decimal(10, 2)), pl.col("time").cast(pl.String)
        ),
        SpeaksArrow(),
    ],
)
def test_the_same_ratings_come_from_every_table(table):
    assert Ratings.from_table(table).table().rows() == ROWS


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda x: np.array(x, object)]
)
def test_the_same_ratings_come_from_every_kind_of_array(kind):
    assert Ratings.from_arrays(*map(kind, COLUMNS.values())).table().rows() == ROWS


def test_times_are_numbers_or_dates_of_any_unit_and_zone():
    moments = [dt.datetime(2001, 1, 1, tzinfo=dt.UTC), dt.datetime(1970, 1, 1, tzinfo=dt.UTC)]
    seconds = [978307200, 0]
    naive = [moment.replace(tzinfo=None) for moment in moments]
    east = dt.timezone(dt.timedelta(hours=2))
    for times in (
        moments,
        naive,
        [moment.astimezone(east) for moment in moments],
        [moment.date() for moment in naive],
        np.array(naive, "datetime64[s]"),
        np.array(naive, "datetime64[ns]"),
        np.array(naive, "datetime64[D]"),
        pd.Series(naive),
        pl.Series(naive).cast(pl.Datetime("ms")),
        seconds,
        np.array(seconds, np.float64),
    ):
        assert Ratings.from_arrays([1, 2], [1, 1], [1, 2], times).times.tolist() == seconds


def test_a_moment_before_1970_belongs_to_the_second_in_which_it_lies():
    half = dt.datetime(1969, 12, 31, 23, 59, 59, 500000)  # noqa: DTZ001 - a moment without zone is the case
    assert Ratings.from_arrays([1], [1], [1], [half]).times.tolist() == [-1]
    assert Ratings.from_arrays([1], [1], [1], [-0.5]).times.tolist() == [-1]


def test_texts_in_a_table_stay_texts():
    table = pl.DataFrame(dict(user=["1", "2"], item=["3", "4"], rating=["0.5", " 1 "]))
    assert Ratings.from_table(table).table().rows() == [("1", "3", 0.5), ("2", "4", 1.0)]


def test_a_name_given_wins_over_the_usual_ones():
    table = pl.DataFrame(dict(user=["x"], who=["ann"], item=[7], rating=[1.0], score=[4.5]))
    ratings = Ratings.from_table(table, user="who", rating="score")
    assert ratings.table().rows() == [("ann", 7, 4.5)]


def test_the_first_of_two_columns_with_one_usual_name_is_taken():
    table = pl.DataFrame({"User": ["ann"], "user": ["x"], "item": [7], " RATING ": [4.5], "rating": [1.0]})
    assert Ratings.from_table(table).table().rows() == [("ann", 7, 4.5)]


NAT = np.array(["2001-01-01", "NaT"], "datetime64[s]")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(user=[1, "1"]), "^the users mix kinds of values, or are of a kind that cannot be used$"),
        (dict(user=["1", 1]), "^the users mix kinds of values"),
        (dict(user=[2**200, 1]), "^the users mix kinds of values"),
        (dict(user=[[1], [1, 2]]), "^the users mix kinds of values"),
        (
            dict(user=np.array([2**63, 1], np.uint64)),
            "^row 1: the user id is 9223372036854775808, beyond 64 bits$",
        ),
        (dict(user=["a", None]), "^row 2: the user id is missing$"),
        (dict(user=["a", ""]), "^row 2: the user id is missing$"),
        (dict(user=pd.Series(["a", None])), "^row 2: the user id is missing$"),
        (dict(user=[None, None]), "^row 1: the user id is missing$"),
        (dict(user=[1.0, 2.0]), "^user ids must be str or int, not Float64$"),
        (dict(item=[True, False]), "^item ids must be str or int, not Boolean$"),
        (dict(item=[b"a", b"b"]), "^item ids must be str or int, not Binary$"),
        (dict(user=[[1, 2]]), "^user must have one dimension, not 2$"),
        (dict(user="ab"), "^user must have one dimension, not 0$"),
        (dict(user=(k for k in (1, 2))), "^user must have one dimension, not 0$"),
        (dict(user=[1]), r"^the arrays differ in length: \{'user': 1, 'item': 2, 'rating': 2\}$"),
        (dict(user=[], item=[], rating=[]), "^there are no ratings$"),
        (dict(rating=[1.0, np.nan]), "^row 2: the rating is "),
        (dict(rating=[1.0, None]), "^row 2: the rating is missing$"),
        (dict(rating=[1.0, -np.inf]), "^row 2: the rating is -inf, which is not a finite number$"),
        (dict(rating=["1", "x" * 999]), r"^row 2: the rating is 'x{59}, which is not a finite number$"),
        (dict(rating=[True, False]), "^the ratings must be numbers, not Boolean$"),
        (dict(time=[1, None]), "^row 2: the time is missing$"),
        (dict(time=NAT), "^row 2: the time is missing$"),
        (dict(time=[1, 1e30]), "^row 2: the time is 1e[+]30, which is not seconds since 1970$"),
        (dict(time=[-1e19, 1]), "^row 1: the time is -1e[+]19, which is not seconds since 1970$"),
        (dict(time=[True, False]), "^the times must be numbers, not Boolean$"),
    ],
)
def test_what_is_wrong_with_arrays_is_said_in_one_sentence(change, message):
    with pytest.raises(DataError, match=message):
        Ratings.from_arrays(**(dict(user=[1, 2], item=[1, 1], rating=[1.0, 2.0]) | change))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("rating", pl.Series([dt.date(2001, 1, 1)] * 2), "^the ratings must be numbers, not Date$"),
        ("rating", pl.Series([[1], [2]]), r"^the ratings must be numbers, not List\(Int64\)$"),
        ("rating", pl.Series(["5", "no"], dtype=pl.Categorical), "^row 2: the rating is 'no'"),
        ("time", pl.Series([dt.time(1), dt.time(2)]), "^the times must be numbers, not Time$"),
        ("time", pl.Series([dt.timedelta(1)] * 2), "^the times must be numbers, not Duration"),
        (
            "user",
            pl.Series([2**63, 1], dtype=pl.UInt64),
            "^row 1: the user id is 9223372036854775808, beyond 64",
        ),
    ],
)
def test_columns_of_the_wrong_kind_are_refused(column, values, message):
    table = pl.DataFrame(dict(user=["a", "b"], item=["x", "y"], rating=[1.0, 2.0])).with_columns(
        values.alias(column)
    )
    with pytest.raises(DataError, match=message):
        Ratings.from_table(table)


def test_numbers_in_categories_are_read_as_written_not_as_codes():
    table = pl.DataFrame(dict(user=[1, 2], item=[1, 1], rating=pl.Series(["5", "3"], dtype=pl.Categorical)))
    assert Ratings.from_table(table).by_user.data.tolist() == [5.0, 3.0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (COLUMNS, "^builtins.dict is not a table: "),
        (np.zeros((2, 3)), "^numpy.ndarray is not a table: "),
        (None, "^builtins.NoneType is not a table: "),
        (
            pd.DataFrame([[1, 1, 1.0, 2.0]], columns=["user", "item", "rating", "rating"]),
            "^cannot take this pandas",
        ),
        (pd.DataFrame(dict(user=[1, "a"], item=[1, 1], rating=[1, 1])), "^cannot take this pandas"),
        (
            pa.Table.from_arrays([pa.array([1])] * 3, names=["user", "user", "rating"]),
            "^cannot take this pyarrow",
        ),
        (
            pl.DataFrame(dict(user=[1], item=[1])),
            "^no column for rating; the columns are user, item: name the one",
        ),
        (pl.DataFrame(schema=["user", "item", "rating"]), "^there are no ratings$"),
    ],
)
def test_what_is_no_table_of_ratings_is_said_in_one_sentence(table, message):
    with pytest.raises(DataError, match=message) as caught:
        Ratings.from_table(table)
    assert "\n" not in str(caught.value)


def test_a_name_that_no_column_has_is_answered_with_those_there_are():
    with pytest.raises(DataError, match=r"^there is no column 'who'; the columns are user, item, rating$"):
        Ratings.from_table(pl.DataFrame(dict(user=[1], item=[1], rating=[1])), user="who")


def test_names_in_a_message_stay_on_one_line():
    table = pl.DataFrame({"a\nb": [1], "c" * 99: [1]} | {f"x{k}": [1] for k in range(20)})
    shown = ["'a\\\\nb'", "'c{40}'", *(f"x{k}" for k in range(10)), "[.]{3}"]
    with pytest.raises(
        DataError, match=f"^no column for user; the columns are {', '.join(shown)}: name the one"
    ):
        Ratings.from_table(table)
