import numpy as np
import pytest
from hypothesis import given, strategies as st

import oracles
from overtone.graph.exact import ExactSearch
from overtone.graph.kdtree import KDTree
from overtone.graph.kdtree_kernels import far_side
from tables import binary_rows, random_ratings, sparse


@given(binary_rows(), st.integers(1, 12))
def test_unlimited_search_is_exact(rows, k):
    points, columns = rows
    found = KDTree.build(points, columns, comparisons=10**6).nearest_to_each(k)
    expected = ExactSearch.build(points, columns).nearest_to_each(k)
    np.testing.assert_allclose(found.overlap, expected.overlap, atol=1e-12)


@given(binary_rows(), st.integers(1, 12), st.integers(1, 40))
def test_a_bounded_search_finds_neighbours_at_their_true_distance_and_no_more_than_it_may(
    rows, k, comparisons
):
    points, columns = rows
    found = KDTree.build(points, columns, comparisons).nearest_to_each(k)
    overlaps = oracles.overlaps(points, columns)
    for row in range(len(found.rows)):
        kept = found.rows[row][found.rows[row] >= 0]
        assert len(kept) <= comparisons
        assert len(set(kept.tolist())) == len(kept)
        assert row not in kept
        np.testing.assert_allclose(found.overlap[row][: len(kept)], overlaps[row, kept], rtol=1e-12)


@given(binary_rows())
def test_leaves_hold_every_row_once_and_one_row_unless_rows_are_the_same(rows):
    points, columns = rows
    nodes = KDTree.build(points, columns, 1).tree.nodes
    leaves = nodes.column < 0
    held = [nodes.order[a:b] for a, b in zip(nodes.left[leaves], nodes.right[leaves], strict=True)]
    assert sorted(np.concatenate(held).tolist()) == list(range(len(points.indptr) - 1))
    full = oracles.present(points, columns)
    for members in held:
        assert (full[members] == full[members[0]]).all()


def test_more_comparisons_find_nearer_neighbours():
    ratings = random_ratings(1, users=400, items=60, each=8)
    near = [
        KDTree.build(ratings.by_user, ratings.n_items, d).nearest_to_each(10).overlap.sum()
        for d in (16, 64, 400)
    ]
    assert near == sorted(near)


def test_a_root_splits_on_the_column_that_about_half_of_the_rows_have():
    points = sparse(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]))
    assert KDTree.build(points, 4, 1).tree.nodes.column[0] == 1


@pytest.mark.parametrize("search", [ExactSearch.build, lambda p, n: KDTree.build(p, n, 10**6)])
def test_queries_from_outside_see_every_row(search):
    ratings = random_ratings(2)
    found = search(ratings.by_user, ratings.n_items).nearest(ratings.by_user, 5)
    np.testing.assert_array_equal(found.overlap[:, 0], np.ones(ratings.n_users))


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_unlimited_search_is_exact_where_a_column_is_split_again_and_again(seed, k):
    """Few columns and rows of all lengths: a column's values differ, so that it is cut more than once."""
    full = (np.random.default_rng(seed).random((60, 7)) < 0.5).astype(float)
    points = sparse(full)
    found = KDTree.build(points, 7, comparisons=10**6).nearest_to_each(k)
    expected = ExactSearch.build(points, 7).nearest_to_each(k)
    np.testing.assert_allclose(found.overlap, expected.overlap, atol=1e-12)


def test_the_way_to_a_node_is_not_counted_twice():
    """From 0, before a span of 0.4 to 0.9, the far side of a cut at 0.6 is 0.6 away, not more."""
    assert far_side(0.5 + 0.4**2, 0.0, 0.4, 0.6, 0.9) == pytest.approx(0.5 + 0.6**2)
    assert far_side(0.5 + 0.1**2, 1.0, 0.4, 0.6, 0.9) == pytest.approx(0.5 + 0.4**2)
    assert far_side(0.5, 0.5, 0.4, 0.6, 0.9) == pytest.approx(0.5 + 0.1**2)
