import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from overtone.errors import DataError, SettingError
from overtone.ratings import Ratings
from overtone.splits import MARGIN, by_time, given_n, holdout

SPLITS = {
    "given_n": lambda ratings, seed=0: given_n(ratings, 3, seed=seed),
    "holdout": lambda ratings, seed=0: holdout(ratings, fraction=0.3, seed=seed),
    "by_time": lambda ratings, seed=0: by_time(ratings, fraction=0.3, seed=seed),
}


@st.composite
def ratings_tables(draw):
    """Users with very few to many ratings, at times that tie often."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_users, n_items = draw(st.integers(2, 8)), draw(st.integers(14, 25))
    counts = [n_items - 1, n_items, *rng.integers(1, n_items + 1, n_users - 2)]
    user = np.repeat(rng.permutation(n_users) * 7, counts)
    item = np.concatenate([rng.permutation(n_items)[:count] for count in counts])
    clock = draw(st.integers(1, 30))
    return Ratings.from_arrays(user, item, rng.integers(-2, 6, len(user)), rng.integers(0, clock, len(user)))


def pairs(ratings):
    return set(ratings.table().select("user", "item").rows())


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
@given(ratings=ratings_tables(), seed=st.integers(0, 5))
def test_every_rating_of_a_kept_user_is_on_one_side_as_it_was(split, ratings, seed):
    found = split(ratings, seed)
    train, test = found
    kept = set(train.users.values)
    expected = ratings.table().filter(pl.col("user").is_in(kept)).sort("user", "item")
    assert pl.concat([train.table(), test.table()]).sort("user", "item").equals(expected)
    assert not pairs(train) & pairs(test)
    assert found.dropped_users == ratings.n_users - len(kept)
    assert found.dropped_ratings == len(ratings) - len(expected)
    assert train.users is test.users
    assert train.items is test.items
    assert train.items.values.to_list() == sorted(set(expected["item"]))


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
@given(ratings=ratings_tables(), seed=st.integers(0, 5), random=st.randoms(use_true_random=False))
def test_a_split_depends_on_its_seed_and_not_on_the_order_of_the_rows(split, ratings, seed, random):
    rows = ratings.table().rows()
    shuffled = Ratings.from_arrays(*zip(*random.sample(rows, len(rows)), strict=True))
    for first, second in zip(split(ratings, seed), split(shuffled, seed), strict=True):
        assert first.table().equals(second.table())


def whole_table(n_users=40, n_items=30, clock=1):
    user, item = np.divmod(np.arange(n_users * n_items), n_items)
    return Ratings.from_arrays(user, item, np.ones(len(user)), np.arange(len(user)) % clock)


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
def test_another_seed_gives_another_split(split):
    ratings = whole_table()
    assert pairs(split(ratings, 0).train) != pairs(split(ratings, 1).train)


@given(ratings_tables(), st.integers(1, 6))
def test_given_n_trains_on_n_ratings_of_each_user_with_ten_more(ratings, n):
    each = dict(ratings.table()["user"].value_counts().rows())
    enough = {user for user, count in each.items() if count >= n + MARGIN}
    if not enough:
        with pytest.raises(
            DataError, match=rf"^given-{n} needs users with at least {n + 10} ratings; the most"
        ):
            given_n(ratings, n)
        return
    train, test = given_n(ratings, n)
    assert dict(train.table()["user"].value_counts().rows()) == dict.fromkeys(enough, n)
    assert dict(test.table()["user"].value_counts().rows()) == {user: each[user] - n for user in enough}


def test_given_n_keeps_a_user_with_n_and_ten_ratings_and_drops_one_with_fewer():
    user = np.repeat([1, 2], [14, 15])
    item = np.concatenate([np.arange(14), np.arange(100, 115)])
    split = given_n(Ratings.from_arrays(user, item, np.ones(29)), 5)
    assert split.train.users.values.to_list() == [2]
    assert split.train.items.values.to_list() == list(range(100, 115))
    assert (split.dropped_users, split.dropped_ratings) == (1, 14)


def test_given_n_draws_every_rating_equally_often():
    ratings = whole_table(n_users=1, n_items=20)
    drawn = np.concatenate([given_n(ratings, 5, seed=seed).train.by_user.indices for seed in range(400)])
    # 100 expected of each, with a standard deviation below 9.
    assert np.abs(np.bincount(drawn, minlength=20) - 100).max() < 45


def test_given_n_draws_for_each_user_apart():
    train = given_n(whole_table(n_users=2, n_items=20), 5).train
    first, second = (set(train.table().filter(pl.col("user") == user)["item"]) for user in (0, 1))
    assert first != second


def test_given_n_says_how_many_ratings_it_needs_and_how_many_there_are():
    with pytest.raises(
        DataError, match=r"^given-50 needs users with at least 60 ratings; the most that one has is 30$"
    ):
        given_n(whole_table(), 50)


@given(ratings_tables(), st.floats(0.05, 0.9), st.integers(0, 3))
def test_no_training_rating_is_newer_than_a_test_one(ratings, fraction, seed):
    try:
        train, test = by_time(ratings, fraction=fraction, seed=seed)
    except DataError as error:
        assert str(error).startswith("no rating is left for the ")  # noqa: PT017 - some draws are too small to split
        return
    assert train.times.max() <= test.times.min()
    assert set(test.table()["user"]) <= set(train.table()["user"])


@given(st.floats(0.05, 0.95), st.integers(1, 40))
def test_by_time_tests_on_the_fraction_asked_where_nobody_is_dropped(fraction, clock):
    item = np.arange(60)
    ratings = Ratings.from_arrays(np.zeros(60, int), item, np.ones(60), np.arange(60) % clock)
    assert len(by_time(ratings, fraction=fraction).test) == round(60 * fraction)


def test_by_time_divides_the_second_of_the_cut_at_random():
    ratings = Ratings.from_arrays(np.zeros(30, int), np.arange(30), np.ones(30), np.repeat([1, 2, 3], 10))
    sides = [by_time(ratings, fraction=0.5, seed=seed) for seed in range(20)]
    assert all(len(side.test) == 15 and set(side.test.table()["time"]) == {2, 3} for side in sides)
    assert len({frozenset(side.test.table()["item"]) for side in sides}) > 10


def test_by_time_drops_a_user_of_whom_nothing_is_known_at_the_cut():
    ratings = Ratings.from_arrays(["old", "old", "old", "new"], list("abcd"), [1, 2, 3, 4], [1, 2, 8, 9])
    split = by_time(ratings, fraction=0.5)
    assert split.train.table().rows() == [("old", "a", 1.0, 1), ("old", "b", 2.0, 2)]
    assert split.test.table().rows() == [("old", "c", 3.0, 8)]
    assert (split.dropped_users, split.dropped_ratings) == (1, 1)


def test_by_time_without_times_says_so():
    with pytest.raises(DataError, match=r"^a split by time needs times; these ratings have none$"):
        by_time(Ratings.from_arrays([1, 1], [1, 2], [1, 2]))


@given(ratings_tables(), st.floats(0.01, 0.99), st.integers(0, 3))
def test_holdout_leaves_every_user_a_rating_to_learn_from(ratings, fraction, seed):
    try:
        train, _ = holdout(ratings, fraction=fraction, seed=seed)
    except DataError as error:
        assert str(error).startswith("no rating is left for the test side")  # noqa: PT017 - a small fraction of few
        return
    assert set(train.table()["user"]) == set(ratings.table()["user"])


def test_holdout_tests_on_the_fraction_asked():
    ratings = whole_table(n_users=200, n_items=50)
    for fraction in (0.1, 0.5):
        assert abs(len(holdout(ratings, fraction=fraction).test) / len(ratings) - fraction) < 0.02


def test_a_split_that_leaves_a_side_empty_is_refused():
    with pytest.raises(DataError, match=r"^no rating is left for the test side; there are 3 in all$"):
        holdout(Ratings.from_arrays([1, 2, 3], [1, 1, 1], [1, 1, 1]))
    with pytest.raises(DataError, match=r"^no rating is left for the test side; there are 2 in all$"):
        by_time(Ratings.from_arrays([1, 1, 2], [1, 2, 1], [1, 1, 1], [1, 2, 3]), fraction=0.4)


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", None, True])
def test_given_n_wants_a_count(n):
    with pytest.raises(SettingError, match=r"^n must be "):
        given_n(whole_table(), n)


@pytest.mark.parametrize("split", [holdout, by_time])
@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), "0.2", None, True])
def test_a_fraction_lies_between_0_and_1(split, fraction):
    with pytest.raises(SettingError, match=r"^fraction must be "):
        split(whole_table(), fraction=fraction)


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
@pytest.mark.parametrize("seed", [-1, 1.5, None, "7"])
def test_a_seed_is_a_whole_number(split, seed):
    with pytest.raises(SettingError, match=r"^seed must be "):
        split(whole_table(), seed)
