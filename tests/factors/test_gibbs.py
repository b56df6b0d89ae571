import numpy as np
import pytest

import overtone as ot
from overtone.errors import SettingError
from overtone.factors import gibbs
from overtone.factors.dense import multiply
from overtone.factors.gaussian import Draw, Gaussian, fold
from overtone.factors.gibbs import Prior, Side, Tables
from overtone.kernels import transpose
from overtone.models.bayesian import Standard
from overtone.rankers import bayesian
from tables import checkerboard, random_ratings, sparse

USERS, ITEMS, RANK, NOISE = 7, 6, 2, 1.7


@pytest.fixture
def tables():
    """Ratings of which one user and one item have none."""
    rng = np.random.default_rng(3)
    rated = rng.random((USERS, ITEMS)) < 0.5
    rated[0], rated[:, 1] = False, False
    by_user = sparse(np.where(rated, rng.normal(size=rated.shape), 0.0))
    return Tables(by_user, transpose(by_user, ITEMS))


@pytest.fixture
def sides(tables):
    """Both sides with all their numbers drawn at will."""
    rng = np.random.default_rng(5)
    found = []
    for table, others in ((tables.by_user, ITEMS), (tables.by_item, USERS)):
        side = Side.start(np.diff(table.indptr).astype(float), others, RANK, rng)
        side.own[:], side.implicit[:] = rng.normal(size=side.own.shape), rng.normal(size=side.implicit.shape)
        prior = Prior(*(rng.random(RANK + 1) + 0.5 for _ in range(4)))
        found.append(side._replace(prior=prior))
    return found


def features(table, side):
    """One row a thing: which own and which implicit coefficients its total is the sum of."""
    size, others = side.own.shape[1], side.implicit.shape[1]
    rated = np.zeros((size, others))
    for row in range(size):
        rated[row, table.indices[table.indptr[row] : table.indptr[row + 1]]] = side.weight[row]
    return np.hstack([np.eye(size), rated])


def test_totals_and_residual_are_those_of_the_model(tables, sides):
    residual = gibbs.residual_of(tables, *sides)
    users, items = (
        features(table, side) @ np.hstack([side.own, side.implicit]).T
        for table, side in zip(tables, sides, strict=True)
    )
    np.testing.assert_allclose(sides[0].total.T, users)
    expected = users[:, RANK, None] + items[:, RANK] + users[:, :RANK] @ items[:, :RANK].T
    rows = np.repeat(np.arange(USERS), np.diff(tables.by_user.indptr))
    np.testing.assert_allclose(residual, tables.by_user.data - expected[rows, tables.by_user.indices])


