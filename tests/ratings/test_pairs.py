import polars as pl
import pytest

from overtone.errors import DataError
from overtone.ratings import read_pairs


def test_pairs_keep_their_order_and_their_repeats(tmp_path):
    (tmp_path / "p.csv").write_text("item,user\n7,bob\n9,ann\n7,bob\n")
    pairs = read_pairs(tmp_path / "p.csv")
    assert pairs.columns == ["user", "item"]
    assert pairs.rows() == [("bob", 7), ("ann", 9), ("bob", 7)]


def test_columns_of_pairs_can_be_named(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\nx,1\n")
    assert read_pairs(tmp_path / "p.csv", user="a", item="b").rows() == [("x", 1)]


def test_a_file_of_ratings_holds_pairs(tmp_path):
    (tmp_path / "r.dat").write_text("1::1193::5::978300760\n1::661::3::978302109\n")
    assert read_pairs(tmp_path / "r.dat").rows() == [(1, 1193), (1, 661)]


def test_texts_of_a_typed_file_stay_texts(tmp_path):
    pl.DataFrame(dict(user=["1"], item=["007"])).write_parquet(tmp_path / "p.parquet")
    assert read_pairs(tmp_path / "p.parquet").rows() == [("1", "007")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user,item\na,b\na,\n", r"p\.csv: row 2: the item id is missing$"),
        (
            "user,thing\na,b\n",
            r"p\.csv: no column for item; .* user, thing: name the one that holds it, as item=NAME or --",
        ),
        ("", r"p\.csv is empty$"),
    ],
)
def test_what_is_wrong_with_pairs_names_the_file_once(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_pairs(tmp_path / "p.csv")
    assert str(caught.value).count("p.csv") == 1


def test_a_missing_file_of_pairs_is_named_once(tmp_path):
    with pytest.raises(DataError, match=r"^there is no file \S*p\.csv$"):
        read_pairs(tmp_path / "p.csv")
