import numpy as np
import pytest
from hypothesis import given, strategies as st

import oracles
from overtone.graph.agreement import AgreementSearch
from overtone.graph.exact import ExactSearch
from overtone.graph.neighbors import Neighbors
from overtone.graph.weights import agreement, dense_cosines, mean_of_both, weight_matrix
from overtone.graph.wiring import Wiring
from tables import binary_rows, sparse, weight_matrices


@given(binary_rows())
def test_agreement_is_the_cosine_over_common_columns(rows):
    points, columns = rows
    near = ExactSearch.build(points, columns).nearest_to_each(5)
    found = agreement(points, points, near)
    full, has = oracles.dense(points, columns), oracles.present(points, columns)
    for a, place in zip(*np.nonzero(near.rows >= 0), strict=True):
        b = near.rows[a, place]
        expected = oracles.corated_cosine(full[a], full[b], has[a], has[b])
        got = found.cosine[a, place], found.shared[a, place]
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_ratings_of_zero_count_as_common_and_opposite_tastes_are_no_edge():
    full = np.array([[0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [0.0, -2.0, -1.0]])
    points = sparse(np.ones((3, 3)))._replace(data=full.ravel())
    near = ExactSearch.build(points, 3).nearest_to_each(2)
    found = agreement(points, points, near)
    np.testing.assert_allclose(found.cosine[0], [1.0, -1.0])
    assert found.shared[0].tolist() == [3, 3]
    wiring = Wiring(
        neighbors=2, search="exact", comparisons=2, symmetric=False, damping=0.0, overlapping=False
    )
    np.testing.assert_allclose(
        oracles.dense(wiring.connect(points, 3)[1], 3), [[0, 1, 0], [1, 0, 0], [0, 0, 0]], rtol=1e-12
    )


def test_a_tiny_rating_does_not_underflow():
    points = sparse(np.full((2, 3), 1e-170))
    near = ExactSearch.build(points, 3).nearest_to_each(1)
    np.testing.assert_allclose(agreement(points, points, near).cosine[:, 0], [0.0, 0.0])


@pytest.mark.parametrize("search", ["exact", "agreement"])
@given(
    rows=binary_rows(), damping=st.sampled_from([0.0, 3.0]), overlapping=st.booleans(), k=st.integers(1, 6)
)
def test_weights_are_what_the_settings_say(search, rows, damping, overlapping, k):
    points, columns = rows
    points = points._replace(data=points.data - 3.0)
    wiring = Wiring(
        neighbors=k, search=search, comparisons=1, symmetric=False, damping=damping, overlapping=overlapping
    )
    near, W = wiring.connect(points, columns)
    expected = oracles.weights(points, columns, damping=damping, overlapping=overlapping)
    made = oracles.dense(W, len(expected))
    chosen = made > 0
    np.testing.assert_allclose(made[chosen], expected[chosen], rtol=1e-12)
    if search == "agreement":
        for row in range(len(made)):
            strongest = np.sort(expected[row])[::-1][: min(k, max(len(made) - 1, 1))]
            np.testing.assert_allclose(np.sort(made[row])[::-1][: len(strongest)], strongest, rtol=1e-12)
        overlaps = oracles.overlaps(points, columns)
        for row, place in zip(*np.nonzero(near.rows >= 0), strict=True):
            assert near.overlap[row, place] == pytest.approx(overlaps[row, near.rows[row, place]])


def test_a_query_from_outside_finds_the_strongest_and_itself_first():
    points, columns = sparse(np.array([[2, -1, 0, 1], [2, -1, 0, 1], [1, 0, 2, 0], [-1, 2, 0, 0]])), 4
    search = AgreementSearch.build(points, columns, damping=1.0, overlapping=False)
    assert search.nearest(points, 3).rows[0].tolist() == [0, 1, 2]
    assert search.nearest_to_each(3).rows[0].tolist() == [1, 2, -1]


@given(weight_matrices())
def test_a_symmetric_graph_is_the_mean_of_both_directions(W):
    np.testing.assert_allclose(oracles.dense(mean_of_both(sparse(W)), len(W)), (W + W.T) / 2, rtol=1e-12)


@given(weight_matrices())
def test_neighbour_lists_become_rows_in_ascending_order(W):
    order = np.argsort(-W, axis=1)
    near = Neighbors(order.astype(np.int32), np.ones_like(W))
    made = weight_matrix(near, np.take_along_axis(W, order, axis=1), symmetric=False)
    np.testing.assert_array_equal(oracles.dense(made, len(W)), W)
    assert all(
        np.all(np.diff(made.indices[a:b]) > 0) for a, b in zip(made.indptr, made.indptr[1:], strict=False)
    )


def test_dense_cosines_are_cosines_and_never_negative():
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    near = Neighbors(
        np.array([[*[j for j in range(6) if j != i][:4], -1] for i in range(6)], np.int32), np.ones((6, 5))
    )
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.maximum(unit @ unit.T, 0.0)
    found = dense_cosines(rows, near)
    for i in range(6):
        np.testing.assert_allclose(found[i, :4], expected[i, near.rows[i, :4]], atol=1e-6)
    assert (found[:, 4] == 0.0).all()
