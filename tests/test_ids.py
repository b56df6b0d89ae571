import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from overtone.errors import DataError, UnknownIdError
from overtone.ids import Ids, id_column, is_canonical_integer, narrow

WHOLE = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


def ids_of(values):
    return Ids.of(pl.Series(values), "user")


@given(st.one_of(st.lists(WHOLE, min_size=1), st.lists(TEXT, min_size=1)))
def test_an_id_leads_to_its_row_and_the_row_back_to_the_id(values):
    ids = ids_of(values)
    assert ids.values.to_list() == sorted(
        set(values), key=lambda one: one.encode() if isinstance(one, str) else one
    )
    rows = ids.rows(pl.Series(values))
    assert ids.take(rows).to_list() == values
    assert [ids.row(one) for one in values] == rows.tolist() == ids.rows_of(values).tolist()


@given(st.lists(TEXT, min_size=1), st.lists(TEXT))
def test_what_is_not_an_id_has_row_minus_one(known, asked):
    ids = ids_of(known)
    found = ids.rows(pl.Series(asked, dtype=pl.String))
    assert [row >= 0 for row in found] == [one in known for one in asked] == [one in ids for one in asked]


@given(st.lists(st.integers(-5, 20), min_size=1), st.lists(st.integers(-5, 20), min_size=1))
def test_ids_that_are_texts_of_ints_are_found_by_ints_and_the_other_way_round(known, asked):
    numbers, texts = ids_of(known), ids_of([str(one) for one in known])
    expected = [one in known for one in asked]
    assert (texts.rows(pl.Series(asked)) >= 0).tolist() == expected
    assert (numbers.rows(pl.Series([str(one) for one in asked])) >= 0).tolist() == expected


@pytest.mark.parametrize("asked", ["007", "+7", " 7", "7.0", "7e0", "٧", ""])
def test_a_text_that_reads_otherwise_is_not_the_int(asked):
    assert ids_of([7]).rows(pl.Series([asked, "7"])).tolist() == [-1, 0]
    assert ids_of([7]).parse(asked) == asked


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int32, pl.UInt16, pl.UInt64, pl.Int64])
def test_ints_of_any_width_are_the_same_ids(dtype):
    asked = pl.Series([3, 7, 9], dtype=dtype)
    assert ids_of([7, 9]).rows(asked).tolist() == [-1, 0, 1]
    assert ids_of(["7", "9"]).rows(asked).tolist() == [-1, 0, 1]


def test_a_float_is_no_int_even_where_it_would_round_to_one():
    assert ids_of([1, 2]).rows(pl.Series([1.5, 2.5])).tolist() == [-1, -1]


def test_a_missing_id_and_an_empty_question_are_answered():
    assert ids_of(["a"]).rows(pl.Series([None, "a"])).tolist() == [-1, 0]
    assert ids_of([1]).rows(pl.Series([None, 1])).tolist() == [-1, 0]
    assert ids_of([1]).rows(pl.Series([])).tolist() == []
    assert ids_of(["a"]).rows(pl.Series([])).tolist() == []


def test_ints_beyond_the_floats_stay_apart():
    ids = ids_of([2**53, 2**53 + 1, 2**63 - 1])
    assert ids.rows(pl.Series([2**53 + 1, 2**53, 2**63 - 1, 2**63 - 2])).tolist() == [1, 0, 2, -1]
    assert [ids.parse(str(2**53 + 1)), ids.parse(str(2**63 - 1))] == [2**53 + 1, 2**63 - 1]


@given(
    st.one_of(st.integers(-(2**65), 2**65).map(str), st.from_regex(r"-?0{0,2}[0-9]{1,20}", fullmatch=True))
)
def test_what_a_person_types_is_read_as_a_file_is(text):
    assert is_canonical_integer(text) == (narrow(pl.Series([text])).dtype == pl.Int64)
    assert is_canonical_integer(text) == (str(int(text)) == text and -(2**63) <= int(text) < 2**63)


@given(st.lists(st.one_of(st.integers(-99, 99).map(str), TEXT), min_size=1))
def test_texts_become_ints_just_where_nothing_is_lost(texts):
    column = narrow(pl.Series(texts))
    assert column.cast(pl.String).to_list() == texts
    assert (column.dtype == pl.Int64) == all(map(is_canonical_integer, texts))


def test_an_unknown_id_is_named_with_what_comes_close():
    with pytest.raises(
        UnknownIdError, match=r"^unknown user 'anne'; did you mean (anna or annie|annie or anna)\?$"
    ):
        ids_of(["anna", "annie", "zoe"]).row("anne")
    with pytest.raises(UnknownIdError, match=r"^unknown user 'q' among the 3 known$"):
        ids_of(["anna", "annie", "zoe"]).row("q")


def test_an_id_of_the_other_kind_is_told_which_kind_is_here():
    with pytest.raises(UnknownIdError, match=r"^unknown user '7': the user ids here are int, not str$"):
        ids_of([7]).row("7")
    with pytest.raises(UnknownIdError, match=r"^unknown user 7: the user ids here are str, not int$"):
        ids_of(["7"]).row(7)


def test_an_id_of_numpy_is_an_id_like_any_other():
    assert ids_of([7]).row(np.int64(7)) == 0
    assert ids_of(["a"]).row(np.str_("a")) == 0
    with pytest.raises(UnknownIdError, match="did you mean 70"):
        ids_of([70, 71000]).row(np.int64(700))
    with pytest.raises(UnknownIdError, match="did you mean abcd"):
        ids_of(["abcd"]).row(np.str_("abce"))


@pytest.mark.parametrize("asked", [True, 1.0, None, [1], {"user": 1}, b"1"])
def test_what_equals_an_id_or_holds_one_is_not_it(asked):
    for ids in (ids_of([0, 1]), ids_of(["1"])):
        assert asked not in ids
        with pytest.raises(UnknownIdError, match=rf"ids here are (int|str), not {type(asked).__name__}$"):
            ids.row(asked)


def test_ids_that_must_be_known_are_refused_one_by_one():
    with pytest.raises(UnknownIdError, match="unknown item 'c'"):
        Ids.of(pl.Series(["a", "b"]), "item").rows_of(["a", "c"])


@pytest.mark.parametrize("column", [pl.Series([1.5]), pl.Series([True]), pl.Series([b"a"]), pl.Series([[1]])])
def test_only_texts_and_ints_are_ids(column):
    with pytest.raises(DataError, match=r"^user ids must be str or int, not "):
        id_column(column, "user")


@pytest.mark.parametrize(
    "column", [pl.Series(["a", None]), pl.Series([1, None]), pl.Series(["a", None], dtype=pl.Categorical)]
)
def test_a_gap_among_ids_is_shown_by_its_row(column):
    with pytest.raises(DataError, match=r"^row 2: the user id is missing$"):
        id_column(column, "user")


def test_a_column_of_nothing_is_a_gap():
    with pytest.raises(DataError, match=r"^row 1: the user id is missing$"):
        id_column(pl.Series([None, None]), "user")


def test_an_int_beyond_64_bits_is_not_called_missing():
    with pytest.raises(DataError, match=r"^row 2: the item id is 9223372036854775808, beyond 64 bits$"):
        id_column(pl.Series([1, 2**63], dtype=pl.UInt64), "item")


def test_categories_are_the_texts_that_they_stand_for():
    assert id_column(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), "user").to_list() == ["b", "a"]
    assert ids_of(["a", "b"]).rows(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))).tolist() == [1, 0]
