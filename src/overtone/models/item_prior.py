"""What an item's offset is expected to be before its own ratings are heard."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from overtone.graph.exact import ExactSearch
from overtone.kernels import Ints
from overtone.ratings import Ratings

NEIGHBORS = 64
DOUBT = 0.02
"""Weight of having no opinion beside neighbours whose weights sum to at most 1."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemPrior:
    """A line in the log of the number of ratings, plus what the items rated by the same people leave.

    Among items of few ratings those that many have rated, and those beside well-liked ones, are
    better: damping towards 0 forgets both.
    """

    counts: Ints
    neighbors: Any

    @classmethod
    def of(cls, ratings: Ratings) -> Self:
        """Find each item's nearest others by who rated them."""
        n = ratings.n_items
        near = ExactSearch.build(ratings.by_item(), ratings.n_users).nearest_to_each(
            min(NEIGHBORS, max(n - 1, 1))
        )
        rows, places = np.nonzero(near.rows >= 0)
        overlap = csr_array((near.overlap[rows, places], (rows, near.rows[rows, places])), shape=(n, n))
        share = 1.0 / np.maximum(overlap.sum(axis=1), 1e-300)
        counts = np.bincount(ratings.by_user.indices, minlength=n)
        return cls(counts, csr_array(overlap.multiply(share[:, None])))

    def expect(self, totals: NDArray[Any], damping: float) -> NDArray[np.float64]:
        """Return the prior offset of each item, from the sum of what its ratings leave unexplained."""
        trust = self.counts / np.maximum(self.counts + damping, 1e-300)
        mean = totals / np.maximum(self.counts, 1)
        line = self._line(trust, mean)
        left = np.where(self.counts > 0, mean - line, 0.0)
        nearby: NDArray[np.float64] = self.neighbors @ (trust * left) / (self.neighbors @ trust + DOUBT)
        return line + nearby

    def _line(self, trust: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Regress the means on the log of the counts, weighted by trust."""
        X = np.stack([np.ones(len(mean)), np.log1p(self.counts)], axis=1)
        root = np.sqrt(trust)
        beta = np.linalg.lstsq(X * root[:, None], mean * root)[0]
        line: NDArray[np.float64] = X @ beta
        return line
