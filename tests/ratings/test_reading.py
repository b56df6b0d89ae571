import gzip
import zlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from overtone.errors import DataError
from overtone.ratings import Ratings

ROWS = [("ann", 7, 4.5, 100), ("ann", 9, -1.0, 50), ("bob", 7, 0.0, 75)]
COLUMNS = dict(zip(("user", "item", "rating", "time"), map(list, zip(*ROWS, strict=True)), strict=True))


def lines(separator, header=("user", "item", "rating", "time")):
    table = [header, *ROWS] if header else ROWS
    return "".join(separator.join(map(str, row)) + "\n" for row in table).encode()


def as_npz(path):
    np.savez(
        path, user=COLUMNS["user"], item=COLUMNS["item"], rating=COLUMNS["rating"], timestamp=COLUMNS["time"]
    )


def as_coded_npz(path):
    """Rows in place of ids, the ids beside them: the form in which arrays of ratings are often kept."""
    np.savez_compressed(
        path,
        user=np.array([0, 0, 2], np.int16),
        item=np.array([1, 0, 1], np.uint8),
        rating=np.array([4.5, -1.0, 0.0], np.float32),
        user_id=np.array(["ann", "nobody", "bob"]),
        item_id=np.array([9, 7]),
        timestamp=np.array([100, 50, 75], np.int32),
    )


