"""Algorithm 2 as a whole: how neighbours are found and how strongly they are tied."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overtone.errors import SettingError, require_choice, require_count, require_real
from overtone.graph.exact import ExactSearch
from overtone.graph.kdtree import KDTree
from overtone.graph.neighbors import Neighbors, Search
from overtone.graph.weights import agreement, weight_matrix
from overtone.kernels import Csr

SEARCHES = ("exact", "kdtree")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The settings of a graph: `neighbors` is K, `comparisons` is D.

    A weight is the cosine over common columns, times `shared / (shared + shrink)`: agreement on one
    rating is worth less than the same agreement on ten.
    """

    neighbors: int
    search: str
    comparisons: int
    symmetric: bool
    shrink: float

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("neighbors", self.neighbors, 1)
        require_choice("search", self.search, SEARCHES)
        require_count("comparisons", self.comparisons, 1)
        require_real("shrink", self.shrink, 0.0)
        if self.search == "kdtree" and self.comparisons < self.neighbors:
            raise SettingError(
                f"comparisons must be at least neighbors ({self.neighbors}), not {self.comparisons}"
            )

    def index(self, points: Csr, n_columns: int) -> Search:
        """Prepare the rows to be searched."""
        if self.search == "exact":
            return ExactSearch.build(points, n_columns)
        return KDTree.build(points, n_columns, self.comparisons)

    def connect(self, points: Csr, n_columns: int, threads: int | None = None) -> tuple[Neighbors, Csr]:
        """Return the neighbours of every row, and the weight matrix W."""
        near = self.index(points, n_columns).nearest_to_each(min(self.neighbors, len(points.indptr) - 2), threads)
        return near, weight_matrix(near, self.weigh(points, points, near, threads), symmetric=self.symmetric)

    def weigh(
        self, queries: Csr, points: Csr, near: Neighbors, threads: int | None = None
    ) -> NDArray[np.float64]:
        """Return the weight of each neighbour; none is negative."""
        cosine, shared = agreement(queries, points, near, threads)
        trust = shared / np.maximum(shared + self.shrink, 1e-300)
        weights: NDArray[np.float64] = np.maximum(cosine, 0.0) * trust
        return weights
