import math
import statistics

import numpy as np
from hypothesis import given, strategies as st

from overtone.metrics import Measure

SHARES = st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=12)


def measure(values):
    return Measure("NDCG@10", "how it is defined", np.array(values, np.float64))


@given(SHARES)
def test_mean_and_standard_error_are_those_of_the_judged_users(values):
    found, judged = measure(values), [value for value in values if not math.isnan(value)]
    assert (found.users, found.skipped) == (len(judged), len(values) - len(judged))
    assert found.judged.tolist() == judged
    if judged:
        assert math.isclose(found.mean, statistics.fmean(judged), rel_tol=1e-12, abs_tol=1e-300)
        assert float(found) == found.mean
    else:
        assert math.isnan(found.mean)
    if len(judged) > 1:
        expected = statistics.stdev(judged) / math.sqrt(len(judged))
        assert math.isclose(found.stderr, expected, rel_tol=1e-9, abs_tol=1e-15)
    else:
        assert math.isnan(found.stderr)


def test_an_interval_is_the_mean_with_its_error_on_either_side():
    found = measure([0.0, 1.0])
    assert found.stderr == 0.5
    assert np.allclose(found.interval(), (0.5 - 1.96 * 0.5, 0.5 + 1.96 * 0.5), atol=1e-4)
    assert found.interval(z=1.0) == (0.0, 1.0)


def test_a_measure_reads_as_it_should_be_reported():
    assert str(measure([0.0, 1.0, math.nan])) == "NDCG@10 0.5000 ± 0.5000 (2 users, 1 skipped)"
    assert str(measure([0.25] * 1200)) == "NDCG@10 0.2500 ± 0.0000 (1,200 users)"


def test_its_definition_shows_and_its_users_do_not():
    assert repr(measure([1.0])) == "Measure(name='NDCG@10', definition='how it is defined')"
