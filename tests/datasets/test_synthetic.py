import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import overtone as ot
from overtone.datasets import synthetic
from overtone.errors import SettingError


@st.composite
def sizes(draw):
    users, items = draw(st.integers(1, 40)), draw(st.integers(1, 30))
    return users, items, draw(st.integers(users, users * items))


@given(sizes(), st.integers(0, 2**32), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_numbers_asked_for_are_the_numbers_given_as_distinct_pairs_of_whole_stars(shape, seed, dimension):
    users, items, ratings = shape
    table = synthetic(users, items, ratings, seed=seed, dimension=dimension)
    assert (table.n_users, table.n_items, len(table)) == shape
    pairs = table.user_rows.astype(np.int64) * items + table.by_user.indices
    assert (np.diff(pairs) > 0).all()
    assert np.isin(table.by_user.data, [1, 2, 3, 4, 5]).all()
    assert np.diff(table.by_user.indptr).min() >= min(20, ratings // users)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one.by_user, other.by_user, strict=True))


def test_a_seed_means_one_table_and_another_seed_another():
    assert same(synthetic(seed=3), synthetic(seed=3))
    assert not same(synthetic(seed=3), synthetic(seed=4))


def test_ids_are_padded_so_that_their_order_is_that_of_their_numbers():
    table = synthetic(1200, 90, 24_000)
    assert table.users.values[:2].to_list() == ["u0001", "u0002"]
    assert table.users.values[-1] == "u1200"
    assert table.items.values[16] == "i17"
    assert [int(one[1:]) for one in table.items.values] == list(range(1, 91))


def test_every_pair_is_rated_where_all_are_asked_for():
    table = synthetic(7, 5, 35)
    assert np.diff(table.by_user.indptr).tolist() == [5] * 7


def test_activity_is_skewed_above_a_least_of_twenty():
    each = np.diff(synthetic(2000, 800, 120_000).by_user.indptr)
    assert each.min() >= 20
    assert each.mean() > 1.15 * np.median(each)
    assert each.max() > 5 * np.median(each)


def test_popularity_falls_as_in_zipfs_law():
    table = synthetic(2000, 800, 120_000)
    each = np.sort(np.bincount(table.by_user.indices, minlength=800))[::-1]
    rank = np.arange(1, 801)

    def slope(first, last):
        return np.polyfit(np.log(rank[first:last]), np.log(each[first:last]), 1)[0]

    # MovieLens-1M has -0.57 and -2.14 at these shares: drawing without replacement flattens the head.
    assert -1.0 < slope(8, 200) < -0.4
    assert -3.0 < slope(200, 600) < -1.0
    assert each[0] < 0.75 * table.n_users
    assert each[:80].sum() > 0.3 * len(table)


def test_stars_are_spread_as_in_real_tables():
    values = synthetic(2000, 800, 120_000).by_user.data
    share = np.bincount(values.astype(int), minlength=6)[1:] / len(values)
    assert 3.4 < values.mean() < 3.6
    assert share[2:4].sum() > 0.6
    assert (share > 0.02).all()


def test_without_noise_a_table_is_steadier_than_with_much():
    def spread(noise):
        return synthetic(noise=noise).by_user.data.std()

    assert spread(0.0) < spread(0.6) < spread(1.5)


def test_people_who_rate_alike_lie_near_each_other():
    # Shared items beyond what popularity alone would give: shuffle who rated within each item's count.
    table = synthetic(400, 200, 12_000, dimension=1)
    rated = np.zeros((400, 200))
    rated[table.user_rows, table.by_user.indices] = 1.0
    shared = rated @ rated.T
    expected = np.outer(rated.sum(1), rated.sum(1)) * (rated.sum(0) ** 2).sum() / rated.sum() ** 2
    off = ~np.eye(400, dtype=bool)
    assert shared[off].std() > 2.0 * np.sqrt(expected[off].mean())


@pytest.mark.parametrize("seed", [0, 1])
def test_the_bars_of_given_10_stand_in_their_order(seed):
    train, test = ot.given_n(synthetic(2000, 800, 120_000, seed=seed), n=10, seed=seed)
    rankers = [
        ot.rankers.Random(),
        ot.make_ranker("popularity"),
        ot.rankers.ItemMean(),
        ot.rankers.Bias(),
        ot.LDM(nodes="users", strength=1.0),
    ]
    bars = [ot.ndcg(ranker.fit(train), test).mean for ranker in rankers]
    assert (np.diff(bars) > 0.01).all(), bars


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (dict(ratings=999), "ratings must be in 1000..500000 (one or more for each of 1000 users"),
        (dict(ratings=500_001), "not 500001"),
        (dict(users=0), "users must be in 1..2147483647, not 0"),
        (dict(items=-3), "items must be in"),
        (dict(users=2.5), "users must be a whole number"),
        (dict(dimension=0), "dimension must be in 1..64, not 0"),
        (dict(noise=-0.1), "noise must be a finite number at least 0, not -0.1"),
        (dict(seed=-1), "seed must be at least 0, not -1"),
    ],
)
def test_a_setting_out_of_bounds_is_named_with_its_bound(arguments, sentence):
    with pytest.raises(SettingError) as fault:
        synthetic(**arguments)
    assert sentence in str(fault.value)
