import numpy as np
import pytest

import oracles
import overtone as ot
from overtone.models.emphasis import Emphasis
from overtone.models.item_prior import DOUBT, ItemPrior
from tables import random_ratings


def test_the_prior_is_a_line_in_the_log_count_plus_what_the_neighbours_leave():
    ratings = random_ratings(1, users=25, items=12, each=4)
    prior, damping = ItemPrior.of(ratings), 3.0
    totals = np.random.default_rng(0).normal(size=12) * prior.counts
    overlap = oracles.overlaps(ratings.by_item(), ratings.n_users)
    np.fill_diagonal(overlap, 0.0)
    share = overlap / overlap.sum(axis=1, keepdims=True)
    trust, mean = prior.counts / (prior.counts + damping), totals / prior.counts
    slope, height = np.polyfit(np.log1p(prior.counts), mean, 1, w=np.sqrt(trust))
    line = height + slope * np.log1p(prior.counts)
    expected = line + share @ (trust * (mean - line)) / (share @ trust + DOUBT)
    np.testing.assert_allclose(prior.expect(totals, damping), expected, atol=1e-10)


def test_an_item_of_few_ratings_is_drawn_to_its_neighbours():
    """Items 0-4 are loved, 5-9 loathed, each by its own people; x and y have one middling rating each."""
    rng = np.random.default_rng(3)
    rows = [
        (u, i, (5 if i < 5 else 1))
        for u in range(40)
        for i in (range(5) if u < 20 else range(5, 10))
        if rng.random() < 0.7
    ]
    rows += [(0, 10, 3), (39, 11, 3)]
    ratings = ot.Ratings.from_arrays(*(list(part) for part in zip(*rows, strict=True)))
    offsets = ot.LDM(nodes="items", item_prior="similar").fit(ratings).offsets.item
    plain = ot.LDM(nodes="items", item_prior="zero").fit(ratings).offsets.item
    assert offsets[10] - offsets[11] > plain[10] - plain[11] + 0.1


def test_emphasis_is_convex_keeps_the_order_and_the_ends():
    ratings = random_ratings(1, low=-3, high=4)
    emphasis = Emphasis.of(ratings, 1.5)
    scale = np.arange(-3.0, 5.0)
    steps = np.diff(emphasis(scale))
    assert (steps > 0).all()
    assert (np.diff(steps) > 0).all()
    assert emphasis(scale)[[0, -1]] == pytest.approx([-3.0, 4.0])
    np.testing.assert_array_equal(Emphasis.of(ratings, 0.0)(scale), scale)


def test_emphasis_goes_straight_on_beyond_the_scale():
    emphasis = Emphasis.of(random_ratings(1, low=1, high=5), 1.0)
    for end, outside in ((1.0, -1.0), (5.0, 1.0)):
        near = emphasis(end + outside * np.array([0.0, 1e-4, 1.0, 2.0, 1e3]))
        slope = (near[1] - near[0]) / 1e-4
        np.testing.assert_allclose(near[2:], near[0] + slope * np.array([1.0, 2.0, 1e3]), rtol=1e-6)
