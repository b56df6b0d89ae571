import numpy as np
import pytest

import oracles
import overtone as ot
from tables import random_ratings


@pytest.mark.parametrize(("user_damping", "item_damping"), [(5.0, 10.0), (0.5, 2.0)])
def test_offsets_are_the_damped_least_squares_solution(user_damping, item_damping):
    ratings = random_ratings(1)
    offsets = ot.rankers.Bias(user_damping=user_damping, item_damping=item_damping).fit(ratings).offsets
    rows = ratings.user_rows, ratings.by_user.indices, ratings.by_user.data
    mean, user, item = oracles.offsets(*rows, ratings.n_users, ratings.n_items, user_damping, item_damping)
    assert offsets.mean == pytest.approx(mean)
    np.testing.assert_allclose(offsets.user[:-1], user, atol=1e-8)
    np.testing.assert_allclose(offsets.item[:-1], item, atol=1e-8)


def test_somebody_new_has_the_offset_that_their_ratings_would_have_had():
    ratings = random_ratings(1)
    model = ot.rankers.Bias().fit(ratings)
    row = slice(*ratings.by_user.indptr[3:5])
    person = dict(
        zip(ratings.items.take(ratings.by_user.indices[row]), ratings.by_user.data[row], strict=True)
    )
    known = model.recommend("u003", n=50)
    new = model.recommend(ratings=person, n=50)
    assert known["item"].to_list() == new["item"].to_list()
    np.testing.assert_allclose(known["score"], new["score"], atol=1e-8)
