from dataclasses import replace

import numpy as np
from hypothesis import given, settings, strategies as st

import oracles
from overtone.graph.walk import Walk
from overtone.harmonic.correction import invert
from overtone.harmonic.extension import Extension
from overtone.harmonic.modes import FEW, SHARE, SLOW, modes_of, no_modes
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


def test_the_directions_are_the_constant_and_those_that_a_step_shrinks_least():
    W = clusters(3, 4, 0.005)
    walk = Walk.of(sparse(W))
    rates = np.sort(np.abs(np.linalg.eigvals(walk.matrix().toarray())))[::-1]
    assert (rates > SLOW).sum() == 4  # the constant, and what tells four clusters apart
    modes = modes_of(walk)
    assert modes.left.shape == (SIZE, 4)
    right = modes.right.data.reshape(SIZE, 4).astype(float)
    np.testing.assert_allclose(right[:, 0], SIZE**-0.5, rtol=1e-6)
    np.testing.assert_allclose(walk.stationary @ right[:, 1:], 0.0, atol=1e-6)
    found = np.linalg.eigvals(np.linalg.solve(modes.left.T @ right, modes.coarse))
    np.testing.assert_allclose(np.sort(1.0 - found.real)[::-1], rates[:4], atol=1e-4)


def test_each_closed_class_has_its_constant():
    walk = Walk.of(sparse(clusters(4, 3, 0.0, apart=True)), 0.01)
    modes = modes_of(walk)
    assert modes.left.shape == (SIZE, 3)
    assert modes.grounded.all()
    right = modes.right.data.reshape(SIZE, 3)
    for c in range(3):
        np.testing.assert_allclose(right[walk.home == c, c], 32**-0.5, rtol=1e-6)
        np.testing.assert_array_equal(right[walk.home != c, c], 0.0)


def test_they_save_sweeps():
    walk = Walk.of(sparse(clusters(5, 4, 0.005)))
    labels = [{0: 1.0, 1: -1.0}, {2: 1.0}, {5: 2.0, 10: 1.0, 15: -1.0}]
    assert (
        2 * extended(walk, labels, 1.0).solution.sweeps
        < extended(walk, labels, 1.0, modes=False).solution.sweeps
    )


def test_a_graph_of_few_edges_has_the_constant_alone():
    W = np.zeros((SIZE, SIZE))
    W[np.arange(SIZE), (np.arange(SIZE) + 1) % SIZE] = 1.0
    assert SHARE > 1
    assert modes_of(Walk.of(sparse(W))).left.shape == (SIZE, 1)


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


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 6))
def test_what_a_singular_one_tells_is_used(seed, size, rank):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-2, 3, (size, rank)) @ rng.integers(-2, 3, (rank, size)).astype(float)
    inverse = matrix.copy()
    invert(inverse)
    np.testing.assert_allclose(matrix @ inverse @ matrix, matrix, atol=1e-8)


def test_no_constant_comes_into_a_class_without_labels():
    W = np.kron(np.eye(2), clusters(6, 2, 0.01)[:48, :48])
    part = extended(Walk.of(sparse(W)), [{0: 1.0, 1: 2.0}, {60: -1.0}], 1.0)
    np.testing.assert_allclose(part.f[48:, 0], 0.0, atol=1e-6)
    np.testing.assert_allclose(part.f[:48, 1], 0.0, atol=1e-6)


def test_a_walk_that_hardly_mixes_is_solved_by_sweeps():
    """A long chain, many labels at one end: the constant and the slow directions only mend it together."""
    nodes = np.arange(400)
    apart = np.abs(nodes[:, None] - nodes)
    W = np.where((apart > 0) & (apart <= 24 + nodes[:, None] % 8), 1.0 / (1.0 + apart), 0.0)
    labels = [{int(node): float(node % 5) for node in range(0, 60, 2)}, {0: 1.0, 399: 2.0}]
    walk = Walk.of(sparse(W), 1e-3)
    part = Extension(Solver.of(walk, 1.0, tolerance=1e-6), known_of(labels)).extend(np.arange(2))
    for column, some in enumerate(labels):
        expected = oracles.extend(W, some, 1.0, 1, 1e-3)
        # An error is at most what the equations are off by, over the grounding.
        bound = 1.001 * part.solution.residuals[column] * max(some.values()) / 1e-3 + 1e-5
        np.testing.assert_allclose(part.f[:, column], expected, atol=bound)
    assert part.solution.sweeps < 30


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01]), st.sampled_from([0.5, 1.0, 1.5]))
@settings(max_examples=15)
def test_many_islands_are_solved_as_densely(seed, grounding, mu):
    rng = np.random.default_rng(seed)
    W = np.kron(np.eye(FEW + 4), np.ones((8, 8))) * rng.uniform(0.5, 1.5, (SIZE, SIZE))
    np.fill_diagonal(W, 0.0)
    walk = Walk.of(sparse(W), grounding)
    assert walk.classes > FEW
    labels = [
        dict(zip(rng.permutation(SIZE)[:n].tolist(), rng.uniform(-2, 2, n), strict=True)) for n in (1, 9, 30)
    ]
    part = extended(walk, labels, mu)
    for column, some in enumerate(labels):
        np.testing.assert_allclose(part.f[:, column], oracles.extend(W, some, mu, 1, grounding), atol=1e-4)


def test_large_islands_take_few_sweeps_however_many():
    rng = np.random.default_rng(3)
    W = np.kron(np.eye(FEW + 4), np.ones((60, 60))) * rng.uniform(0.5, 1.5, (720, 720))
    part = extended(Walk.of(sparse(W)), [{3: 1.0, 70: -1.0, 700: 2.0}, {1: 1.0}], 1.0)
    assert part.solution.sweeps < 12
