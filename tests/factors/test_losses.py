import numpy as np
import pytest

from overtone.factors.losses import LOSSES, REACH, pull


def written_out(ratings, scores, name):
    """Sum a loss over all pairs by two plain loops."""
    kind, way = name.split("_")
    total, pairs = 0.0, 0
    for i in range(len(ratings)):
        for j in range(len(ratings)):
            if ratings[i] > ratings[j]:
                margin, gap = ratings[i] - ratings[j], scores[i] - scores[j]
                weight, short = (1.0, margin - gap) if way == "add" else (margin, -gap)
                if kind == "hinge":
                    total += weight * max(0.0, short if way == "add" else 1.0 + short)
                else:
                    total += weight * (np.exp(short) if kind == "exp" else np.log1p(np.exp(short)))
                pairs += 1
    return total, pairs


def user(seed, size=9):
    rng = np.random.default_rng(seed)
    return np.sort(rng.integers(1, 6, size)).astype(float), rng.normal(size=size)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_sum_and_pairs_are_those_of_all_pairs(name, seed):
    ratings, scores = user(seed)
    total, pairs = pull(ratings, scores, LOSSES.index(name), np.empty(9))
    expected, count = written_out(ratings, scores, name)
    assert total == pytest.approx(expected, rel=1e-12)
    assert pairs == count


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_the_differences(name, seed):
    ratings, scores = user(seed)
    slopes = np.empty(9)
    pull(ratings, scores, LOSSES.index(name), slopes)
    for place in range(9):
        step = np.zeros(9)
        step[place] = 1e-6
        ahead, behind = (written_out(ratings, scores + sign * step, name)[0] for sign in (1, -1))
        assert slopes[place] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_nobody_without_a_pair_is_pulled(name):
    for size in (0, 1, 4):
        slopes = np.full(size, 7.0)
        total, pairs = pull(np.full(size, 3.0), np.arange(size) * 1.0, LOSSES.index(name), slopes)
        assert (total, pairs) == (0.0, 0)
        assert not slopes.any()


@pytest.mark.parametrize("name", LOSSES)
def test_far_scores_pull_within_bounds(name):
    ratings, scores = np.array([1.0, 2.0, 5.0]), np.array([900.0, -900.0, 0.0])
    slopes = np.empty(3)
    total, _ = pull(ratings, scores, LOSSES.index(name), slopes)
    assert np.isfinite(total)
    assert np.abs(slopes).max() <= 10 * np.exp(2 * REACH)
