"""Where local models stand: a global factorisation says how near users and items are to an anchor."""

from typing import NamedTuple, Self

import numpy as np

from overtone.factors.dense import multiply
from overtone.kernels import Csr, Floats, kernel

ROUNDS, RATE, L2, SETTLED = 100, 0.005, 0.1, 1e-4


class Anchors(NamedTuple):
    """Global factors of users and items, and the rows of those that the local models stand around."""

    users: Floats
    items: Floats
    user_anchors: Floats
    item_anchors: Floats

    @classmethod
    def of(cls, table: Csr, n_items: int, rank: int, models: int, seed: int) -> Self:
        """Factorise, then draw a user with ratings, and one of the rated items, for each local model."""
        rng = np.random.default_rng([seed, 2])
        each = np.diff(table.indptr)
        users, items = rng.random((len(each), rank)) / rank, rng.random((n_items, rank)) / rank
        descend(table, users, items)
        drawn = rng.choice(np.flatnonzero(each), models)
        rated = table.indices[
            table.indptr[drawn] + np.floor(rng.random(models) * each[drawn]).astype(np.int64)
        ]
        return cls(users, items, users[drawn], items[rated])

    def of_person(self, row: Csr) -> Floats:
        """Return global factors of somebody new: the ridge regression that the descent tends to."""
        features = self.items[row.indices]
        rank = features.shape[1]
        normal = features.T @ features + L2 * max(len(features), 1) * np.eye(rank)
        return np.asarray(np.linalg.solve(normal, features.T @ row.data))


def nearness(vectors: Floats, anchors: Floats, width: float, floor: float = 0.0) -> Floats:
    """Return the Epanechnikov kernel of `1 - similarity`, similarity being `1 - 2/pi arccos(cosine)`.

    It is nowhere below the floor.
    """
    cosine = np.clip(multiply(_unit(vectors), np.ascontiguousarray(_unit(anchors).T)), -1.0, 1.0)
    far = 2.0 / np.pi * np.arccos(cosine) / width
    return np.maximum(0.75 * (1.0 - far * far), floor)


def _unit(rows: Floats) -> Floats:
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows / np.where(length > 0.0, length, 1.0)


def descend(table: Csr, users: Floats, items: Floats) -> None:
    """Minimise squared errors plus l2 by stochastic descent, until the mean error is still."""
    before = np.inf
    for _ in range(ROUNDS):
        missed = one_round(table, users, items)
        if abs(before - missed) <= SETTLED:
            break
        before = missed


@kernel
def one_round(table: Csr, users: Floats, items: Floats) -> float:
    """Touch every rating once, in order; return the mean absolute error met on the way."""
    missed = 0.0
    for user in range(len(table.indptr) - 1):
        for place in range(table.indptr[user], table.indptr[user + 1]):
            item, error = table.indices[place], table.data[place]
            for k in range(users.shape[1]):
                error -= users[user, k] * items[item, k]
            missed += abs(error)
            for k in range(users.shape[1]):
                u, i = users[user, k], items[item, k]
                users[user, k] += RATE * (error * i - L2 * u)
                items[item, k] += RATE * (error * u - L2 * i)
    return missed / max(len(table.indices), 1)
