import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, strategies as st

from overtone.errors import DataError
from overtone.ratings import Ratings

FINITE = st.floats(-1e9, 1e9)
TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
WHOLE = st.integers(-(2**63), 2**63 - 1)


@st.composite
def tables(draw, values=FINITE, times=False):
    """Rows of distinct (user, item), ids all str or all int on either side."""
    users, items = (
        draw(st.lists(draw(st.sampled_from([TEXT, WHOLE])), min_size=1, max_size=4)) for _ in range(2)
    )
    pairs = draw(st.lists(st.tuples(st.sampled_from(users), st.sampled_from(items)), min_size=1, unique=True))
    columns = [values] + [st.integers(0, 5)] * times
    return [(*pair, *draw(st.tuples(*columns))) for pair in pairs]


def taken(rows):
    return Ratings.from_arrays(*zip(*rows, strict=True))


def bits(rows):
    return sorted((str(user), str(item), struct.pack("<d", value)) for user, item, value, *_ in rows)


@given(tables())
def test_what_goes_in_is_what_stands_there(rows):
    ratings = taken(rows)
    assert bits(ratings.table().rows()) == bits(rows)
    assert len(ratings) == len(rows)
    assert (ratings.n_users, ratings.n_items) == (
        len({row[0] for row in rows}),
        len({row[1] for row in rows}),
    )


@given(tables(times=True), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows, random):
    first, second = taken(rows), taken(random.sample(rows, len(rows)))
    assert first.table().equals(second.table())
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first.by_user, second.by_user, strict=True))


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "CSV", "Parquet"])
@given(rows=tables())
@example(rows=[("a", "b", 0.1), ("a", "c", -9.81), ("b", "b", 1e-300), ("b", "c", 5e-324)])
@example(rows=[("a", "b", -0.0), ("a", "c", 0.0)])
@example(rows=[("a", "b", 1e9), ("a", "c", -1e9)])
@example(rows=[("a", "b", 123456789.125), ("a", "c", 1.0)])
@example(rows=[(2**53, 'say "hi", x\ty', 3.0), (2**53 + 1, "two\nlines\r", -2.0), (-1, " Ж漢🙂 ", 0.0)])
def test_what_is_written_is_read_again_to_the_bit(tmp_path, kind, rows):
    ratings = taken(rows)
    ratings.write(tmp_path / f"r.{kind}")
    again = Ratings.read(tmp_path / f"r.{kind}")
    assert bits(again.table().rows()) == bits(rows)
    if kind.lower() == "parquet":
        assert again.table().equals(ratings.table())
    for known, asked in ((ratings, again), (again, ratings)):
        assert (known.users.rows(asked.users.values) >= 0).all()
        assert (known.items.rows(asked.items.values) >= 0).all()


def test_whole_ratings_are_written_as_whole_numbers(tmp_path):
    Ratings.from_arrays(["b", "a"], [1, 2], [4.0, -1.0]).write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "user,item,rating\na,2,-1\nb,1,4\n"
    Ratings.from_arrays(["b", "a"], [1, 2], [4.0, 0.5]).write(tmp_path / "r.tsv")
    assert (tmp_path / "r.tsv").read_text() == "user\titem\trating\na\t2\t0.5\nb\t1\t4.0\n"


@pytest.mark.parametrize("name", ["r.npz", "r.dat", "r.csv.gz", "r.txt", "r"])
def test_an_ending_that_would_lie_about_what_is_written_is_refused(tmp_path, name):
    with pytest.raises(
        DataError, match=r"^ratings are written as \.csv, \.tsv, \.parquet; \S+ ends on none of these$"
    ):
        Ratings.from_arrays([1], [1], [1]).write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_ratings_are_not_written_over_a_folder(tmp_path):
    with pytest.raises(DataError, match=r"is a folder; give the path of a file to write$"):
        Ratings.from_arrays([1], [1], [1]).write(tmp_path)


