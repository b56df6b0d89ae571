import numpy as np
from hypothesis import given, strategies as st

import oracles
from overtone.graph.walk import Walk
from tables import sparse, weight_matrices


def transition(W):
    degree = W.sum(axis=1, keepdims=True)
    return np.divide(W, degree, out=np.zeros_like(W), where=degree > 0)


def strongly_linked(W):
    """For each node the set of nodes that it can reach, itself among them."""
    reach = (W > 0) | np.eye(len(W), dtype=bool)
    for _ in range(len(W)):
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    return reach


@given(weight_matrices(), st.sampled_from([0.0, 0.1, 2.0]))
def test_a_step_is_a_row_of_probabilities_short_of_the_grounding(W, grounding):
    walk = Walk.of(sparse(W), grounding)
    np.testing.assert_allclose(oracles.dense(walk.steps, len(W)), transition(W) / (1 + grounding), atol=1e-7)
    np.testing.assert_array_equal(walk.leak, np.where(W.sum(axis=1) > 0, grounding, 0.0))


@given(weight_matrices())
def test_homes_are_the_sets_that_the_walk_never_leaves(W):
    walk, reach = Walk.of(sparse(W)), strongly_linked(W)
    for node in range(len(W)):
        mutual = reach[node] & reach[:, node]
        is_closed = (reach[node] == mutual).all() and W[node].sum() > 0
        assert (walk.home[node] >= 0) == is_closed
        if is_closed:
            assert set(np.flatnonzero(walk.home == walk.home[node])) == set(np.flatnonzero(mutual))


@given(weight_matrices())
def test_stationary_weights_are_left_null_vectors_of_each_class(W):
    walk = Walk.of(sparse(W))
    np.testing.assert_allclose(walk.stationary @ transition(W), walk.stationary, atol=1e-9)
    for c in range(walk.classes):
        np.testing.assert_allclose(walk.stationary[walk.home == c].sum(), 1.0)
    assert (walk.stationary[walk.home < 0] == 0.0).all()


def test_a_periodic_walk_has_its_stationary_weights_too():
    walk = Walk.of(sparse(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])))
    np.testing.assert_allclose(walk.stationary, [0.5, 0.25, 0.25], atol=1e-9)


def test_a_walk_that_mixes_slowly_has_them_too():
    rng = np.random.default_rng(0)
    W = np.kron(np.eye(3), np.ones((20, 20))) * rng.uniform(0.5, 1.5, (60, 60))
    W[0, 20] = W[21, 40] = W[41, 1] = 1e-3
    walk = Walk.of(sparse(W))
    assert walk.classes == 1
    np.testing.assert_allclose(walk.stationary @ transition(W), walk.stationary, atol=1e-12)