WRITERS = {
    "r.csv": lambda path: path.write_bytes(lines(",")),
    "R.CSV": lambda path: path.write_bytes(lines(",")),
    "r.tsv": lambda path: path.write_bytes(lines("\t")),
    "r.dat": lambda path: path.write_bytes(lines("::")),
    "r.csv.gz": lambda path: path.write_bytes(gzip.compress(lines(","))),
    "r.tsv.gz": lambda path: path.write_bytes(gzip.compress(lines("\t"))),
    "r.dat.gz": lambda path: path.write_bytes(gzip.compress(lines("::"))),
    "headerless.csv": lambda path: path.write_bytes(lines(",", None)),
    "headerless.dat": lambda path: path.write_bytes(lines("::", None)),
    "u.data": lambda path: path.write_bytes(lines("\t", None)),
    "windows.csv": lambda path: path.write_bytes(b"\xef\xbb\xbf" + lines(",").replace(b"\n", b"\r\n")),
    "unended.csv": lambda path: path.write_bytes(lines(",").rstrip()),
    "blank-end.csv": lambda path: path.write_bytes(lines(",") + b"\n\r\n\n"),
    "r.parquet": lambda path: pl.DataFrame(COLUMNS).write_parquet(path),
    "r.npz": as_npz,
    "coded.npz": as_coded_npz,
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_ratings_are_read_from_every_kind_of_file(tmp_path, name):
    WRITERS[name](tmp_path / name)
    ratings = Ratings.read(tmp_path / name)
    assert ratings.table().rows() == ROWS
    assert ratings.table().columns == ["user", "item", "rating", "time"]


@pytest.mark.parametrize(
    "header", ["UserID,MovieID,Rating,Timestamp", " user , item,stars ,ts", "u,i,r,date"]
)
def test_columns_are_found_by_their_usual_names(tmp_path, header):
    (tmp_path / "r.csv").write_bytes(header.encode() + b"\n" + lines(",", None))
    assert Ratings.read(tmp_path / "r.csv").table().rows() == ROWS


def test_columns_can_be_named_and_others_may_stand_beside_them(tmp_path):
    (tmp_path / "r.csv").write_text("who,what,title,points,user,when\nann,7,T,4.5,x,100\n")
    ratings = Ratings.read(tmp_path / "r.csv", user="who", item="what", rating="points", time="when")
    assert ratings.table().rows() == [("ann", 7, 4.5, 100)]


def test_a_headerless_file_may_have_more_than_four_columns(tmp_path):
    (tmp_path / "r.csv").write_text("ann,7,4.5,100,x,y\nbob,7,1,75,x,y\n")
    assert Ratings.read(tmp_path / "r.csv").table().rows() == [("ann", 7, 4.5, 100), ("bob", 7, 1.0, 75)]


def test_quoted_ids_keep_their_commas_newlines_quotes_and_spaces(tmp_path):
    (tmp_path / "r.csv").write_text('user,item,rating\n"a,b","c\nd",1\n"say ""hi"""," e ",2\nЖ漢🙂,x y,3\n')
    assert Ratings.read(tmp_path / "r.csv").table().rows() == [
        ("a,b", "c\nd", 1.0),
        ('say "hi"', " e ", 2.0),
        ("Ж漢🙂", "x y", 3.0),
    ]


def test_a_quotation_mark_is_a_letter_in_a_dat_file(tmp_path):
    (tmp_path / "r.dat").write_text('"a::b"c::5\nd::"::4\n')
    assert Ratings.read(tmp_path / "r.dat").table().rows() == [('"a', 'b"c', 5.0), ("d", '"', 4.0)]


def test_texts_stay_texts_unless_all_of_them_are_ints_to_the_letter(tmp_path):
    (tmp_path / "r.csv").write_text("user,item,rating\n007,1,5\n8,2,4\n")
    assert Ratings.read(tmp_path / "r.csv").table().rows() == [("007", 1, 5.0), ("8", 2, 4.0)]


@pytest.mark.parametrize("write", ["parquet", "npz"])
def test_texts_of_a_typed_file_stay_texts_even_where_all_are_ints(tmp_path, write):
    columns = dict(user=["1", "2"], item=["10", "11"], rating=[1.0, 2.0])
    if write == "parquet":
        pl.DataFrame(columns).write_parquet(tmp_path / "r.parquet")
    else:
        np.savez(tmp_path / "r.npz", **columns)
    assert Ratings.read(tmp_path / f"r.{write}").table().rows() == [("1", "10", 1.0), ("2", "11", 2.0)]


def test_ids_beyond_the_floats_stay_apart(tmp_path):
    (tmp_path / "r.csv").write_text(f"user,item,rating\n{2**53},{2**63 - 1},1\n{2**53 + 1},{2**63 - 1},2\n")
    assert Ratings.read(tmp_path / "r.csv").table().rows() == [
        (2**53, 2**63 - 1, 1.0),
        (2**53 + 1, 2**63 - 1, 2.0),
    ]


@pytest.mark.parametrize(
    "name", ["r[1].csv", "r*.csv", "100%.csv", "~.csv", "two words.csv", "é.parquet", "r[1].parquet"]
)
def test_a_path_is_a_path_and_no_pattern(tmp_path, name):
    WRITERS["r.parquet" if name.endswith("parquet") else "r.csv"](tmp_path / name)
    (tmp_path / "r-other.csv").write_text("user,item,rating\nzoe,1,1\n")
    assert Ratings.read(tmp_path / name).table().rows() == ROWS


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("978300760", 978300760),
        ("978300760.9", 978300760),
        ("-0.5", -1),
        ("1970-01-02", 86400),
        ("2000-12-31 22:12:40", 978300760),
        ("2000-12-31T22:12:40Z", 978300760),
        ("2001-01-01T00:12:40+02:00", 978300760),
        ("2000-12-31 22:12:40.75", 978300760),
        ("1969-12-31 23:59:59", -1),
    ],
)
def test_times_are_seconds_or_iso_dates(tmp_path, text, seconds):
    (tmp_path / "r.csv").write_text(f"user,item,rating,date\na,b,1,{text}\n")
    assert Ratings.read(tmp_path / "r.csv").times.tolist() == [seconds]


@pytest.mark.parametrize("text", ["01/02/2020", "yesterday", "2020-13-01", "1e30", "nan", "", "12:30"])
def test_a_time_that_could_be_read_two_ways_or_none_is_refused(tmp_path, text):
    (tmp_path / "r.csv").write_text(f"user,item,rating,date\na,b,1,2020-01-01\na,c,1,{text}\n")
    with pytest.raises(DataError, match=r"r\.csv: row 2: the time is "):
        Ratings.read(tmp_path / "r.csv")
    (tmp_path / "r.csv").write_text(f"user,item,rating,date\na,b,1,5\na,c,1,{text}\n")
    with pytest.raises(DataError, match=r"r\.csv: row [12]: the time is "):
        Ratings.read(tmp_path / "r.csv")


