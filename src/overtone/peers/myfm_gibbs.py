"""Bayesian factorisation machines with who rated what on both sides, by the package `myfm`."""

from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, hstack, identity

from overtone.kernels import Ints
from overtone.ratings import Ratings

NEEDS = "myfm"
FACTORS = False
SETTINGS: dict[str, Any] = {"rank": 20, "sweeps": 250, "burn": 20}
"""The best known settings; blocks of who rated what on both sides."""


@dataclass(frozen=True)
class Sampled:
    """The draws, and what is known of users and of items."""

    model: Any
    users: csr_matrix
    items: csr_matrix

    def score_ratings(self, ratings: Ratings) -> NDArray[np.float64]:
        """Average the draws' predictions."""
        scores: NDArray[np.float64] = self.model.predict(
            None, self.blocks(ratings.user_rows, ratings.by_user.indices)
        )
        return scores

    def blocks(self, users: Ints, items: Ints) -> list[Any]:
        """Say which user and which item each rating is of."""
        from myfm import RelationBlock  # noqa: PLC0415 - an extra

        return [
            RelationBlock(users.astype(np.int64), self.users),
            RelationBlock(items.astype(np.int64), self.items),
        ]


def fit(ratings: Ratings, threads: int) -> Sampled:  # noqa: ARG001 - every peer is told
    """Run the sampler of squared errors; it has one thread."""
    from myfm import MyFMGibbsRegressor  # noqa: PLC0415 - an extra

    table, shape = ratings.by_user, (ratings.n_users, ratings.n_items)
    rated = csr_matrix((np.ones(len(ratings)), table.indices, table.indptr), shape=shape)
    sides = [
        hstack([identity(len_), _over_root(one)]).tocsr()
        for len_, one in zip(shape, (rated, rated.T), strict=True)
    ]
    model = MyFMGibbsRegressor(rank=SETTINGS["rank"], random_seed=0)
    sampled = Sampled(model, *sides)
    groups = [shape[0], shape[1], shape[1], shape[0]]
    sweeps = SETTINGS["sweeps"]
    # It draws a bar on stderr, whoever reads that.
    with redirect_stderr(StringIO()):
        model.fit(
            None,
            table.data,
            X_rel=sampled.blocks(ratings.user_rows, table.indices),
            n_iter=sweeps,
            n_kept_samples=sweeps - SETTINGS["burn"],
            group_shapes=groups,
            callback=lambda *_: (False, None),
        )
    return sampled


def _over_root(rated: csr_matrix) -> csr_matrix:
    """Divide each row by the root of its length."""
    counts = np.asarray(rated.sum(axis=1)).ravel()
    return diags(1.0 / np.sqrt(np.maximum(counts, 1.0))) @ rated
