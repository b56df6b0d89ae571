import numpy as np
import pytest
from hypothesis import given, strategies as st

import oracles
from overtone.graph.walk import Walk
from overtone.harmonic.extension import Extension
from overtone.harmonic.solver import Solver
from tables import known_of, sparse, weight_matrices


def extension_of(walk, known, mu=1.0, tolerance=1e-5, max_sweeps=300, **settings):
    solver = Solver.of(walk, mu, tolerance=tolerance, max_sweeps=max_sweeps)
    return Extension(solver, known, **settings)


def solve(W, labels, grounding=0.0, **settings):
    extension = extension_of(
        Walk.of(sparse(W), grounding), known_of(labels), **{"tolerance": 1e-6, "misfit": 1e-12} | settings
    )
    f = np.full((len(W), len(labels)), np.nan, np.float32)
    x = f.copy()
    for part in extension.blocks(np.arange(len(labels))):
        f[:, part.columns], x[:, part.columns] = part.f, part.x
        assert part.solution.converged.all()
    return f, x


@st.composite
def label_sets(draw, size):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = rng.integers(0, size + 1, draw(st.integers(1, 6)))
    return [
        dict(zip(rng.permutation(size)[:n].tolist(), rng.uniform(-2, 2, n).tolist(), strict=True))
        for n in counts
    ]


