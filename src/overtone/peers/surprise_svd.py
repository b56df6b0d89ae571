"""Biased matrix factorisation by stochastic gradient descent, by the package `scikit-surprise`."""

from typing import Any

from overtone.peers.biased import Biased, spread
from overtone.ratings import Ratings

NEEDS = "surprise"
FACTORS = False
SETTINGS: dict[str, Any] = {"n_factors": 20, "n_epochs": 60, "lr_all": 0.005, "reg_all": 0.2}
"""The best of five tried inside training ratings of MovieLens-1M (N = 10 and 50, seed 100)."""


def fit(ratings: Ratings, threads: int) -> Biased:  # noqa: ARG001 - every peer is told
    """Fit the squared error; users and items that it has not seen have no bias and no factors."""
    from surprise import SVD, Dataset, Reader  # noqa: PLC0415 - an extra

    values = ratings.by_user.data
    reader = Reader(rating_scale=(values.min(), values.max()))
    rows = zip(ratings.user_rows.tolist(), ratings.by_user.indices.tolist(), values.tolist(), strict=True)
    data = Dataset(reader).construct_trainset([(user, item, value, None) for user, item, value in rows])
    model = SVD(**SETTINGS, random_state=0).fit(data)
    users = [data.to_raw_uid(row) for row in range(data.n_users)]
    items = [data.to_raw_iid(row) for row in range(data.n_items)]
    return Biased(
        spread(model.bu, users, ratings.n_users),
        spread(model.bi, items, ratings.n_items),
        spread(model.pu, users, ratings.n_users),
        spread(model.qi, items, ratings.n_items),
    )
