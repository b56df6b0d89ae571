"""Four users in a ring, one item rated by two of them: worked on paper.

A rates i1 and t, B rates i1 and i2, C rates i2 and i3, D rates i3 and t. Neighbours share one item
each, so that every weight is 1: A-B, B-C, C-D, D-A. Of t we know A's 4 and D's 1. With mu = 1 others
see the labels: B = (4 + C) / 2 and C = (B + 1) / 2, hence B = 3 and C = 2; A's own value is smoothed
to (B + D's label) / 2 = (3 + 1) / 2 = 2, and D's to (C + A's label) / 2 = (2 + 4) / 2 = 3.
"""

import pytest

import overtone as ot

RING = ["A i1 3", "A t 4", "B i1 3", "B i2 3", "C i2 3", "C i3 3", "D i3 3", "D t 1"]


def fit(**settings):
    user, item, value = zip(*(line.split() for line in RING), strict=True)
    ratings = ot.Ratings.from_arrays(list(user), list(item), [float(one) for one in value])
    plain = ot.LDM.paper_settings() | dict(search="exact", neighbors=2, centre="mean", grounding=0.0)
    return ot.LDM(**plain | settings).fit(ratings)


def test_the_ring_of_four():
    scores = fit().score(list("ABCD"), ["t"] * 4)
    assert scores == pytest.approx([2.0, 3.0, 2.0, 3.0], abs=1e-4)


def test_hard_labels_keep_what_is_known():
    scores = fit(hard=True).score(list("ABCD"), ["t"] * 4)
    assert scores == pytest.approx([4.0, 3.0, 2.0, 1.0], abs=1e-4)


def test_a_second_bregman_step_pulls_harder():
    """h becomes g + (g - f): A's 4 + 2 = 6, D's 1 - 2 = -1. B = (6 + C)/2, C = (B - 1)/2: 11/3 and 4/3."""
    scores = fit(inner=2).score(list("BC"), ["t"] * 2)
    assert scores == pytest.approx([11 / 3, 4 / 3], abs=1e-4)


def test_grounding_draws_towards_the_mean():
    """The tie to the mean m is as strong as all others: B = (4 + C)/4 + m/2, C = (B + 1)/4 + m/2."""
    mean = 23 / 8
    b = (4 + 1 / 4 + mean / 2) / 4 + mean / 2
    b = b / (1 - 1 / 16)
    scores = fit(grounding=1.0).score(["B"], ["t"])
    assert scores == pytest.approx([b], abs=1e-4)


def test_the_weights_of_an_explanation_are_the_walks_chances():
    """From B the walk ends in A's label with 2/3, in D's with 1/3."""
    parts = fit().explain("B", "t").filter(source="rating")
    assert dict(zip(parts["user"], parts["weight"], strict=True)) == pytest.approx(
        {"A": 2 / 3, "D": 1 / 3}, abs=1e-6
    )