@pytest.mark.parametrize("mu", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@given(data=st.data(), symmetric=st.booleans(), grounding=st.sampled_from([0.0, 0.05, 1.0]))
def test_the_block_solver_equals_a_dense_solve(mu, steps, data, symmetric, grounding):
    W = data.draw(weight_matrices(symmetric))
    labels = data.draw(label_sets(len(W)))
    f, _ = solve(W, labels, grounding, mu=mu, inner=steps)
    for column, some in enumerate(labels):
        expected = oracles.extend(W, some, mu, steps, grounding)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(f[:, column] / scale, expected / scale, atol=1e-4)


@given(weight_matrices(), st.data())
def test_what_others_see_is_the_label_at_mu_one(W, data):
    labels = data.draw(label_sets(len(W)))
    f, x = solve(W, labels)
    for column, some in enumerate(labels):
        for node in range(len(W)):
            assert x[node, column] == pytest.approx(some.get(node, f[node, column]), abs=1e-6)


@given(weight_matrices(), st.data())
def test_f_stays_within_the_labels_and_the_prior(W, data):
    labels = data.draw(label_sets(len(W)))
    f, _ = solve(W, labels)
    for column, some in enumerate(labels):
        bounds = [0.0, *some.values()]
        assert min(bounds) - 1e-5 <= f[:, column].min()
        assert f[:, column].max() <= max(bounds) + 1e-5


def test_a_constant_label_on_a_connected_graph_is_everybodys_value():
    rng = np.random.default_rng(0)
    W = rng.uniform(0.1, 1.0, (40, 40))
    f, _ = solve(W, [{3: 2.5}, {3: -1.0, 7: -1.0}])
    np.testing.assert_allclose(f[:, 0], 2.5, rtol=1e-5)
    np.testing.assert_allclose(f[:, 1], -1.0, rtol=1e-5)


def test_hard_labels_give_the_labels_and_elsewhere_the_same_as_mu_one():
    W = np.random.default_rng(1).uniform(0.1, 1.0, (12, 12))
    labels = [{0: 1.0, 5: -1.0, 6: 0.5}]
    soft, _ = solve(W, labels)
    hard, _ = solve(W, labels, hard=True)
    others = [node for node in range(12) if node not in labels[0]]
    np.testing.assert_allclose(hard[others], soft[others], atol=1e-6)
    np.testing.assert_allclose(hard[[0, 5, 6], 0], [1.0, -1.0, 0.5])


def test_bregman_steps_draw_the_labels_in():
    W = np.random.default_rng(2).uniform(0.1, 1.0, (12, 12))
    labels = {0: 1.0, 5: -1.0}
    misses = []
    for inner in (1, 2, 3, 4):
        f, _ = solve(W, [labels], inner=inner)
        misses.append(max(abs(f[node, 0] - value) for node, value in labels.items()))
    assert misses == sorted(misses, reverse=True)


def test_bregman_stops_a_column_that_fits_and_lets_the_others_go_on():
    W = np.random.default_rng(4).uniform(0.1, 1.0, (10, 10))
    extension = extension_of(
        Walk.of(sparse(W)), known_of([{0: 1.0, 1: 1.0}, {0: 1.0, 1: -1.0}, {}]), inner=4, misfit=1e-3
    )
    part = extension.extend(np.arange(3))
    assert part.steps.tolist() == [1, 4, 1]


def test_a_solve_without_enough_sweeps_is_finished_column_by_column():
    W = np.random.default_rng(5).uniform(0.0, 1.0, (30, 30))
    labels = [{0: 1.0, 1: -1.0}]
    f, _ = solve(W, labels, max_sweeps=1)
    np.testing.assert_allclose(f[:, 0], oracles.extend(W, labels[0]), atol=1e-5)


def test_a_tolerance_out_of_reach_is_reported_not_hidden():
    W = np.random.default_rng(6).uniform(0.0, 1.0, (30, 30))
    part = extension_of(Walk.of(sparse(W)), known_of([{0: 1.0, 1: -1.0}]), tolerance=1e-12).extend(
        np.array([0])
    )
    assert not part.solution.converged[0]
    assert part.solution.residuals[0] > 1e-12
    np.testing.assert_allclose(part.f[:, 0], oracles.extend(W, {0: 1.0, 1: -1.0}), atol=1e-5)


@given(
    weight_matrices(), st.data(), st.sampled_from([(0.5, 3), (1.0, 1), (1.0, 3)]), st.sampled_from([0.0, 0.2])
)
def test_carriers_weigh_labels_so_that_they_sum_to_f(W, data, scheme, grounding):
    mu, inner = scheme
    labels = data.draw(label_sets(len(W)))
    extension = extension_of(
        Walk.of(sparse(W), grounding), known_of(labels), mu=mu, inner=inner, tolerance=1e-6
    )
    parts = extension.extend(np.arange(len(labels)))
    place = {column: at for at, column in enumerate(parts.columns)}
    for column, some in enumerate(labels):
        for node in (0, len(W) // 2, len(W) - 1):
            nodes, weights = extension.carriers(node, column)
            values = np.array([some[int(one)] for one in nodes])
            assert weights @ values == pytest.approx(parts.f[node, place[column]], abs=1e-4)


def test_threads_do_not_change_a_byte():
    rng = np.random.default_rng(7)
    W = np.where(rng.random((200, 200)) < 0.1, rng.random((200, 200)), 0.0)
    labels = [
        dict(zip(rng.permutation(200)[:5].tolist(), rng.normal(size=5).tolist(), strict=True))
        for _ in range(150)
    ]
    extension = extension_of(Walk.of(sparse(W), 0.05), known_of(labels))
    one, two = (
        b"".join(part.f.tobytes() for part in extension.blocks(np.arange(150), threads)) for threads in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize("grounding", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("mu", [0.5, 1.0, 1.5])
def test_a_well_mixed_graph_takes_few_sweeps_however_few_the_labels(mu, grounding):
    W = np.random.default_rng(8).uniform(0.1, 1.0, (60, 60))
    part = extension_of(Walk.of(sparse(W), grounding), known_of([{0: 1.0}, {3: 1.0, 4: -1.0}]), mu=mu).extend(
        np.arange(2)
    )
    assert part.solution.sweeps <= 25
    assert part.solution.converged.all()


def test_a_part_without_labels_is_seen_as_the_prior_and_carries_nothing():
    """0 looks at 1 and 3; 1 and 2 look at each other and have no label; 3 has one and looks at 0."""
    W = np.zeros((4, 4))
    W[0, 1] = W[0, 3] = W[1, 2] = W[2, 1] = W[3, 0] = 1.0
    f, _ = solve(W, [{3: 2.0}])
    np.testing.assert_allclose(f[:, 0], [1.0, 0.0, 0.0, 1.0], atol=1e-6)
    extension = extension_of(Walk.of(sparse(W)), known_of([{3: 2.0}]))
    for node, weight in ((0, 0.5), (1, 0.0), (3, 0.5)):
        np.testing.assert_allclose(extension.carriers(node, 0)[1], [weight], atol=1e-8)


def test_steps_that_grow_without_end_are_stopped_and_said():
    # Two users who know only each other: f = (h2, h1), so that a misfit doubles with every step.
    W = np.array([[0.0, 1.0], [1.0, 0.0]])
    labels = known_of([{0: 1.0, 1: -1.0}, {0: 1.0}])
    part = extension_of(Walk.of(sparse(W)), labels, inner=200).extend(np.array([0, 1]))
    assert np.isfinite(part.f).all()
    wild = part.columns.tolist().index(0)
    assert 60 < part.steps[wild] < 75
    assert part.solution.converged.tolist() == [place != wild for place in range(2)]


def test_a_system_near_to_singular_is_solved_as_in_double_precision():
    W = np.random.default_rng(5).uniform(0.0, 1.0, (9, 9))
    W, labels = np.triu(W, 1) + np.triu(W, 1).T, {0: 1.0, 3: -1.0, 4: 0.5}
    labelled = W * np.isin(np.arange(9), list(labels))
    # L + mu W_U is singular where mu is 1 less the inverse of an eigenvalue of (L + W_U)^-1 W_U.
    some = np.linalg.eigvals(np.linalg.solve(np.diag(W.sum(axis=1)) - W + labelled, labelled)).real
    mu = (1.0 - 1.0 / some[some < -1e-9].min()) * (1.0 + 1e-4)
    assert mu > 2.0
    f, _ = solve(W, [labels], mu=mu)
    expected = oracles.extend(W, labels, mu)
    np.testing.assert_allclose(f[:, 0], expected, atol=1e-5 * np.abs(expected).max())
    assert np.abs(expected).max() > 100.0


@given(weight_matrices(), st.data(), st.sampled_from([0.3, 1.0, 1.7]), st.sampled_from([1e-2, 1e-4]))
def test_no_equation_is_off_by_more_than_the_residual_says(W, data, mu, tolerance):
    walk = Walk.of(sparse(W), 0.01)
    known = known_of(data.draw(label_sets(len(W))))
    columns = np.arange(len(known.indptr) - 1)
    part = extension_of(walk, known, mu=mu, tolerance=tolerance).extend(columns)
    off = np.abs(part.f - walk.matrix() @ part.x.astype(float)).max(axis=0)
    assert (off <= part.solution.residuals * np.abs(part.x).max(axis=0) + 1e-6).all()


def test_a_slow_mode_is_leapt_over():
    """Two crowds with few ties between them: sweeps alone take a hundred and three."""
    rng = np.random.default_rng(7)
    W = rng.uniform(0.1, 1.0, (60, 60))
    W[:30, 30:] *= 1e-2
    W[30:, :30] *= 1e-2
    part = extension_of(Walk.of(sparse(W)), known_of([{0: 1.0, 40: -1.0}]), tolerance=1e-6).extend(
        np.array([0])
    )
    assert part.solution.converged.all()
    assert part.solution.sweeps < 26
    np.testing.assert_allclose(part.f[:, 0], oracles.extend(W, {0: 1.0, 40: -1.0}), atol=1e-4)
