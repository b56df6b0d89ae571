"""Matrix factorisation by parallel stochastic gradient descent, by the package `libmf`."""

from typing import Any

import numpy as np

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
    # A user or an item without ratings comes back as NaN.
    return Factors(np.nan_to_num(model.p_factors()), np.nan_to_num(model.q_factors()))
