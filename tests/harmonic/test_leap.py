import numpy as np
from hypothesis import given, strategies as st

from overtone.harmonic.leap import CYCLE, leap, least
from overtone.harmonic.rows import WIDTH


@given(st.integers(0, 2**32 - 1))
def test_no_other_weights_of_sum_one_give_a_smaller_step(seed):
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((CYCLE, 12))
    weights = least(steps @ steps.T)
    assert np.isclose(weights.sum(), 1.0)
    size = np.linalg.norm(weights @ steps)
    for _ in range(20):
        other = rng.standard_normal(CYCLE)
        other /= other.sum()
        assert size <= np.linalg.norm(other @ steps) * (1.0 + 1e-6)


def test_steps_of_zero_leave_the_last_iterate():
    np.testing.assert_array_equal(least(np.zeros((CYCLE, CYCLE))), [0.0] * (CYCLE - 1) + [1.0])


@given(st.integers(0, 2**32 - 1))
def test_an_iteration_of_two_modes_is_at_its_end_after_one_leap(seed):
    rng = np.random.default_rng(seed)
    size, rates = 30, np.array([0.9, 0.3])
    modes, goal = rng.standard_normal((2, size)), rng.standard_normal(size)
    iterates = [goal + rates**k @ modes for k in range(CYCLE + 1)]
    x = np.repeat(iterates[-1].astype(np.float32)[:, None], WIDTH, axis=1)
    one = np.diff(iterates, axis=0)
    steps = np.repeat(one.astype(np.float32)[:, :, None], WIDTH, axis=2)
    label = np.array([iterates[-1][0]])
    leap(np.array([3], np.int32), x, label, steps, one[:, :1].copy())
    np.testing.assert_allclose(x, np.repeat(goal[:, None], WIDTH, axis=1), atol=2e-3)
    np.testing.assert_allclose(label, goal[0], atol=2e-3)
