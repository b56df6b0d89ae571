import numpy as np
import pytest
from scipy.optimize import minimize

import overtone as ot
from overtone.errors import DataError, SettingError
from overtone.factors import pairs as pairs_file
from overtone.factors.altsvm import Draws, Problem, learn_items, learn_users, objective, restore_items, rounds
from overtone.factors.pairs import Pairs
from overtone.factors.rows import Factors
from tables import random_ratings


def written_out(ratings):
    """Every (user, better item, worse item), by two plain loops."""
    found = []
    table = ratings.by_user
    for user in range(ratings.n_users):
        span = range(table.indptr[user], table.indptr[user + 1])
        found += [
            (user, table.indices[a], table.indices[b])
            for a in span
            for b in span
            if table.data[a] > table.data[b]
        ]
    return found


def problem_of(ratings, l2=3.0, rank=3, seed=0):
    """A problem and float64 factors, for comparisons to many digits."""
    rng = np.random.default_rng(seed)
    problem = Problem(ratings.by_user, Pairs.of(ratings.by_user), l2 / 2)
    sizes = (ratings.n_users, ratings.n_items)
    return problem, Factors(*(rng.normal(size=(size, rank)) for size in sizes))


def plain_objective(ratings, factors, l2):
    losses = [
        max(0.0, 1.0 - factors.users[u] @ (factors.items[i] - factors.items[j])) ** 2
        for u, i, j in written_out(ratings)
    ]
    return sum(losses) + l2 / 2 * sum((side**2).sum() for side in factors)


def dual(problem, alpha, free):
    """The dual's value: what coordinate ascent may never lower."""
    return alpha.sum() - (free**2).sum() / 2 - problem.ridge / 2 * (alpha**2).sum()


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_every_two_ratings_that_differ(seed):
    ratings = random_ratings(seed, users=9, items=12, each=4, high=3)
    pairs, table = Pairs.of(ratings.by_user), ratings.by_user
    users = np.repeat(np.arange(9), pairs.counts)
    listed = zip(users, table.indices[pairs.higher], table.indices[pairs.lower], strict=True)
    assert sorted(listed) == sorted(written_out(ratings))


def test_too_many_pairs_are_refused_with_a_number(monkeypatch):
    monkeypatch.setattr(pairs_file, "MOST", 10)
    with pytest.raises(DataError, match=r"make \d+ pairs, more than the 10 "):
        ot.make_ranker("altsvm").fit(random_ratings(0))


def test_the_objective_is_the_written_one():
    ratings = random_ratings(3, users=8, items=10, each=4)
    problem, factors = problem_of(ratings)
    assert objective(problem, factors) == pytest.approx(plain_objective(ratings, factors, 3.0), rel=1e-12)


def test_either_half_repeated_finds_the_least_objective_of_its_side():
    ratings = random_ratings(1, users=6, items=7, each=4)
    problem, factors = problem_of(ratings)
    rng = np.random.default_rng(5)
    for side in ("items", "users"):
        free = getattr(factors, side)

        def primal(flat, side=side, shape=free.shape):
            return plain_objective(ratings, factors._replace(**{side: flat.reshape(shape)}), 3.0)

        least = minimize(primal, np.zeros(free.size), method="L-BFGS-B", options={"maxiter": 500}).fun
        alpha = np.zeros(problem.pairs.total)
        for _ in range(300):
            draws = Draws.of(problem.pairs, rng)
            if side == "items":
                restore_items(problem, factors, alpha)
                learn_items(problem, factors, alpha, draws)
            else:
                learn_users(problem, factors, alpha, draws, (0, ratings.n_users))
        assert objective(problem, factors) == pytest.approx(least, rel=1e-5)


