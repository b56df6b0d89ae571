import numpy as np
import pytest
from scipy.stats import wilcoxon

from overtone.study.statistics import Comparison, best, compare, holm


def test_holm_by_hand():
    # Ascending 0.01, 0.02, 0.03, 0.4 times 4, 3, 2, 1; never falling; and back in their places.
    assert holm([0.02, 0.4, 0.01, 0.03]) == pytest.approx([0.06, 0.4, 0.04, 0.06])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def test_pairs_are_compared_over_the_users_that_both_judge():
    rng = np.random.default_rng(0)
    a = rng.random(200)
    b, c = a - 0.05 + 0.02 * rng.random(200), a + rng.normal(0.0, 0.1, 200)
    b[:3] = c[:3] = a[:3] = np.nan
    found = compare({"a": a, "b": b, "c": c})
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    raw = [wilcoxon((x - y)[3:]).pvalue for x, y in ((a, b), (a, c), (b, c))]
    assert [one.p for one in found] == pytest.approx(holm(raw))
    assert found[0].difference == pytest.approx(np.mean((a - b)[3:]))
    assert found[0].holds


def test_methods_that_never_differ_are_not_told_apart():
    same = np.full(20, 0.5)
    (one,) = compare({"a": same, "b": same.copy()})
    assert one == Comparison("a", "b", 0.0, 1.0)
    assert not one.holds


def test_only_a_method_that_is_better_than_every_other_is_best():
    means = {"a": 0.9, "b": 0.8, "c": 0.7}
    pairs = [
        Comparison("a", "b", 0.1, 0.001),
        Comparison("a", "c", 0.2, 0.04),
        Comparison("b", "c", 0.1, 0.5),
    ]
    assert best(means, pairs) == "a"
    assert best(means, [pairs[0], pairs[1]._replace(p=0.06), pairs[2]]) is None
