"""AltSVM: by turns the items' and the users' factors, each by dual coordinate descent on random pairs.

With one side fixed, the problem is a support vector machine with squared hinge loss. Its dual has
one variable `alpha >= 0` a pair, and the free factors are sums of the fixed ones:

    u = sum alpha (v_i - v_j),    v_i = sum alpha u  over pairs that i wins, minus those that it loses.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from overtone.factors.pairs import Pairs
from overtone.factors.rows import Factors, add, dot, pick
from overtone.kernels import Csr, Floats, summing
from overtone.parallel import in_order, spans

WIDTH = 256


class Problem(NamedTuple):
    """The ratings, their pairs, and half of lambda."""

    ratings: Csr
    pairs: Pairs
    ridge: float


class Draws(NamedTuple):
    """How many pairs of each user are drawn, the key of each user's draws, and whose turn is when."""

    counts: NDArray[np.int64]
    keys: NDArray[np.uint64]
    order: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: Pairs, rng: np.random.Generator) -> Self:
        """Draw as many pairs, with replacement, as there are, and arrange them by user."""
        counts = rng.multinomial(pairs.total, pairs.counts / max(pairs.total, 1))
        keys = rng.integers(0, 2**64, len(counts), np.uint64)
        return cls(counts, keys, rng.permutation(len(counts)))


def rounds(
    problem: Problem, factors: Factors, rng: np.random.Generator, threads: int | None = None
) -> Iterator[float]:
    """Improve the factors in place, yielding the objective after each half round: items, then users."""
    of_items, of_users = (np.zeros(problem.pairs.total, factors.users.dtype) for _ in range(2))
    blocks = spans(len(factors.users), WIDTH)
    while True:
        restore_items(problem, factors, of_items)
        learn_items(problem, factors, of_items, Draws.of(problem.pairs, rng))
        yield objective(problem, factors)
        draws = Draws.of(problem.pairs, rng)

        def learn(block: slice, draws: Draws = draws) -> None:
            learn_users(problem, factors, of_users, draws, (block.start, block.stop))

        for _ in in_order(learn, blocks, threads):
            pass
        yield objective(problem, factors)


def objective(problem: Problem, factors: Factors) -> float:
    """Return the sum of the pairs' losses plus lambda/2 (|U|^2 + |V|^2)."""
    sizes = sum(float(np.einsum("ij,ij->", side, side, dtype=np.float64)) for side in factors)
    return float(loss(problem, factors)) + problem.ridge * sizes


@summing
def loss(problem: Problem, factors: Factors) -> float:
    """Sum the squared hinge over all pairs, from the scores of the ratings."""
    ratings, pairs = problem.ratings, problem.pairs
    scores = np.empty(len(ratings.indices), factors.users.dtype)
    total = 0.0
    for user in range(len(ratings.indptr) - 1):
        for place in range(ratings.indptr[user], ratings.indptr[user + 1]):
            scores[place] = dot(factors.users, user, factors.items, ratings.indices[place])
        for pair in range(pairs.starts[user], pairs.starts[user + 1]):
            short = 1.0 - (scores[pairs.higher[pair]] - scores[pairs.lower[pair]])
            total += max(short, 0.0) ** 2
    return total


@summing
def weigh(problem: Problem, alpha: Floats, user: int, weights: Floats) -> None:
    """Sum the dual variables of the pairs that each rating of a user wins, minus those that it loses."""
    first = problem.ratings.indptr[user]
    weights[: problem.ratings.indptr[user + 1] - first] = 0.0
    for pair in range(problem.pairs.starts[user], problem.pairs.starts[user + 1]):
        weights[problem.pairs.higher[pair] - first] += alpha[pair]
        weights[problem.pairs.lower[pair] - first] -= alpha[pair]


@summing
def restore_items(problem: Problem, factors: Factors, alpha: Floats) -> None:
    """Make the items' factors what their dual variables say, the users' having moved."""
    ratings = problem.ratings
    factors.items[:] = 0.0
    weights = np.empty(np.max(np.diff(ratings.indptr)), factors.users.dtype)
    for user in range(len(ratings.indptr) - 1):
        weigh(problem, alpha, user, weights)
        first = ratings.indptr[user]
        for place in range(first, ratings.indptr[user + 1]):
            add(factors.items, ratings.indices[place], weights[place - first], factors.users, user)


@summing
def learn_items(problem: Problem, factors: Factors, alpha: Floats, draws: Draws) -> None:
    """Take the users by turns, and for each drawn pair move the two items."""
    U, V = factors
    pairs, items = problem.pairs, problem.ratings.indices
    for user in draws.order:
        first, many = pairs.starts[user], pairs.starts[user + 1] - pairs.starts[user]
        size = 2.0 * dot(U, user, U, user)
        for drawn in range(draws.counts[user]):
            pair = first + pick(draws.keys[user], drawn, many)
            i, j = items[pairs.higher[pair]], items[pairs.lower[pair]]
            margin = dot(U, user, V, i) - dot(U, user, V, j)
            step = ascend(alpha, pair, margin, size, problem.ridge)
            if step != 0.0:
                add(V, i, step, U, user)
                add(V, j, -step, U, user)


@summing
def learn_users(
    problem: Problem, factors: Factors, alpha: Floats, draws: Draws, span: tuple[int, int]
) -> None:
    """For each user of the span restore the factors, then move them by each drawn pair."""
    U, V = factors
    ratings, pairs = problem.ratings, problem.pairs
    weights = np.empty(np.max(np.diff(ratings.indptr)), U.dtype)
    for user in range(span[0], span[1]):
        weigh(problem, alpha, user, weights)
        U[user] = 0.0
        for place in range(ratings.indptr[user], ratings.indptr[user + 1]):
            add(U, user, weights[place - ratings.indptr[user]], V, ratings.indices[place])
        first, many = pairs.starts[user], pairs.starts[user + 1] - pairs.starts[user]
        for drawn in range(draws.counts[user]):
            pair = first + pick(draws.keys[user], drawn, many)
            i, j = ratings.indices[pairs.higher[pair]], ratings.indices[pairs.lower[pair]]
            margin, size = margin_and_size(U, user, V, i, j)
            step = ascend(alpha, pair, margin, size, problem.ridge)
            if step != 0.0:
                add(U, user, step, V, i)
                add(U, user, -step, V, j)


@summing
def ascend(alpha: Floats, pair: int, margin: float, size: float, ridge: float) -> Any:
    """Move one dual variable to where the dual is greatest; return by how much."""
    before = alpha[pair]
    alpha[pair] = max(before - (margin - 1.0 + ridge * before) / (size + ridge), 0.0)
    return alpha[pair] - before


@summing
def margin_and_size(U: Floats, user: int, V: Floats, i: int, j: int) -> tuple[Any, Any]:
    """Return `u . (v_i - v_j)` and `|v_i - v_j|^2`."""
    margin = size = U.dtype.type(0.0)
    for k in range(U.shape[1]):
        apart = V[i, k] - V[j, k]
        margin += U[user, k] * apart
        size += apart * apart
    return margin, size
