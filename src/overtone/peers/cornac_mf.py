"""Biased matrix factorisation, by the package `cornac`."""

from typing import Any

from overtone.peers.biased import Biased, spread
from overtone.ratings import Ratings

NEEDS = "cornac"
FACTORS = False
SETTINGS: dict[str, Any] = {"k": 10, "max_iter": 30, "learning_rate": 0.01, "lambda_reg": 0.1}
"""The best of four tried inside training ratings of MovieLens-1M (N = 10 and 50, seed 100)."""


def fit(ratings: Ratings, threads: int) -> Biased:
    """Fit the squared error with biases."""
    from cornac.data import Dataset  # noqa: PLC0415 - an extra
    from cornac.models import MF  # noqa: PLC0415

    table = ratings.by_user
    rows = zip(ratings.user_rows.tolist(), table.indices.tolist(), table.data.tolist(), strict=True)
    data = Dataset.from_uir(list(rows), seed=0)
    # One thread: more of them write over each other, and the same seed gives other factors.
    model = MF(**SETTINGS, use_bias=True, num_threads=min(threads, 1), seed=0).fit(data)
    users, items = list(data.uid_map), list(data.iid_map)
    return Biased(
        spread(model.u_biases, users, ratings.n_users),
        spread(model.i_biases, items, ratings.n_items),
        spread(model.u_factors, users, ratings.n_users),
        spread(model.i_factors, items, ratings.n_items),
    )
