"""Biased matrix factorisation by alternating least squares."""

from dataclasses import asdict, dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from overtone.errors import require_count, require_real
from overtone.factors.als import Side, turns
from overtone.models.biased_mf import BiasedMFModel, residual_tables, ridge_of
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasedMF:
    """Minimise `sum (r - mean - b_u - b_i - p . q)^2 + bias_l2 (|b|^2) + l2 (|P|^2 + |Q|^2)` by turns."""

    rank: int = 8
    l2: float = 12.0
    bias_l2: float = 5.0
    rounds: int = 15
    seed: int = 0
    name: ClassVar[str] = "biased-mf"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("rank", self.rank, 1, 10_000)
        require_real("l2", self.l2, 0.0, open_below=True)
        require_real("bias_l2", self.bias_l2, 0.0, open_below=True)
        require_count("rounds", self.rounds, 1, 10**6)
        require_count("seed", self.seed, 0)

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> BiasedMFModel:
        """Solve for users and items by turns."""
        mean = float(require_ratings(ratings).by_user.data.mean())
        rng = np.random.default_rng(self.seed)
        sides = (
            Side.normal(ratings.n_users, self.rank, rng),
            Side.normal(ratings.n_items, self.rank, rng),
        )
        tables = residual_tables(ratings, mean)
        solved = turns(*tables, sides, ridge_of(asdict(self)), threads)
        for done, _ in enumerate(islice(solved, self.rounds), 1):
            progress("rounds", done, self.rounds)
        return BiasedMFModel.of(common(self, ratings), mean, *sides)