def test_no_step_lowers_the_dual():
    ratings = random_ratings(2, users=8, items=9, each=4)
    problem, factors = problem_of(ratings)
    rng = np.random.default_rng(7)
    alpha = np.zeros(problem.pairs.total)
    # The problem scaled by 1/l2: its primal is |v|^2/2 + sum loss / l2.
    values = []
    for _ in range(30):
        restore_items(problem, factors, alpha)
        learn_items(problem, factors, alpha, Draws.of(problem.pairs, rng))
        values.append(dual(problem, alpha, factors.items))
    assert np.all(np.diff(values) >= -1e-12)
    assert values[-1] > values[0]
    assert alpha.min() >= 0.0


def test_factors_are_sums_of_the_dual_variables():
    ratings = random_ratings(4, users=6, items=8, each=3)
    problem, factors = problem_of(ratings)
    alpha = np.random.default_rng(0).random(problem.pairs.total)
    expected = np.zeros_like(factors.items)
    users = np.repeat(np.arange(6), problem.pairs.counts)
    for one, user, high, low in zip(alpha, users, problem.pairs.higher, problem.pairs.lower, strict=True):
        expected[ratings.by_user.indices[high]] += one * factors.users[user]
        expected[ratings.by_user.indices[low]] -= one * factors.users[user]
    restore_items(problem, factors, alpha)
    np.testing.assert_allclose(factors.items, expected, rtol=1e-12, atol=1e-12)


def test_rounds_lower_the_objective():
    ratings = random_ratings(6, users=40, items=25, each=8)
    problem, factors = problem_of(ratings, l2=5.0, rank=8)
    by_half = rounds(problem, factors, np.random.default_rng(0), threads=1)
    values = [next(by_half) for _ in range(40)]
    assert values[-1] < 0.9 * values[0]
    assert values[-1] <= values[-3] * 1.001


def test_draws_are_as_many_as_pairs_and_of_those_with_pairs():
    pairs = Pairs.of(random_ratings(5).by_user)
    draws = Draws.of(pairs, np.random.default_rng(1))
    assert draws.counts.sum() == pairs.total
    assert draws.counts[pairs.counts == 0].sum() == 0


def test_items_in_no_pair_come_last_for_everybody_and_for_somebody_new():
    ratings = ot.Ratings.from_arrays(["a", "a", "b", "b", "b"], ["x", "y", "x", "y", "z"], [5, 1, 4, 4, 4])
    model = ot.make_ranker("altsvm", {"l2": 0.01, "rank": 4}).fit(ratings)
    assert model.recommend("a", include_rated=True)["item"].to_list() == ["x", "y", "z"]
    assert model.recommend(ratings={"x": 1, "y": 5, "z": 5}, include_rated=True)["item"].to_list()[-1] == "z"
    # b prefers nothing to anything, and is served the mean taste: here that of a.
    assert model.recommend("b", include_rated=True)["item"].to_list() == ["x", "y", "z"]


def test_somebody_new_is_served_as_the_known_user_with_the_same_ratings():
    ratings = random_ratings(9, users=60, items=20, each=9)
    model = ot.make_ranker("altsvm", {"l2": 20.0, "rank": 8}).fit(ratings)
    agreements = []
    for row in range(20):
        span = slice(*ratings.by_user.indptr[row : row + 2])
        if len(set(ratings.by_user.data[span])) > 1:
            person = dict(
                zip(
                    ratings.items.take(ratings.by_user.indices[span]), ratings.by_user.data[span], strict=True
                )
            )
            new = model.recommend(ratings=person, n=50, include_rated=True).sort("item")["score"]
            old = model.score_block(np.array([row]))[0]
            agreements.append(np.corrcoef(new, old)[0, 1])
    assert np.median(agreements) > 0.99


def test_wrong_settings_are_refused():
    for settings, message in (
        ({"rank": 0}, "rank must be in 1..10000, not 0"),
        ({"l2": 0.0}, "l2 must be a finite number above 0"),
        ({"rounds": 1.3}, "rounds must be whole, or a half more, not 1.3"),
        ({"seed": -1}, "seed must be at least 0"),
    ):
        with pytest.raises(SettingError, match=message):
            ot.make_ranker("altsvm", settings)
