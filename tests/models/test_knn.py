import numpy as np
import pytest

import overtone as ot
from overtone.errors import SettingError
from tables import random_ratings


def by_hand(ratings, nodes, settings):
    """Every score by dense loops over users, items and neighbours."""
    shape = (ratings.n_users, ratings.n_items)
    rated, surplus = np.zeros(shape, bool), np.zeros(shape)
    offsets = ot.rankers.Bias().fit(ratings).score_block(np.arange(shape[0]))
    rows, columns = ratings.user_rows, ratings.by_user.indices
    rated[rows, columns] = True
    surplus[rows, columns] = ratings.by_user.data - offsets[rows, columns]
    points, has = (surplus, rated) if nodes == "users" else (surplus.T, rated.T)
    weights = np.zeros((len(points), len(points)))
    for a in range(len(points)):
        for b in range(len(points)):
            both = has[a] & has[b]
            if a != b and points[a][both] @ points[b][both] > 0:
                scale = np.linalg.norm(points[a][both]) * np.linalg.norm(points[b][both])
                weights[a, b] = points[a][both] @ points[b][both] / (scale + settings["damping"])
        order = np.lexsort((np.arange(len(points)), -weights[a]))
        weights[a, order[settings["neighbors"] :]] = 0.0
    scores = offsets.copy()
    for u in range(shape[0]):
        for i in range(shape[1]):
            if nodes == "users":
                others, x = weights[u] * rated[:, i], surplus[:, i]
            else:
                others, x = weights[i] * rated[u], surplus[u]
            if others.sum() > 0:
                scores[u, i] += (others @ x) / (others.sum() + settings["shrink"])
    return scores


@pytest.mark.parametrize("nodes", ["users", "items"])
@pytest.mark.parametrize("neighbors", [3, 100])
def test_scores_are_the_written_means(nodes, neighbors):
    ratings = random_ratings(8, users=25, items=15, each=6)
    settings = {"nodes": nodes, "neighbors": neighbors, "damping": 2.0, "shrink": 0.5}
    model = ot.rankers.KNN(**settings).fit(ratings)
    np.testing.assert_allclose(model.score_block(np.arange(25)), by_hand(ratings, nodes, settings), rtol=1e-9)


def test_somebody_new_with_a_known_taste_meets_the_same_items():
    ratings = random_ratings(5, users=25, items=15, each=6)
    model = ot.rankers.KNN(nodes="items", neighbors=50).fit(ratings)
    span = slice(*ratings.by_user.indptr[3:5])
    person = dict(
        zip(ratings.items.take(ratings.by_user.indices[span]), ratings.by_user.data[span], strict=True)
    )
    new = model.recommend(ratings=person, n=50, include_rated=True).sort("item")["score"]
    np.testing.assert_allclose(new, model.score_block(np.array([3]))[0], atol=1e-6)


def test_an_explanation_names_the_neighbours_ratings_as_they_were_given():
    ratings = random_ratings(8, users=25, items=15, each=6)
    for nodes in ("users", "items"):
        model = ot.rankers.KNN(nodes=nodes, damping=1.0).fit(ratings)
        parts = model.explain("u003", "i004").drop_nulls("rating")
        assert len(parts) > 0
        given = {(u, i): r for u, i, r in ratings.table().select("user", "item", "rating").rows()}
        for user, item, rating in parts.select("user", "item", "rating").rows():
            assert given[user, item] == pytest.approx(rating)


def test_wrong_settings_are_refused():
    for settings in ({"nodes": "both"}, {"neighbors": 0}, {"damping": -1.0}, {"shrink": -1.0}):
        with pytest.raises(SettingError, match=next(iter(settings))):
            ot.rankers.KNN(**settings)