HEAD = "user,item,rating\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"r\.csv is empty"),
        ("\n\n", r"r\.csv is empty"),
        ("\ufeff", r"r\.csv is empty"),
        (HEAD, r"r\.csv: there are no ratings"),
        (HEAD.rstrip(), r"r\.csv: there are no ratings"),
        (
            "user,rating\na,1\n",
            r"r\.csv: no column for item; the columns are user, rating: name the one that holds it",
        ),
        ("user;item;rating\na;b;1\n", r"r\.csv: no column for user; the columns are user;item;rating"),
        ("user,user,rating\na,b,1\n", r"r\.csv: two columns have the same name: user, user, rating"),
        (HEAD + "a,b,1\n,c,2\n", r"r\.csv: row 2: the user id is missing"),
        (HEAD + 'a,b,1\na,"",2\n', r"r\.csv: row 2: the item id is missing"),
        (HEAD + "a,b,1\na,c,\n", r"r\.csv: row 2: the rating is missing"),
        (HEAD + "a,b,1\na,c\n", r"r\.csv: row 2: the rating is missing"),
        (HEAD + "a,b,1\n\na,c,2\n", r"r\.csv: row 2: the user id is missing"),
        (HEAD + "a,b,good\n", r"r\.csv: row 1: the rating is 'good', which is not a finite number"),
        (HEAD + "a,b,1\na,c,nan\n", r"r\.csv: row 2: the rating is 'nan', which is not a finite number"),
        (HEAD + "a,b,1\na,c,-inf\n", r"r\.csv: row 2: the rating is '-inf', which is not a finite number"),
        (HEAD + "a,b,1e999\n", r"r\.csv: row 1: the rating is '1e999', which is not a finite number"),
        (
            HEAD + "a,b,1\na,c,2,3\n",
            r"r\.csv: line 3 has 4 fields where the first has 3",
        ),
        ("a,b,1\na,c,2,3,4\n", r"r\.csv: line 2 has 5 fields where the first has 3"),
        (HEAD + '"a,b,1\n', r"r\.csv: "),
        (
            HEAD + "a,b,1\na,b,2\n",
            r"r\.csv: 1 ratings repeat an earlier user and item: user 'a' and item 'b' in rows 1 and 2",
        ),
    ],
)
def test_what_is_wrong_with_a_text_file_is_said_in_one_sentence(tmp_path, text, message):
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        Ratings.read(tmp_path / "r.csv")
    assert_one_sentence(caught.value, tmp_path / "r.csv")


@pytest.mark.parametrize(
    "name", ["r.csv", "r.csv.gz", "r.tsv", "r.data", "r.dat", "r.parquet", "r.npz", "r.xlsx", "r"]
)
def test_a_missing_file_and_a_folder_are_called_what_they_are(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(DataError, match=r"^there is no file .*") as caught:
        Ratings.read(path)
    assert_one_sentence(caught.value, path)
    path.mkdir()
    with pytest.raises(
        DataError, match=r"^cannot read .*: it is a folder; give the path of a file$"
    ) as caught:
        Ratings.read(path)
    assert_one_sentence(caught.value, path)


@pytest.mark.parametrize("name", ["r.xlsx", "r", "r.json", "r.gz"])
def test_an_unknown_ending_is_answered_with_the_known_ones(tmp_path, name):
    (tmp_path / name).write_bytes(lines(","))
    with pytest.raises(
        DataError, match=r"its ending does not say what it holds; these are read: \.csv, "
    ) as caught:
        Ratings.read(tmp_path / name)
    assert_one_sentence(caught.value, tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", lines(",").decode().replace("ann", "é").encode("latin1")),
        ("r.csv", lines(",").decode().encode("utf-16")),
        ("r.csv.gz", b"hello"),
        ("r.csv.gz", b""),
        ("r.parquet", b"hello"),
        ("r.parquet", b""),
        ("r.npz", b"hello"),
        ("r.npz", b""),
        ("r.dat", b""),
        ("r.dat", b"\n"),
        ("r.dat.gz", gzip.compress(b"")),
        ("r.csv", b"a\nb,c" * 500),
        ("r.csv", b'"a\nb",c,d,e\n'),
    ],
)
def test_a_file_that_is_not_what_its_ending_says_is_one_sentence(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        Ratings.read(tmp_path / name)
    assert_one_sentence(caught.value, tmp_path / name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(rating=None), "there is no array rating among "),
        (dict(rating=[1.0]), "the arrays differ in length: "),
        (dict(timestamp=[1]), "the arrays differ in length: "),
        (dict(rating=[1.0, np.nan]), "row 2: the rating is nan, which is not a finite number"),
        (dict(user=0), "user must have one dimension, not 0"),
        (dict(user=[[0, 1]]), "user must have one dimension, not 2"),
        (dict(user=[0, 2]), r"row 2: user is 2, but user_id has rows 0\.\.1"),
        (dict(user=[0, -1]), r"row 2: user is -1, but user_id has rows 0\.\.1"),
        (dict(user=[0.0, 1.0]), "user must hold whole numbers, the rows of user_id"),
        (dict(user=np.array([0, "a"], object)), "Object arrays cannot be loaded"),
        (dict(user=[], item=[], rating=[], user_id=None), "there are no ratings"),
    ],
)
def test_what_is_wrong_with_arrays_is_said_in_one_sentence(tmp_path, change, message):
    arrays = dict(user=[0, 1], item=[5, 5], rating=[1.0, 2.0], user_id=["ann", "bob"]) | change
    np.savez(tmp_path / "r.npz", **{name: values for name, values in arrays.items() if values is not None})
    with pytest.raises(DataError, match=message) as caught:
        Ratings.read(tmp_path / "r.npz")
    assert_one_sentence(caught.value, tmp_path / "r.npz")


