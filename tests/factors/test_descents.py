"""RankSVD and LCR: their steps against differences, and when they stop."""

import numpy as np
import pytest

import overtone as ot
from overtone.errors import SettingError
from overtone.factors import lcr, ranksvd
from overtone.factors.anchors import Anchors, nearness, one_round
from overtone.factors.descent import Scale, Slice, Sorted, Step, rounds_that_help
from overtone.factors.losses import LOSSES
from overtone.factors.rows import Factors
from overtone.kernels import Csr
from overtone.parallel import quiet
from tables import random_ratings


@pytest.fixture
def ratings():
    return random_ratings(3, users=12, items=9, each=5)


def sorted_of(ratings):
    return Sorted.of(ratings.by_user, ratings.user_rows)


def mean_losses(found):
    """The sum over users of the mean loss of their pairs."""
    return float((found[0] / np.maximum(found[1], 1)).sum())


def differences(value, array):
    """The gradient by central differences, the array being changed and put back."""
    slopes = np.empty_like(array)
    for place in np.ndindex(array.shape):
        before, found = array[place], []
        for step in (1e-6, -1e-6):
            array[place] = before + step
            found.append(value())
        array[place] = before
        slopes[place] = (found[0] - found[1]) / 2e-6
    return slopes


@pytest.mark.parametrize("loss", range(len(LOSSES)))
def test_a_turn_of_ranksvd_goes_down_the_slope_of_its_user(ratings, loss):
    rng = np.random.default_rng(1)
    whole = sorted_of(ratings)
    end = whole.indptr[1]
    alone = Sorted(np.array([0, end]), whole.items[:end], whole.ratings[:end])
    factors = Factors(rng.random((1, 3)), rng.random((9, 3)))
    moved = Factors(*(side.copy() for side in factors))
    ranksvd.learn(moved, alone, Step(loss, 1.0, 1.0, 0.0))
    for side, after in zip(factors, moved, strict=True):
        slopes = differences(lambda: mean_losses(ranksvd.losses(factors, alone, loss)), side)
        np.testing.assert_allclose(side - after, slopes, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", range(len(LOSSES)))
def test_a_round_of_lcr_goes_down_the_slope_of_all(ratings, loss):
    rng = np.random.default_rng(2)
    local = lcr.Local(rng.random((12, 3, 2)), rng.random((9, 3, 2)), rng.random((12, 3)), rng.random((9, 3)))
    rated = lcr.Rated.of(sorted_of(ratings), local)
    moved = local._replace(users=local.users.copy(), items=local.items.copy())
    lcr.descend(moved, rated, Step(loss, 1.0, 1.0, 0.0), threads=2)
    for name in ("users", "items"):
        side = getattr(local, name)
        slopes = differences(lambda: mean_losses(lcr.losses(local, rated, loss)), side)
        np.testing.assert_allclose(side - getattr(moved, name), slopes, rtol=1e-4, atol=1e-6)


def test_small_rounds_of_lcr_never_raise_the_loss(ratings):
    rng = np.random.default_rng(4)
    local = lcr.Local(rng.random((12, 3, 2)), rng.random((9, 3, 2)), rng.random((12, 3)), rng.random((9, 3)))
    rated = lcr.Rated.of(sorted_of(ratings), local)
    values = []
    for _ in range(200):
        values.append(mean_losses(lcr.losses(local, rated, 0)))
        lcr.descend(local, rated, Step(0, 0.002, 0.002, 0.0), threads=1)
    assert np.all(np.diff(values) < 0.0)


def test_shares_sum_to_one_and_are_alike_where_no_anchor_is_near():
    local = lcr.Local(
        np.zeros((2, 2, 1)),
        np.zeros((2, 2, 1)),
        np.array([[0.3, 0.1], [0.0, 0.5]]),
        np.array([[1.0, 1.0], [0.4, 0.0]]),
    )
    shares = np.empty((3, 2))
    lcr.share(local, np.array([0, 1, 1]), np.array([0, 0, 1]), shares)
    np.testing.assert_allclose(shares, [[0.75, 0.25], [0.0, 1.0], [0.5, 0.5]])


def test_nearness_is_one_kernel_of_the_angle():
    vectors = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0], [0.0, 0.0]])
    # Angles of 0, 45 and 90 degrees to the anchor are 0, 1/2 and 1 from it; the zero vector has no angle: 90.
    np.testing.assert_allclose(
        nearness(vectors, np.array([[5.0, 0.0]]), 0.8)[:, 0], [0.75, 0.75 * (1 - (0.5 / 0.8) ** 2), 0.0, 0.0]
    )


