"""Whole fits, and newcomers, against the twins in `oracle_factors`."""

import numpy as np
import pytest

import oracle_factors
import overtone as ot
from overtone.factors import gibbs
from overtone.factors.altsvm import Draws, Problem, objective, rounds
from overtone.factors.anchors import L2, RATE, Anchors, nearness, one_round
from overtone.factors.dense import multiply, orthonormalise, symmetric_eigen
from overtone.factors.gaussian import Draw, Gaussian
from overtone.factors.lcr import Local
from overtone.factors.losses import LOSSES
from overtone.factors.pairs import Pairs
from overtone.factors.rows import Factors
from overtone.kernels import transpose
from overtone.models.person import Person
from overtone.rankers.bayesian import Sampler
from tables import random_ratings


@pytest.fixture
def ratings():
    """Ratings from 1 to 5, so that they are their own scale."""
    return random_ratings(3, users=12, items=9, each=5)


def person_of(ratings, row):
    span = slice(*ratings.by_user.indptr[row : row + 2])
    items = ratings.items.take(ratings.by_user.indices[span])
    return Person.of(dict(zip(items, ratings.by_user.data[span], strict=True)), ratings.items, lenient=False)[
        0
    ]


def in_pairs(ratings):
    """Which users have a pair, and which items are rated by one who has."""
    table = ratings.by_user
    users = np.array([bool(oracle_factors.pairs_of(table, user)) for user in range(ratings.n_users)])
    items = np.zeros(ratings.n_items, bool)
    items[table.indices[users[ratings.user_rows]]] = True
    return users, items


@pytest.mark.parametrize("loss", LOSSES)
def test_ranksvd_is_its_twin(ratings, loss):
    settings = {"loss": loss, "rank": 3, "rate": 5.0, "rounds": 6, "l2": 1e-3, "hold": 0.0, "start": 2.0}
    model = ot.make_ranker("ranksvd", settings).fit(ratings)
    rng = np.random.default_rng(0)
    start = [rng.random((size, 3)) * 2.0 / 3.0 for size in (12, 9)]
    rates = [(5.0 / number**0.5 / 250, 5.0 / number**0.5) for number in range(1, 7)]
    U, V = oracle_factors.ranksvd(ratings.by_user, start, loss, rates, 1e-3)
    users, items = in_pairs(ratings)
    np.testing.assert_allclose(model.tastes[:-1][users], U[users], rtol=1e-5)
    np.testing.assert_allclose(model.traits[:-1][items], V[items], rtol=1e-5)
    np.testing.assert_allclose(model.traits[:-1][~items], 1.0 / 3.0, rtol=1e-6)
    np.testing.assert_allclose(model.tastes[-1], U[users].mean(axis=0), rtol=1e-5)


def test_somebody_new_goes_through_ranksvds_rounds_with_the_items_standing_still(ratings):
    settings = {"rank": 3, "rate": 8.0, "rounds": 5, "l2": 1e-3, "hold": 0.0}
    model = ot.make_ranker("ranksvd", settings).fit(ratings)
    person = person_of(ratings, 4)
    U, V = model.tastes[-1:].astype(float), model.traits.astype(float)
    for number in range(1, 6):
        rate = 8.0 / number**0.5
        U = oracle_factors.ranksvd(person.row, (U, V), "exp_add", [(rate / 250, rate)], 1e-3)[0]
    np.testing.assert_allclose(model.fold(person)[0], U[0], rtol=1e-5)


