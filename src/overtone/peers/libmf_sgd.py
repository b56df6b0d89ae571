"""Matrix factorisation by parallel stochastic gradient descent, by the package `libmf`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overtone.peers.peer import Factors
from overtone.ratings import Ratings

NEEDS = "libmf"
FACTORS = True
SETTINGS: dict[str, Any] = {"k": 20, "nr_iters": 30, "lambda_p2": 0.1, "lambda_q2": 0.1, "eta": 0.05}
"""The best of five tried inside training ratings of MovieLens-1M (N = 10 and 50, seed 100)."""


def fit(ratings: Ratings, threads: int) -> Factors:
    """Fit the squared error; scores are taken from the factors, since its own `predict` is wrong."""
    from libmf.mf import MF  # noqa: PLC0415 - an extra

    triples = np.stack([ratings.user_rows, ratings.by_user.indices, ratings.by_user.data], axis=1)
    model = MF(**SETTINGS, nr_threads=threads, quiet=True)
    model.fit(triples)
    sides = (model.p_factors(), ratings.n_users), (model.q_factors(), ratings.n_items)
    return Factors(*(_whole(rows, size) for rows, size in sides))


def _whole(rows: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Give those without ratings a row of 0: they come back as NaN, and not at all behind the last one."""
    return np.pad(np.nan_to_num(rows), ((0, size - len(rows)), (0, 0)))