def test_a_lone_array_is_no_archive(tmp_path):
    with (tmp_path / "r.npz").open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(DataError, match=r"it is not an npz archive"):
        Ratings.read(tmp_path / "r.npz")


@pytest.mark.parametrize("name", ["r.csv.gz", "coded.npz", "r.npz"])
@given(data=st.data())
def test_a_damaged_archive_gives_the_same_ratings_or_an_error_never_others(tmp_path, name, data):
    WRITERS[name](tmp_path / name)
    whole = bytearray((tmp_path / name).read_bytes())
    if data.draw(st.booleans(), label="cut"):
        del whole[data.draw(st.integers(0, len(whole) - 1)) :]
    else:
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    (tmp_path / name).write_bytes(whole)
    try:
        ratings = Ratings.read(tmp_path / name)
    except DataError as error:
        assert_one_sentence(error, tmp_path / name)
    else:
        # The names of an archive's members are not under its sums: an optional one may go missing.
        assert sorted(ratings.by_user.data) == [-1.0, 0.0, 4.5]


@given(st.data())
def test_a_parquet_file_that_was_cut_short_is_refused(tmp_path, data):
    # Cut, not changed: Parquet has no sums, and on some changed bytes polars takes the whole process down.
    WRITERS["r.parquet"](tmp_path / "r.parquet")
    whole = (tmp_path / "r.parquet").read_bytes()
    (tmp_path / "r.parquet").write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(DataError) as caught:
        Ratings.read(tmp_path / "r.parquet")
    assert_one_sentence(caught.value, tmp_path / "r.parquet")


def test_an_assertion_that_fails_inside_polars_is_a_damaged_file(tmp_path, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value")

    WRITERS["r.parquet"](tmp_path / "r.parquet")
    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(DataError, match=r"^cannot read \S+r\.parquet: it is damaged$"):
        Ratings.read(tmp_path / "r.parquet")


def test_a_gzip_whose_sum_is_wrong_is_refused(tmp_path):
    packed = bytearray(gzip.compress(lines(","), compresslevel=0))
    at = packed.index(b"4.5")
    packed[at : at + 3] = b"1.5"
    assert zlib.decompress(packed[10:-8], wbits=-15).count(b"1.5") == 1
    (tmp_path / "r.csv.gz").write_bytes(packed)
    with pytest.raises(DataError, match=r"CRC check failed"):
        Ratings.read(tmp_path / "r.csv.gz")


def assert_one_sentence(error, path):
    text = str(error)
    assert "\n" not in text
    assert text.count(str(path)) == 1
    assert len(text) < len(str(path)) + 300
