import numpy as np
import pytest

import oracles
import overtone as ot
from overtone.models.completion import Kept, OnDemand
from tables import random_ratings

PLAIN = dict(neighbors=6, symmetric=False, nodes="users", search="exact")


def full_weights(model):
    return oracles.dense(model.weights, len(model.weights.indptr) - 1)


def labels_of(model, item):
    """{user row: residual} of one item."""
    span = slice(*model.by_item.indptr[item : item + 2])
    users = model.by_item.indices[span]
    values = model.emphasis(model.by_item.data[span]) - model.offsets.at(users, np.full(len(users), item))
    return dict(zip(users.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize(
    "settings", [{}, {"mu": 0.5, "inner": 3}, {"grounding": 0.0, "centre": "mean"}, {"symmetric": True}]
)
def test_scores_are_offsets_plus_the_dense_extension_of_residuals(settings):
    ratings = random_ratings(1)
    model = ot.LDM(**PLAIN | settings | {"misfit": 1e-12, "tolerance": 1e-6}).fit(ratings)
    scores = model.score_block(np.arange(ratings.n_users))
    for item in range(ratings.n_items):
        s = model.settings
        f = oracles.extend(full_weights(model), labels_of(model, item), s["mu"], s["inner"], s["grounding"])
        expected = model.offsets.mean + model.offsets.user[:-1] + model.offsets.item[item] + s["strength"] * f
        np.testing.assert_allclose(scores[:, item], expected, atol=1e-4)


def test_somebody_new_on_the_graph_of_items_scores_as_a_user_with_those_ratings_does():
    ratings = random_ratings(8)
    model = ot.LDM(neighbors=8).fit(ratings)
    for user in ("u003", "u020"):
        row = slice(*ratings.by_user.indptr[ratings.users.row(user) :][:2])
        person = dict(
            zip(ratings.items.take(ratings.by_user.indices[row]), ratings.by_user.data[row], strict=True)
        )
        known, new = (model.recommend(**who, n=50) for who in ({"user": user}, {"ratings": person}))
        assert known["item"].to_list() == new["item"].to_list()
        np.testing.assert_allclose(known["score"], new["score"], atol=1e-4)


def test_items_as_nodes_are_users_as_nodes_of_the_swapped_table():
    ratings = random_ratings(2)
    table = ratings.table()
    swapped = ot.Ratings.from_table(table, user="item", item="user")
    same = dict(neighbors=5, centre="mean", grounding=0.1)
    on_items = ot.LDM(nodes="items", **same).fit(ratings).score_block(np.arange(ratings.n_users))
    on_users = ot.LDM(nodes="users", **same).fit(swapped).score_block(np.arange(ratings.n_items))
    np.testing.assert_allclose(on_items, on_users.T, atol=1e-5)


@pytest.mark.parametrize(
    "settings", [{}, {"mu": 0.5, "inner": 2, "misfit": 1e-12}, {"weigh": "ratings"}, {"centre": "item"}]
)
@pytest.mark.parametrize("keep", ["yes", "no"])
def test_folding_somebody_in_is_a_refit_in_which_nobody_links_to_them(settings, keep):
    model = ot.LDM(**PLAIN | settings, keep=keep).fit(random_ratings(3))
    rng = np.random.default_rng(9)
    person = dict(
        zip(rng.permutation(model.items.values.to_numpy())[:7].tolist(), [5, 1, 4, 3, 2, 5, 1], strict=True)
    )
    rows = np.array([model.items.row(item) for item in person])
    said = np.array(list(person.values()), float)
    given = model.emphasis(said)
    whole = ot.Ratings.from_table(
        model.ratings.table().vstack(ot.Ratings.from_arrays(["zz"] * 7, list(person), said).table())
    )
    near = ot.LDM(**PLAIN | settings).fit(whole)  # for the neighbours of the newcomer alone
    own = np.zeros(len(whole.users))
    own[-1] = offset = (given - model.offsets.mean - model.offsets.item[rows]).sum() / (
        7 + model.offsets.user_damping
    )
    W = np.zeros((len(own), len(own)))
    W[:-1, :-1] = full_weights(model)
    if settings.get("weigh") == "ratings":
        W[-1] = full_weights(near)[-1]  # raw ratings: the refit's own row
    else:
        W[-1] = refit_row(model, whole, offset)
    expected = []
    for item in range(model.ratings.n_items):
        labels = labels_of(model, item)
        if item in rows:
            labels[len(own) - 1] = (
                given[rows.tolist().index(item)] - model.offsets.mean - offset - model.offsets.item[item]
            )
        s = model.settings
        f = oracles.extend(W, labels, s["mu"], s["inner"], s["grounding"])
        expected.append(model.offsets.mean + offset + model.offsets.item[item] + s["strength"] * f[-1])
    got = model.recommend(ratings=person, n=100, include_rated=True)
    scores = dict(zip(got["item"], got["score"], strict=True))
    np.testing.assert_allclose([scores[item] for item in model.items.values], expected, atol=1e-4)


def refit_row(model, whole, offset):
    """The newcomer's row of W by definition: nearest by overlap, weights of residuals on what both rated."""
    own = oracles.dense(model.emphasis.heard(whole).by_user, whole.n_items)[-1]
    has = oracles.present(whole.by_user, whole.n_items)
    full = np.vstack(
        [
            oracles.dense(model.points, whole.n_items),
            own - model.offsets.mean - offset - model.offsets.item[:-1],
        ]
    )
    points = whole.by_user._replace(data=full[np.nonzero(has)])
    s = model.settings
    weights = oracles.weights(points, whole.n_items, damping=s["damping"], overlapping=s["overlapping"])[-1]
    row = np.zeros(len(whole.users))
    for other, _ in oracles.nearest(whole.by_user, whole.n_items, s["neighbors"])[-1]:
        row[other] = weights[other]
    return row


def test_a_matrix_kept_and_blocks_on_demand_give_the_same():
    ratings = random_ratings(4, users=60, items=70)
    for nodes in ("users", "items"):
        kept = ot.LDM(nodes=nodes, keep="yes", tolerance=1e-6).fit(ratings)
        not_kept = ot.LDM(nodes=nodes, keep="no", tolerance=1e-6).fit(ratings)
        assert isinstance(kept.completion, Kept)
        assert isinstance(not_kept.completion, OnDemand)
        assert not_kept.chunk() >= 60  # one pass over the items, not one for each block of users
        everybody = np.arange(60)
        np.testing.assert_allclose(kept.score_block(everybody), not_kept.score_block(everybody), atol=1e-5)
        np.testing.assert_allclose(
            kept.completion.seen(everybody), not_kept.completion.seen(everybody), atol=1e-5
        )
        np.testing.assert_allclose(kept.score_ratings(ratings), not_kept.score_ratings(ratings), atol=1e-5)
        assert kept.recommend_all(n=5)["item"].to_list() == not_kept.recommend_all(n=5)["item"].to_list()


def test_a_user_without_neighbours_gets_the_prior():
    ratings = ot.Ratings.from_arrays(
        ["a", "a", "b", "b", "alone"], ["x", "y", "x", "y", "z"], [5, 1, 4, 2, 3]
    )
    model = ot.LDM(nodes="users", centre="mean", emphasis=0.0).fit(ratings)
    np.testing.assert_allclose(model.score(["alone", "alone"], ["x", "y"]), [3.0, 3.0])
    assert model.explain("alone", "x")["source"].to_list()[0] == "mean rating"


def test_the_result_says_whether_it_converged():
    model = ot.LDM().fit(random_ratings(5))
    assert model.converged
    assert len(model.unconverged) == 0
    strict = ot.LDM(tolerance=1e-12).fit(random_ratings(5))
    assert not strict.converged
    assert strict.unconverged.columns[-1] == "residual"
    assert (strict.unconverged["residual"] > 1e-12).all()


def test_re_estimating_stops_when_little_moves():
    ratings = random_ratings(6)
    two, stopped, on = (
        ot.LDM(**PLAIN, outer=outer, settle=settle).fit(ratings).score_block(np.arange(30))
        for outer, settle in ((2, 1e-9), (6, 1e9), (6, 1e-9))
    )
    np.testing.assert_array_equal(stopped, two)
    assert np.abs(on - two).max() > 1e-4


def test_re_estimating_the_graph_ties_by_completed_rows():
    ratings = random_ratings(6)
    once, twice = (
        ot.LDM(**PLAIN, weigh="ratings", centre="mean", strength=1.0, outer=outer).fit(ratings)
        for outer in (1, 2)
    )
    rows = once.score_block(np.arange(ratings.n_users))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.where(full_weights(once) > 0, unit @ unit.T, 0.0)
    np.testing.assert_allclose(full_weights(twice), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"neighbors": 0}, "neighbors must be at least 1, not 0"),
        ({"mu": 0.0}, "mu must be a finite number above 0, not 0.0"),
        ({"grounding": -1.0}, "grounding must be a finite number at least 0, not -1.0"),
        ({"search": "annoy"}, "search must be one of exact, kdtree, agreement, not 'annoy'"),
        ({"emphasis": -1}, "emphasis must be a finite number at least 0, not -1"),
        ({"strength": 0}, "strength must be a finite number above 0, not 0"),
        ({"search": "kdtree", "neighbors": 500}, r"comparisons must be at least neighbors \(500\), not 256"),
        ({"hard": True, "mu": 2.0}, "hard labels need mu 1"),
        ({"outer": 2, "keep": "no"}, "keep must not be no"),
        ({"nodes": "movies"}, "nodes must be one of users, items"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings, message):
    with pytest.raises(ot.OvertoneError, match=message):
        ot.LDM(**settings)
