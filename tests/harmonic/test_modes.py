from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import oracles
from overtone.graph.walk import Walk
from overtone.harmonic.correction import invert
from overtone.harmonic.extension import Extension
from overtone.harmonic.modes import SHARE, SLOW, modes_of, no_modes
from overtone.harmonic.solver import Solver
from tables import known_of, sparse

SIZE = 96


def clusters(seed, count, tie, *, apart=False):
    """Groups that know each other well, and others by `tie`: a slow direction for each but one."""
    rng = np.random.default_rng(seed)
    group = np.arange(SIZE) % count
    same = group[:, None] == group
    W = np.where(same, 1.0, 0.0 if apart else tie) * rng.uniform(0.5, 1.5, (SIZE, SIZE))
    W[group == 0, :] *= rng.uniform(0.5, 2.0, SIZE)
    np.fill_diagonal(W, 0.0)
    return W


def extended(walk, labels, mu, *, modes=True):
    solver = Solver.of(walk, mu, tolerance=1e-6)
    if not modes:
        solver = replace(solver, system=solver.system._replace(modes=no_modes(walk)))
    part = Extension(solver, known_of(labels)).extend(np.arange(len(labels)))
    assert part.solution.converged.all()
    return part


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([0.0, 0.02, 0.3]), st.booleans())
@settings(max_examples=20)
def test_a_graph_of_clusters_is_solved_as_densely(seed, count, grounding, apart):
    W = clusters(seed, count, 0.01, apart=apart)
    rng = np.random.default_rng(seed)
    labels = [
        dict(zip(rng.permutation(SIZE)[:n].tolist(), rng.uniform(-2, 2, n), strict=True))
        for n in (1, 2, 9, 0)
    ]
    for mu in (0.1, 1.0, 1.7):
        part = extended(Walk.of(sparse(W), grounding), labels, mu)
        for column, some in enumerate(labels):
            expected = oracles.extend(W, some, mu, 1, grounding) if some else np.zeros(SIZE)
            np.testing.assert_allclose(part.f[:, column], expected, atol=1e-4)


def test_the_directions_are_those_that_a_step_shrinks_least():
    W = clusters(3, 4, 0.005)
    walk = Walk.of(sparse(W))
    rates = np.sort(np.abs(np.linalg.eigvals(walk.matrix().toarray())))[::-1]
    assert (rates > SLOW).sum() == 4  # the constant, and what tells four clusters apart
    modes = modes_of(walk)
    assert modes.left.shape == (SIZE, 3)
    right = modes.right.data.reshape(SIZE, 3).astype(float)
    found = np.linalg.eigvals(np.linalg.solve(modes.left.T @ right, modes.coarse))
    np.testing.assert_allclose(np.sort(1.0 - found.real)[::-1], rates[1:4], atol=1e-4)
    np.testing.assert_allclose(walk.stationary @ right, 0.0, atol=1e-6)
    np.testing.assert_allclose(modes.left.sum(axis=0), 0.0, atol=1e-5)


def test_they_save_sweeps():
    walk = Walk.of(sparse(clusters(5, 4, 0.005)))
    labels = [{0: 1.0, 1: -1.0}, {2: 1.0}, {5: 2.0, 10: 1.0, 15: -1.0}]
    assert (
        2 * extended(walk, labels, 1.0).solution.sweeps
        < extended(walk, labels, 1.0, modes=False).solution.sweeps
    )


def test_a_graph_of_few_edges_has_none():
    W = np.zeros((SIZE, SIZE))
    W[np.arange(SIZE), (np.arange(SIZE) + 1) % SIZE] = 1.0
    assert SHARE > 1
    assert modes_of(Walk.of(sparse(W))).left.shape == (SIZE, 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_a_small_matrix_is_inverted(seed, size):
    rng = np.random.default_rng(seed)
    matrix = (
        rng.standard_normal((size, size)) * (rng.random((size, size)) < 0.7) + np.eye(size)[:, ::-1] * 3.0
    )
    inverse = matrix.copy()
    invert(inverse)
    if np.linalg.cond(matrix) < 1e4:
        np.testing.assert_allclose(inverse @ matrix, np.eye(size), atol=1e-8)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_singular_one_corrects_nothing(size):
    matrix = np.ones((size, size)) if size > 1 else np.zeros((1, 1))
    invert(matrix)
    np.testing.assert_array_equal(matrix, 0.0)
