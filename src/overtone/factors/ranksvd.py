"""RankSVD: factors by gradient descent on a pairwise loss, user after user, in place."""

import numpy as np

from overtone.factors.descent import Sorted, Step
from overtone.factors.losses import pull
from overtone.factors.rows import Factors
from overtone.kernels import Floats, kernel


@kernel
def scores_of(factors: Factors, user: int, table: Sorted, out: Floats) -> None:
    """Score what a user rated."""
    for place in range(table.indptr[user], table.indptr[user + 1]):
        at = 0.0
        for k in range(factors.users.shape[1]):
            at += factors.users[user, k] * factors.items[table.items[place], k]
        out[place - table.indptr[user]] = at


@kernel
def learn(factors: Factors, table: Sorted, step: Step) -> None:
    """Take the users in turn; each moves itself and what it rated by the mean slope over its pairs.

    Slopes are those before the user's turn. Items stay where their step is 0.
    """
    U, V = factors
    for user in range(len(table.indptr) - 1):
        start, stop = table.indptr[user], table.indptr[user + 1]
        scores, slopes, change = np.empty(stop - start), np.empty(stop - start), np.zeros(U.shape[1])
        scores_of(factors, user, table, scores)
        _, pairs = pull(table.ratings[start:stop], scores, step.loss, slopes)
        if pairs == 0:
            continue
        for place in range(start, stop):
            item, slope = table.items[place], slopes[place - start] / pairs
            for k in range(U.shape[1]):
                before = V[item, k]
                change[k] += step.users * slope * before
                if step.items > 0.0:
                    V[item, k] = before - step.items * slope * U[user, k] - step.shrink * before
        for k in range(U.shape[1]):
            U[user, k] -= change[k] + step.shrink * U[user, k]


@kernel
def losses(factors: Factors, table: Sorted, loss: int) -> Floats:
    """Return each user's loss, and number of pairs."""
    found = np.zeros((2, len(table.indptr) - 1))
    for user in range(found.shape[1]):
        start, stop = table.indptr[user], table.indptr[user + 1]
        scores, slopes = np.empty(stop - start), np.empty(stop - start)
        scores_of(factors, user, table, scores)
        found[0, user], found[1, user] = pull(table.ratings[start:stop], scores, loss, slopes)
    return found