@pytest.mark.parametrize("f", [0, 1, RANK])
@pytest.mark.parametrize("which", [0, 1])
def test_a_column_is_drawn_from_the_dense_conditional(tables, sides, which, f):
    """The joint normal of own and implicit coefficients, written densely; own ones integrated out first."""
    residual = gibbs.residual_of(tables, *sides)
    side, table = sides[which], tables[which]
    rows = np.repeat(np.arange(USERS), np.diff(tables.by_user.indptr))
    places = (rows, tables.by_user.indices)
    other = sides[1 - which].total[f][places[1 - which]] if f < RANK else np.ones(len(rows))
    design = features(table, side)[places[which]] * other[:, None]
    before, size = np.concatenate([side.own[f], side.implicit[f]]), side.own.shape[1]
    numbers = gibbs.numbers_of(side.prior, f, NOISE)
    own = np.arange(len(before)) < size
    precision = np.where(own, numbers.own_precision, numbers.implicit_precision)
    mean = np.where(own, numbers.own_mean, numbers.implicit_mean)
    P = np.diag(precision) + NOISE * design.T @ design
    b = precision * mean + NOISE * design.T @ (residual + design @ before)
    normals = np.random.default_rng(9).normal(size=len(before))
    after = before.copy()
    P_implicit = P[size:, size:] - P[size:, :size] @ np.linalg.solve(P[:size, :size], P[:size, size:])
    b_implicit = b[size:] - P[size:, :size] @ np.linalg.solve(P[:size, :size], b[:size])
    implicit = after[size:]
    for j in range(len(implicit)):
        rest = b_implicit[j] - P_implicit[j] @ implicit + P_implicit[j, j] * implicit[j]
        implicit[j] = rest / P_implicit[j, j] + normals[size + j] / np.sqrt(P_implicit[j, j])
    after[:size] = np.linalg.solve(P[:size, :size], b[:size] - P[:size, size:] @ implicit)
    after[:size] += normals[:size] / np.sqrt(np.diag(P)[:size])
    column, total = gibbs.column_of(side, f), side.total[f].copy()
    np.add.at(column.curve, places[which], other**2)
    np.add.at(column.slope, places[which], other * residual)
    gibbs.draw(column, tables[1 - which], numbers, normals)
    np.testing.assert_allclose(np.concatenate([side.own[f], side.implicit[f]]), after, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(side.total[f], features(table, side) @ after, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(total + column.change, side.total[f], rtol=1e-9, atol=1e-12)


def test_the_residual_stays_that_of_the_model_through_sweeps(tables, sides):
    residual = gibbs.residual_of(tables, *sides)
    rng = np.random.default_rng(2)
    for _ in range(5):
        gibbs.sweep(tables, tuple(sides), residual, NOISE, rng.normal(size=(RANK + 1, 2 * (USERS + ITEMS))))
    np.testing.assert_allclose(residual, gibbs.residual_of(tables, *sides), atol=1e-10)


def test_priors_are_drawn_from_the_normal_and_gamma_of_the_coefficients():
    """Against the moments of the posterior: a gamma for the precision, a Student t for the mean."""
    rng = np.random.default_rng(4)
    values = rng.normal(0.7, 0.4, size=(1, 12))
    n, c = 12, values.mean()
    a = 0.5 * (gibbs.SHAPE + n)
    b = 0.5 * (gibbs.RATE + np.square(values - c).sum() + n * gibbs.TIES / (n + gibbs.TIES) * c**2)
    drawn = np.empty((2, 40_000))
    for k in range(drawn.shape[1]):
        mean, precision = np.empty(1), np.empty(1)
        gibbs.draw_prior(values, mean, precision, rng)
        drawn[:, k] = mean[0], precision[0]
    assert drawn[1].mean() == pytest.approx(a / b, rel=0.02)
    assert drawn[1].var() == pytest.approx(a / b**2, rel=0.05)
    assert drawn[0].mean() == pytest.approx(n * c / (n + gibbs.TIES), abs=0.005)
    assert drawn[0].var() == pytest.approx(b / (a - 1) / (n + gibbs.TIES), rel=0.05)


def test_with_fixed_priors_the_chain_has_the_moments_of_the_prior_where_nothing_is_rated(tables, sides):
    """A user without ratings is drawn from the prior: mean and variance of its bias over many sweeps."""
    residual = gibbs.residual_of(tables, *sides)
    rng = np.random.default_rng(6)
    drawn = []
    for _ in range(20_000):
        gibbs.sweep(tables, tuple(sides), residual, NOISE, rng.normal(size=(RANK + 1, 2 * (USERS + ITEMS))))
        drawn.append(sides[0].own[RANK, 0])
    prior = sides[0].prior
    assert np.mean(drawn) == pytest.approx(prior.own_mean[RANK], abs=0.03)
    assert np.var(drawn) == pytest.approx(1.0 / prior.own_precision[RANK], rel=0.05)


def test_one_draw_is_kept_whole_where_the_basis_is_wide_enough():
    """Mean and covariance of all scores under one draw, against those of the distribution that is kept."""
    rng = np.random.default_rng(1)
    basis = np.hstack([rng.normal(size=(9, 2)), np.ones((9, 1))])
    draw = Draw(basis, rng.normal(size=9), rng.normal(size=(9, 3)), rng.normal(size=3), rng.random(3) + 0.5)
    found = Gaussian.of([draw], basis @ rng.normal(size=(3, 8)), 9)
    np.testing.assert_allclose(found.offset, draw.offset + basis @ draw.prior, rtol=1e-9)
    covariance = found.basis @ np.linalg.inv(found.stiff) @ found.basis.T
    np.testing.assert_allclose(covariance, (basis / draw.precision) @ basis.T, atol=1e-4)
    np.testing.assert_allclose(found.basis @ found.lift.T, basis @ draw.lift.T, atol=1e-9)


def test_folding_in_is_the_dense_conditional_mean():
    rng = np.random.default_rng(2)
    basis = np.linalg.qr(rng.normal(size=(9, 4)))[0]
    root = rng.normal(size=(4, 4))
    gaussian = Gaussian(basis, rng.normal(size=9), rng.normal(size=(9, 4)), root @ root.T + np.eye(4))
    table = sparse(np.where(rng.random((3, 9)) < 0.5, rng.normal(size=(3, 9)), 0.0))
    found = np.empty((3, 4))
    fold(gaussian, table, NOISE, (0, 3), found)
    for person in range(3):
        span = slice(table.indptr[person], table.indptr[person + 1])
        items, values = table.indices[span], table.data[span]
        mean = gaussian.lift[items].sum(axis=0) / np.sqrt(max(len(items), 1))
        left = values - gaussian.offset[items] - basis[items] @ mean
        system = gaussian.stiff + NOISE * basis[items].T @ basis[items]
        np.testing.assert_allclose(
            found[person], mean + np.linalg.solve(system, NOISE * basis[items].T @ left)
        )


def test_matrices_are_multiplied():
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(5, 7)), rng.normal(size=(7, 3))
    np.testing.assert_allclose(multiply(left, right), left @ right)


def test_a_known_user_has_the_scores_of_somebody_new_with_the_same_ratings():
    ratings = random_ratings(4, users=30, items=20, each=7)
    model = ot.make_ranker("bayesian", {"sweeps": 60, "burn": 20, "rank": 3}).fit(ratings)
    span = slice(*ratings.by_user.indptr[5:7])
    person = dict(
        zip(ratings.items.take(ratings.by_user.indices[span]), ratings.by_user.data[span], strict=True)
    )
    new = model.recommend(ratings=person, n=50, include_rated=True).sort("item")["score"]
    np.testing.assert_allclose(new, model.score_block(np.array([5]))[0], rtol=1e-6)


def test_fewer_draws_are_kept_where_items_are_many(monkeypatch):
    ranker = ot.rankers.Bayesian()
    assert ranker._every(3_706) == 2
    assert ranker._every(200_000) == 20
    monkeypatch.setattr(bayesian, "DRAWS", 7)
    assert ranker._every(3_706) == 29


def test_ratings_are_standardised_and_equal_ones_are_left_at_0():
    table = sparse(np.array([[1.0, 5.0], [3.0, 3.0]]))
    standard = Standard.of(table.data)
    assert standard.put(table).data.std() == pytest.approx(1.0)
    assert not Standard.of(np.full(4, 2.5)).put(table._replace(data=np.full(4, 2.5))).data.any()


def test_more_chains_are_averaged_and_other_seeds_differ():
    board = checkerboard()
    settings = {"sweeps": 30, "burn": 10, "rank": 2}
    models = [
        ot.make_ranker("bayesian", settings | more).fit(board).score_block(np.arange(24))
        for more in ({"chains": 1}, {"chains": 3}, {"chains": 1, "seed": 1})
    ]
    assert not np.allclose(models[0], models[1])
    assert not np.allclose(models[0], models[2])


def test_wrong_settings_are_refused():
    for settings in (
        {"rank": 0},
        {"sweeps": 0},
        {"burn": 250},
        {"chains": 0},
        {"width": 0},
        {"noise": 0.0},
        {"seed": -1},
    ):
        with pytest.raises(SettingError, match=next(iter(settings))):
            ot.make_ranker("bayesian", settings)


def test_an_explanation_has_a_surplus_and_its_weight_for_each_rating_and_nothing_left_over():
    ratings = random_ratings(4, users=30, items=20, each=7)
    model = ot.make_ranker("bayesian", {"sweeps": 60, "burn": 20, "rank": 3}).fit(ratings)
    parts = model.explain("u005", "i003")
    assert set(parts["source"]) == {"this item", "for who rated the same items", "rating"}
    # A rating one higher moves the score by its weight.
    own = dict(parts.drop_nulls("rating").select("item", "rating").rows())
    weight = dict(parts.drop_nulls("rating").select("item", "weight").rows())
    before = model.recommend(ratings=own, n=50, include_rated=True).filter(item="i003")["score"][0]
    item = max(weight, key=lambda one: abs(weight[one]))
    after = model.recommend(ratings=own | {item: own[item] + 1}, n=50, include_rated=True).filter(item="i003")
    assert after["score"][0] - before == pytest.approx(weight[item], rel=1e-3)