@pytest.mark.parametrize("loss", ["exp_add", "log_mult"])
def test_lcr_is_its_twin(ratings, loss):
    settings = {"loss": loss, "models": 3, "rank": 2, "rate": 4.0, "rounds": 5, "l2": 1e-3, "hold": 0.0}
    model = ot.make_ranker("lcr", settings | {"width": 1.2, "floor": 0.05, "start": 0.5}).fit(ratings)
    anchors = Anchors.of(ratings.by_user, 9, 10, 3, 0)
    rng = np.random.default_rng([0, 3])
    users, items = (0.5 * rng.random((size, 3, 2)) for size in (12, 9))
    near_users = nearness(anchors.users, anchors.user_anchors, 1.2, 0.05)
    near_items = nearness(anchors.items, anchors.item_anchors, 1.2, 0.05)
    U, V = oracle_factors.lcr(
        ratings.by_user, Local(users, items, near_users, near_items), loss, 5, 4.0 / 250, 2 * 4.0 * 1e-3
    )
    some, rated = in_pairs(ratings)
    np.testing.assert_allclose(model.local.users[:-1][some], U[some], rtol=1e-9)
    np.testing.assert_allclose(model.local.items[:-1][rated], V[rated], rtol=1e-9)
    np.testing.assert_allclose(model.local.near_users[:-1], near_users)
    np.testing.assert_allclose(model.local.near_items[-1], near_items.mean(axis=0))


def test_somebody_new_goes_through_lcrs_rounds_near_the_anchors_that_their_ratings_say(ratings):
    settings = {"models": 3, "rank": 2, "rate": 5.0, "rounds": 4, "hold": 0.0, "width": 1.2, "l2": 1e-4}
    model = ot.make_ranker("lcr", settings).fit(ratings)
    person = person_of(ratings, 4)
    features = model.anchors.items[person.items]
    normal = features.T @ features + L2 * len(features) * np.eye(10)
    vector = np.linalg.solve(normal, features.T @ person.values)
    near = nearness(vector[None, :], model.anchors.user_anchors, 1.2)
    local = model.local._replace(users=model.local.users[-1:], near_users=near)
    U, _ = oracle_factors.lcr(person.row, local, "exp_add", 1, 5.0 / 250, 2 * 5.0 * 1e-4)
    for _ in range(3):
        U, _ = oracle_factors.lcr(
            person.row, local._replace(users=U), "exp_add", 1, 5.0 / 250, 2 * 5.0 * 1e-4
        )
    expected = []
    for item in range(9):
        weights = near[0] * model.local.near_items[item]
        products = (U[0] * model.local.items[item]).sum(axis=1)
        expected.append(weights @ products / weights.sum() if weights.sum() > 0 else products.mean())
    np.testing.assert_allclose(model.score_person(person), expected, rtol=1e-8)


def test_a_round_of_the_global_factorisation_is_its_twin(ratings):
    rng = np.random.default_rng(1)
    users, items = rng.random((12, 3)), rng.random((9, 3))
    P, Q = users.copy(), items.copy()
    table, missed = ratings.by_user, 0.0
    for user, item, value in zip(ratings.user_rows, table.indices, table.data, strict=True):
        error = value - P[user] @ Q[item]
        missed += abs(error)
        P[user], Q[item] = (
            P[user] + RATE * (error * Q[item] - L2 * P[user]),
            Q[item] + RATE * (error * P[user] - L2 * Q[item]),
        )
    assert one_round(table, users, items) == pytest.approx(missed / len(table.data))
    np.testing.assert_allclose(users, P, rtol=1e-9)
    np.testing.assert_allclose(items, Q, rtol=1e-9)


