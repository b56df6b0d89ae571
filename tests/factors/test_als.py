import numpy as np
import pytest

import overtone as ot
from overtone.errors import SettingError
from overtone.factors.als import Ridge, Side, objective, solve, solve_rows, turns
from overtone.kernels import Csr
from tables import random_ratings


@pytest.mark.parametrize("size", [1, 2, 5, 17])
def test_cholesky_solves_what_numpy_solves(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size))
    matrix, right = root @ root.T + np.eye(size), rng.normal(size=size)
    expected = np.linalg.solve(matrix, right)
    solve(matrix, right)
    np.testing.assert_allclose(right, expected, rtol=1e-9)


def test_a_row_is_the_ridge_regression_on_the_other_side():
    rng = np.random.default_rng(3)
    fixed, free = Side(rng.normal(size=(9, 4))), Side(np.zeros((1, 4)))
    table = Csr(np.array([0, 5]), np.array([0, 2, 3, 6, 8], np.int32), rng.normal(size=5))
    solve_rows(table, free, fixed, Ridge(0.7, 2.0), (0, 1))
    features = np.column_stack([np.ones(5), fixed.rows[table.indices, 1:]])
    normal = features.T @ features + np.diag([0.7, 2.0, 2.0, 2.0])
    expected = np.linalg.solve(normal, features.T @ (table.data - fixed.rows[table.indices, 0]))
    np.testing.assert_allclose(free.rows[0], expected, rtol=1e-10)


def test_no_turn_raises_the_objective_and_it_ends_at_rest():
    ratings = random_ratings(2, users=30, items=20, each=7)
    rng = np.random.default_rng(0)
    sides, ridge = (Side.normal(30, 3, rng), Side.normal(20, 3, rng)), Ridge(1.0, 1.5)
    solved = turns(ratings.by_user, ratings.by_item(), sides, ridge, 1)
    values = [objective(ratings.by_user, *sides, ridge)]
    for _ in range(300):
        next(solved)
        values.append(objective(ratings.by_user, *sides, ridge))
    assert np.all(np.diff(values) <= 1e-9 * values[0])
    # At rest the gradient by any one number is 0, here by differences.
    for side in sides:
        for place in ((0, 0), (3, 1), (11, 3)):
            ahead, behind = [], []
            for step, found in ((1e-5, ahead), (-1e-5, behind)):
                side.rows[place] += step
                found.append(objective(ratings.by_user, *sides, ridge))
                side.rows[place] -= step
            assert abs(ahead[0] - behind[0]) / 2e-5 < 1e-3


def test_somebody_new_has_the_scores_of_the_known_user_with_the_same_ratings():
    ratings = random_ratings(4, users=30, items=20, each=7)
    model = ot.make_ranker("biased-mf", {"l2": 1.0, "rounds": 300}).fit(ratings)
    for row in (0, 7, 22):
        span = slice(*ratings.by_user.indptr[row : row + 2])
        person = dict(
            zip(ratings.items.take(ratings.by_user.indices[span]), ratings.by_user.data[span], strict=True)
        )
        new = model.recommend(ratings=person, n=50, include_rated=True).sort("item")["score"]
        np.testing.assert_allclose(new, model.score_block(np.array([row]))[0], atol=1e-3)


def test_wrong_settings_are_refused():
    for settings in ({"rank": 0}, {"l2": 0.0}, {"bias_l2": -1.0}, {"rounds": 0}, {"seed": -1}):
        with pytest.raises(SettingError, match=next(iter(settings))):
            ot.make_ranker("biased-mf", settings)
