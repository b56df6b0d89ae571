import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from overtone.errors import DataError, SettingError
from overtone.ratings import Ratings

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(-1e6, 1e6), st.integers(0, 9)),
    min_size=1,
    max_size=25,
)

ORDERS = list(permutations([0.1, 0.2, 0.3]))


def taken(rows, rule):
    return Ratings.from_arrays(*zip(*rows, strict=True), duplicates=rule)


@given(ROWS)
def test_the_last_of_repeated_ratings_is_the_one_that_stands_last(rows):
    expected = {(user, item): (value, time) for user, item, value, time in rows}
    assert {row[:2]: row[2:] for row in taken(rows, "last").table().rows()} == expected


@given(ROWS)
def test_the_mean_of_repeated_ratings_is_their_mean_at_their_newest_time(rows):
    table = taken(rows, "mean").table()
    assert len(table) == len({row[:2] for row in rows})
    for user, item, value, time in table.rows():
        own = [row for row in rows if row[:2] == (user, item)]
        assert math.isclose(value, math.fsum(row[2] for row in own) / len(own), rel_tol=1e-9, abs_tol=1e-6)
        assert time == max(row[3] for row in own)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_mean_has_the_same_bytes_in_any_order_of_the_rows(rows, random):
    shuffled = random.sample(rows, len(rows))
    first, second = taken(rows, "mean"), taken(shuffled, "mean")
    assert first.by_user.data.tobytes() == second.by_user.data.tobytes()
    assert first.times.tobytes() == second.times.tobytes()


def test_the_mean_of_three_has_the_same_bytes_in_any_order_though_their_sum_has_not():
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    means = {float(taken([(1, 1, value, 0) for value in order], "mean").by_user.data[0]) for order in ORDERS}
    assert len(means) == 1
    assert math.isclose(means.pop(), 0.2)


@given(ROWS)
def test_an_error_is_raised_just_where_something_repeats(rows):
    repeats = len(rows) - len({row[:2] for row in rows})
    if repeats:
        with pytest.raises(DataError, match=rf"^{repeats} ratings repeat an earlier user and item: "):
            taken(rows, "error")
    else:
        assert len(taken(rows, "error")) == len(rows)


def test_some_of_the_repeats_are_shown_with_their_rows():
    with pytest.raises(DataError) as caught:
        Ratings.from_arrays(list("baaaa"), ["x", "y", "y", "z", "y"], [1, 2, 3, 4, 5])
    assert str(caught.value) == (
        "2 ratings repeat an earlier user and item: user 'a' and item 'y' in rows 2 and 3; "
        "user 'a' and item 'y' in rows 3 and 5; ask for duplicates 'last' or 'mean' to settle them"
    )


def test_not_all_of_many_repeats_are_shown():
    with pytest.raises(DataError, match=r"^9 ratings repeat .*; \.\.\.; ask for") as caught:
        Ratings.from_arrays([1] * 10, [2] * 10, np.arange(10))
    assert str(caught.value).count("user 1 and item 2") == 3


def test_another_rule_is_refused():
    with pytest.raises(SettingError, match=r"^duplicates must be one of error, last, mean, not 'first'$"):
        Ratings.from_arrays([1], [1], [1], duplicates="first")