@pytest.mark.parametrize("halves", [1, 2, 5])
def test_altsvm_is_its_twin(ratings, halves):
    table = ratings.by_user
    pairs = Pairs.of(table)
    factors = Factors.uniform((12, 9), 4, 0.5, np.random.default_rng(0))
    start = Factors(*(side.copy() for side in factors))
    by_half = rounds(Problem(table, pairs, 1.5), factors, np.random.default_rng(5), threads=1)
    for _ in range(halves):
        next(by_half)
    rng = np.random.default_rng(5)
    draws = [Draws.of(pairs, rng) for _ in range(halves)]
    U, V = oracle_factors.altsvm(table, pairs, start, 3.0, draws)
    np.testing.assert_allclose(factors.users, U, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(factors.items, V, rtol=1e-3, atol=1e-5)


def test_altsvms_settings_are_those_of_its_problem(ratings):
    pairs = Pairs.of(ratings.by_user)
    rng = np.random.default_rng(7)
    start = Factors.uniform((12, 9), 4, 0.5, rng)
    draws = [Draws.of(pairs, rng) for _ in range(2)]
    for settings, l2 in (({"l2": 3.0}, 3.0), ({"l2": 0.2, "relative": True}, 0.2 * pairs.total / 12)):
        model = ot.make_ranker("altsvm", settings | {"rank": 4, "seed": 7, "rounds": 1.0}).fit(ratings)
        U, V = oracle_factors.altsvm(ratings.by_user, pairs, start, l2, draws)
        some, paired = in_pairs(ratings)
        np.testing.assert_allclose(model.tastes[:-1][some], U[some], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(model.traits[:-1][paired], V[paired], rtol=1e-3, atol=1e-5)
        assert model.ridge == pytest.approx(l2 / 2)


@pytest.mark.parametrize("tolerance", [0.3, 1e-2, 1e-3])
def test_altsvm_stops_where_a_round_gains_too_little(ratings, tolerance):
    seen = []
    settings = {"l2": 8.0, "rank": 3, "tolerance": tolerance}
    ot.make_ranker("altsvm", settings).fit(ratings, progress=lambda *told: seen.append(told))
    rng = np.random.default_rng(0)
    problem = Problem(ratings.by_user, Pairs.of(ratings.by_user), 4.0)
    factors = Factors.uniform((12, 9), 3, 1.0 / 3**0.5, rng)
    before, by_half = objective(problem, factors), rounds(problem, factors, rng, 1)
    halves, now = 0, -np.inf
    while halves < 40 and not before - now < tolerance * before:
        before = now if halves else before
        next(by_half)
        now, halves = next(by_half), halves + 2
    assert [done for stage, done, _ in seen if stage == "half rounds"][-1] == halves


def test_a_newcomers_taste_is_no_longer_than_the_longest():
    """Somebody with many and clear preferences, among users with few."""
    ratings = random_ratings(5, users=30, items=12, each=2)
    model = ot.make_ranker("altsvm", {"l2": 5.0, "rank": 4}).fit(ratings)
    best = model.recommend("u000", n=12, include_rated=True)["item"]
    person = Person.of({item: 12.0 - k for k, item in enumerate(best)}, ratings.items, lenient=False)[0]
    longest = np.linalg.norm(model.tastes, axis=1).max()
    assert np.linalg.norm(model.fold(person)[0]) == pytest.approx(longest, rel=1e-5)


def test_newcomers_have_the_mean_taste_where_users_had_no_turn(ratings):
    model = ot.make_ranker("altsvm", {"rank": 4, "rounds": 0.5}).fit(ratings)
    np.testing.assert_array_equal(model.fold(person_of(ratings, 4))[0], model.tastes[-1])


def test_what_is_in_no_pair_has_the_middle_of_the_start_and_the_mean_nearness():
    user, item = ["a", "a", "b", "b", "c"], ["x", "y", "x", "y", "z"]
    ratings = ot.Ratings.from_arrays(user, item, [5.0, 1.0, 4.0, 2.0, 3.0])
    found = ot.make_ranker("ranksvd", {"rank": 2, "start": 3.0}).fit(ratings)
    np.testing.assert_allclose(found.traits[2], 3.0 / 2 / 2)
    kept = random_ratings(3, users=12, items=9, each=5)
    kept = kept.keep((kept.user_rows != 4) & (kept.by_user.indices != 6))
    local = ot.make_ranker("lcr", {"rounds": 2, "start": 0.6, "width": 1.5}).fit(kept).local
    np.testing.assert_allclose(local.items[6], 0.3)
    others, items = np.arange(12) != 4, np.arange(9) != 6
    np.testing.assert_allclose(local.near_users[4], local.near_users[:-1][others].mean(axis=0))
    np.testing.assert_allclose(local.near_items[6], local.near_items[:-1][items].mean(axis=0))


def test_an_anchor_is_a_user_and_an_item_that_this_user_rated_and_the_descent_has_settled():
    table = random_ratings(8, users=200, items=40, each=5).by_user
    anchors = Anchors.of(table, 40, rank=3, models=25, seed=0)
    for user_anchor, item_anchor in zip(anchors.user_anchors, anchors.item_anchors, strict=True):
        user = int(np.flatnonzero((anchors.users == user_anchor).all(axis=1))[0])
        item = int(np.flatnonzero((anchors.items == item_anchor).all(axis=1))[0])
        assert item in table.indices[table.indptr[user] : table.indptr[user + 1]]
    users, items = anchors.users.copy(), anchors.items.copy()
    assert abs(one_round(table, users, items) - one_round(table, users, items)) < 1e-2


def test_priors_are_held_for_the_first_sweeps():
    table = random_ratings(1).by_user
    sampled = gibbs.chain(gibbs.Tables(table, transpose(table, 20)), 2, 1.6, np.random.default_rng(0))
    for sweep in range(gibbs.HELD + 1):
        users, _ = next(sampled)
        assert (users.prior.own_precision == gibbs.FIRST).all() == (sweep < gibbs.HELD)
    assert gibbs.HELD == 5


@pytest.mark.parametrize("name", ["altsvm", "lcr", "biased-mf", "bayesian", "item-knn"])
def test_many_blocks_of_users_give_the_same_bytes_for_any_number_of_threads(name):
    ratings = random_ratings(2, users=700, items=300, each=6)
    quick = {
        "altsvm": {"rounds": 2.0, "rank": 8},
        "lcr": {"rounds": 4},
        "bayesian": {"sweeps": 12, "burn": 2, "rank": 3},
    }
    ranker = ot.make_ranker(name, quick.get(name, {}))
    scores = [
        ranker.fit(ratings, threads=threads).score_block(np.arange(700)).tobytes() for threads in (1, 2, 7)
    ]
    assert scores[0] == scores[1] == scores[2]


def test_sums_of_a_users_and_an_items_ratings_are_the_dense_ones():
    rng = np.random.default_rng(3)
    ratings = random_ratings(6, users=8, items=6, each=3)
    table = ratings.by_user
    residual, by_users, by_items, change = (rng.normal(size=size) for size in (len(table.data), 8, 6, 8))
    room = [gibbs.Side.start(np.ones(size), 3, 1, rng) for size in (8, 6)]
    users, items = (gibbs.column_of(side, 0) for side in room)
    rows, columns, before = ratings.user_rows, table.indices, residual.copy()
    gibbs.pool(table, residual, by_items, users)
    np.testing.assert_allclose(users.curve, np.bincount(rows, by_items[columns] ** 2, 8))
    np.testing.assert_allclose(users.slope, np.bincount(rows, by_items[columns] * before, 8))
    gibbs.pass_on(table, residual, (change, by_users, by_items), items)
    after = before - change[rows] * by_items[columns]
    np.testing.assert_allclose(residual, after)
    np.testing.assert_allclose(items.curve, np.bincount(columns, by_users[rows] ** 2, 6))
    np.testing.assert_allclose(items.slope, np.bincount(columns, by_users[rows] * after, 6))
    gibbs.settle(table, residual, by_users, by_items)
    np.testing.assert_allclose(residual, after - by_users[rows] * by_items[columns])


def test_draws_are_kept_after_the_burn_in_evenly_and_the_last_one_always():
    ratings = random_ratings(1)
    table = ratings.by_user
    settings = ot.rankers.Bayesian(sweeps=21, burn=10, rank=2, width=4)
    sampler = Sampler.of(gibbs.Tables(table, transpose(table, ratings.n_items)), settings, 0)
    kept = []
    for sweep in range(21):
        sampler.advance(range(sweep, sweep + 1), settings.burn, 4)
        kept.append(len(sampler.kept))
    assert [sweep for sweep in range(21) if kept[sweep] > (kept[sweep - 1] if sweep else 0)] == [12, 16, 20]


def test_several_draws_are_one_distribution_with_their_mean_and_covariance():
    """The covariance of scores over all draws: within each, and of the draws' means."""
    rng = np.random.default_rng(1)
    shared = np.hstack([rng.normal(size=(9, 2)), np.ones((9, 1))])
    draws = [
        Draw(
            shared,
            shared @ rng.normal(size=3),
            rng.normal(size=(9, 3)),
            rng.normal(size=3),
            rng.random(3) + 0.5,
        )
        for _ in range(5)
    ]
    found = Gaussian.of(draws, shared @ rng.normal(size=(3, 8)), 9)
    means = np.array([draw.offset + shared @ draw.prior for draw in draws])
    within = np.mean([(shared / draw.precision) @ shared.T for draw in draws], axis=0)
    np.testing.assert_allclose(found.offset, means.mean(axis=0), rtol=1e-9)
    covariance = found.basis @ np.linalg.inv(found.stiff) @ found.basis.T
    np.testing.assert_allclose(covariance, within + np.cov(means.T, bias=True), atol=1e-3)


def test_an_unrated_item_is_what_is_expected_of_one():
    rng = np.random.default_rng(0)
    users = gibbs.Side.start(np.ones(4), 3, 2, rng)
    items = gibbs.Side.start(np.array([2.0, 0.0, 1.0]), 4, 2, rng)
    items.total[:] = rng.normal(size=items.total.shape)
    items.prior.own_mean[:] = [0.3, -0.2, 0.7]
    draw = Draw.of(users, items)
    np.testing.assert_allclose(draw.basis[1], [0.3, -0.2, 1.0], rtol=1e-6)
    assert draw.offset[1] == pytest.approx(0.7)
    np.testing.assert_allclose(draw.basis[0], [*items.total[:2, 0], 1.0], rtol=1e-6)


def test_eigenvectors_and_orthonormal_rows_are_those_of_numpy():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(7, 5))
    matrix = root @ root.T
    values, vectors = symmetric_eigen(matrix)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1], atol=1e-10)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, matrix, atol=1e-10)
    rows = np.vstack([rng.normal(size=(3, 6)), np.zeros(6)])
    rows[2] = 2.0 * rows[0] - rows[1]
    whole = rows.copy()
    orthonormalise(rows)
    np.testing.assert_allclose(
        multiply(rows, np.ascontiguousarray(rows.T)), np.diag([1.0, 1.0, 0.0, 0.0]), atol=1e-12
    )
    np.testing.assert_allclose(rows[:2].T @ rows[:2] @ whole[1], whole[1], atol=1e-12)


@pytest.mark.parametrize("name", ["ranksvd", "lcr"])
def test_where_nothing_can_be_held_out_all_rounds_are_run(name):
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(200), 2)
    item = np.concatenate([rng.permutation(12)[:2] for _ in range(200)])
    ratings = ot.Ratings.from_arrays(user, item, 1.0 + item % 5)
    model = ot.make_ranker(name, {"rounds": 7}).fit(ratings)
    assert (model.learned.ran, model.learned.rate) == (7, ot.rankers.PRESETS[name].defaults()["rate"])


def test_a_rate_whose_first_round_does_not_help_is_halved():
    ratings = ot.datasets.synthetic(users=300, items=40, ratings=6_000, seed=1)
    model = ot.make_ranker("ranksvd", {"rate": 1e5}).fit(ratings)
    assert 0 < model.learned.rate < 1e5
    assert model.learned.ran >= 1
    assert float(ot.ndcg(model, ratings)) > float(ot.ndcg(ot.rankers.Random().fit(ratings), ratings))