def test_rows_are_users_and_columns_are_items_in_the_order_of_their_ids():
    ratings = Ratings.from_arrays([20, 3, 3], ["b", "c", "a"], [1.0, 0.0, -2.0], [7, 8, 9])
    assert ratings.users.values.to_list() == [3, 20]
    assert ratings.items.values.to_list() == ["a", "b", "c"]
    assert ratings.by_user.indptr.tolist() == [0, 2, 3]
    assert ratings.by_user.indices.tolist() == [0, 2, 1]
    assert ratings.by_user.data.tolist() == [-2.0, 0.0, 1.0]
    assert ratings.times.tolist() == [9, 8, 7]
    assert ratings.user_rows.tolist() == [0, 0, 1]


@given(tables(values=st.integers(-5, 5).map(float)))
def test_by_item_holds_the_same_ratings_by_column(rows):
    ratings = taken(rows)
    table = ratings.by_item()
    found = [
        (ratings.users.values[int(table.indices[k])], ratings.items.values[item], table.data[k])
        for item in range(ratings.n_items)
        for k in range(table.indptr[item], table.indptr[item + 1])
    ]
    assert bits(found) == bits(rows)
    assert all(
        (np.diff(table.indices[a:b]) > 0).all() for a, b in zip(table.indptr, table.indptr[1:], strict=False)
    )


@given(tables(times=True), st.data())
def test_kept_ratings_stay_over_the_same_ids_until_they_are_compacted(rows, data):
    ratings = taken(rows)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    kept = ratings.keep(chosen)
    expected = [row for row, keep in zip(ratings.table().rows(), chosen, strict=True) if keep]
    assert kept.table().rows() == expected
    assert kept.users is ratings.users
    assert kept.items is ratings.items
    compact = kept.compact()
    assert compact.table().rows() == expected
    assert compact.users.values.to_list() == sorted({row[0] for row in expected}, key=as_bytes)
    assert compact.items.values.to_list() == sorted({row[1] for row in expected}, key=as_bytes)


def as_bytes(one):
    return one.encode() if isinstance(one, str) else one


def test_a_value_of_zero_or_below_is_a_rating(tmp_path):
    (tmp_path / "r.csv").write_text("user,item,rating\na,x,0\na,y,-3\nb,x,-0.5\n")
    ratings = Ratings.read(tmp_path / "r.csv")
    assert len(ratings) == 3
    assert ratings.by_user.data.tolist() == [0.0, -3.0, -0.5]


def test_text_ids_that_are_ints_in_one_file_match_the_ids_of_another(tmp_path):
    (tmp_path / "all.csv").write_text("user,item,rating\n1,x,1\n2,x,1\nann,x,1\n")
    (tmp_path / "some.csv").write_text("user,item,rating\n2,x,1\n1,x,1\n01,x,2\n")
    (tmp_path / "ints.csv").write_text("user,item,rating\n2,x,1\n1,x,1\n3,x,1\n")
    everybody = Ratings.read(tmp_path / "all.csv").users
    assert everybody.rows(Ratings.read(tmp_path / "ints.csv").users.values).tolist() == [0, 1, -1]
    assert Ratings.read(tmp_path / "ints.csv").users.rows(everybody.values).tolist() == [0, 1, -1]
    assert everybody.rows(Ratings.read(tmp_path / "some.csv").users.values).tolist() == [-1, 0, 1]


def test_single_precision_ratings_are_taken_as_the_decimals_that_they_print():
    ratings = Ratings.from_arrays([1, 2], [1, 1], np.array([0.1, -3.7], np.float32))
    assert ratings.by_user.data.tolist() == [0.1, -3.7]


@pytest.mark.parametrize("rating", [1.1e9, -1e10, 1e300])
def test_a_rating_too_large_for_single_precision_is_refused(rating):
    with pytest.raises(DataError, match=r"row 2: the rating is .*, which is not within 1e\+09 of 0"):
        Ratings.from_arrays([1, 2], [1, 1], [5.0, rating])


def test_the_table_is_one_of_polars_with_the_kinds_that_the_ids_have():
    table = Ratings.from_arrays(["a"], [1], [2], [3]).table()
    assert table.schema == {"user": pl.String, "item": pl.Int64, "rating": pl.Float64, "time": pl.Int64}