def test_the_global_factorisation_descends_and_places_somebody_new_near_the_same_known_user():
    table = random_ratings(8, users=200, items=40, each=18).by_user
    anchors = Anchors.of(table, 40, rank=3, models=4, seed=0)
    missed = one_round(table, anchors.users.copy(), anchors.items.copy())
    assert missed < np.abs(table.data).mean() / 2
    assert anchors.user_anchors.shape == anchors.item_anchors.shape == (4, 3)
    cosines = []
    for user in range(200):
        span = slice(table.indptr[user], table.indptr[user + 1])
        new = anchors.of_person(Csr(np.array([0, 1]), table.indices[span], table.data[span]))
        cosines.append(new @ anchors.users[user] / np.linalg.norm(new) / np.linalg.norm(anchors.users[user]))
    assert np.median(cosines) > 0.9


def test_a_slice_leaves_everybody_two_and_is_the_same_for_the_same_seed(ratings):
    cut, again = (Slice.of(ratings.by_user, ratings.user_rows, 0.4, 5) for _ in range(2))
    each, kept = np.diff(cut.whole.indptr), np.diff(cut.kept.indptr)
    assert np.all(kept >= np.minimum(each, 2))
    assert kept.sum() < each.sum()
    np.testing.assert_array_equal(cut.kept.items, again.kept.items)
    for user in range(12):
        assert np.all(np.diff(cut.whole.ratings[cut.whole.indptr[user] : cut.whole.indptr[user + 1]]) >= 0)


def test_rounds_stop_when_the_watched_loss_rises():
    path = iter([9.0, 7.0, 6.0, 6.1, 1.0])

    def losses(state, rows):
        state["now"] = next(path) if rows == "whole" else state["now"]
        return np.array([[state["now"] if rows == "whole" else 0.0], [2.0 if rows == "whole" else 1.0]])

    ran = rounds_that_help(("whole", "kept"), {}, lambda *_: None, losses, 10, quiet)
    assert ran == 2


def test_scales_are_mapped_to_one_to_five():
    np.testing.assert_allclose(
        Scale.of(np.array([-10.0, 10.0])).put(np.array([-10.0, 0.0, 10.0])), [1.0, 3.0, 5.0]
    )
    assert Scale.of(np.array([2.0, 2.0])).put(np.array([2.0, 7.0])).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("name", ["ranksvd", "lcr"])
def test_ratings_on_another_scale_give_the_same_ranking(name, ratings):
    table = ratings.table()
    other = ot.Ratings.from_arrays(table["user"], table["item"], table["rating"].to_numpy() * 25.0 - 40.0)
    model, same = (ot.make_ranker(name).fit(one) for one in (ratings, other))
    np.testing.assert_allclose(model.score_block(np.arange(12)), same.score_block(np.arange(12)), rtol=1e-4)
    new, scaled = (
        one.recommend(ratings={"i001": 5 * k - b, "i004": 1 * k - b, "i007": 3 * k - b}, n=9)[
            "score"
        ].to_numpy()
        for one, k, b in ((model, 1.0, 0.0), (same, 25.0, 40.0))
    )
    np.testing.assert_allclose(new, scaled, rtol=1e-4)


@pytest.mark.parametrize("name", ["ranksvd", "lcr"])
def test_wrong_settings_are_refused_and_a_rate_beyond_bounds_is_named(name, ratings):
    for settings in (
        {"rank": 0},
        {"loss": "squared"},
        {"rate": 0.0},
        {"rounds": 0},
        {"hold": 1.0},
        {"l2": -1.0},
    ):
        with pytest.raises(SettingError, match=next(iter(settings))):
            ot.make_ranker(name, settings)
    with pytest.raises(SettingError, match="grew beyond all bounds"):
        ot.make_ranker(name, {"rate": 1e9, "hold": 0.0, "rounds": 50}).fit(ratings)
