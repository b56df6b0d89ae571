import numpy as np
from hypothesis import given, strategies as st

import oracles
from overtone.graph.exact import ExactSearch
from overtone.kernels import Csr
from tables import binary_rows, random_ratings


@given(binary_rows(), st.integers(1, 12))
def test_finds_the_nearest_and_breaks_ties_by_row(rows, k):
    points, columns = rows
    found = ExactSearch.build(points, columns).nearest_to_each(k)
    for row, expected in enumerate(oracles.nearest(points, columns, k)):
        kept = found.rows[row] >= 0
        assert found.rows[row][kept].tolist() == [other for other, _ in expected]
        np.testing.assert_allclose(found.overlap[row][kept], [value for _, value in expected], rtol=1e-12)


def test_a_query_from_outside_finds_what_the_same_row_inside_finds():
    ratings = random_ratings(3)
    points = ratings.by_user
    search = ExactSearch.build(points, ratings.n_items)
    row = slice(points.indptr[4], points.indptr[5])
    query = Csr(np.array([0, row.stop - row.start]), points.indices[row], points.data[row])
    outside, inside = search.nearest(query, 8), search.nearest_to_each(7)
    assert outside.rows[0][0] == 4
    assert outside.rows[0][1:].tolist() == inside.rows[4].tolist()


def test_threads_do_not_change_the_result():
    ratings = random_ratings(5, users=700, items=40)
    search = ExactSearch.build(ratings.by_user, ratings.n_items)
    one, two = search.nearest_to_each(9, threads=1), search.nearest_to_each(9, threads=2)
    assert one.rows.tobytes() == two.rows.tobytes()
    assert one.overlap.tobytes() == two.overlap.tobytes()
