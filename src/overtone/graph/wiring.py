"""Algorithm 2 as a whole: how neighbours are found and how strongly they are tied."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overtone.errors import SettingError, require_choice, require_count, require_flag, require_real
from overtone.graph.agreement import AgreementSearch
from overtone.graph.exact import ExactSearch
from overtone.graph.kdtree import KDTree
from overtone.graph.neighbors import Neighbors, Search
from overtone.graph.weights import agreement, weight_matrix
from overtone.kernels import Csr

SEARCHES = ("exact", "kdtree", "agreement")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The settings of a graph: `neighbors` is K, `comparisons` is D.

    Neighbours are the nearest by overlap (`exact`, or by a `kdtree`), or those with the greatest
    weight (`agreement`). The weight is the product over common columns, over the product of the
    lengths plus `damping`: the cosine where that is 0. With `overlapping` it is multiplied by the
    cosine of the binary rows. It is never negative.
    """

    neighbors: int
    search: str
    comparisons: int
    symmetric: bool
    damping: float
    overlapping: bool

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("neighbors", self.neighbors, 1)
        require_choice("search", self.search, SEARCHES)
        require_count("comparisons", self.comparisons, 1)
        require_real("damping", self.damping, 0.0)
        require_flag("symmetric", self.symmetric)
        require_flag("overlapping", self.overlapping)
        if self.search == "kdtree" and self.comparisons < self.neighbors:
            raise SettingError(
                f"comparisons must be at least neighbors ({self.neighbors}), not {self.comparisons}"
            )

    def index(self, points: Csr, n_columns: int) -> Search:
        """Prepare the rows to be searched."""
        if self.search == "kdtree":
            return KDTree.build(points, n_columns, self.comparisons)
        if self.search == "agreement":
            return AgreementSearch.build(
                points, n_columns, damping=self.damping, overlapping=self.overlapping
            )
        return ExactSearch.build(points, n_columns)

    def connect(self, points: Csr, n_columns: int, threads: int | None = None) -> tuple[Neighbors, Csr]:
        """Return the neighbours of every row, and the weight matrix W."""
        most = max(min(self.neighbors, len(points.indptr) - 2), 1)
        near = self.index(points, n_columns).nearest_to_each(most, threads)
        weights = self.weigh(points, points, near, threads)
        return near, weight_matrix(near, weights, symmetric=self.symmetric)

    def weigh(
        self, queries: Csr, points: Csr, near: Neighbors, threads: int | None = None
    ) -> NDArray[np.float64]:
        """Return the weight of each neighbour."""
        found = agreement(queries, points, near, threads)
        scale = found.norm + self.damping
        weights = np.divide(found.dot, scale, out=np.zeros(scale.shape), where=scale > 0.0)
        if self.overlapping:
            weights *= near.overlap
        positive: NDArray[np.float64] = np.maximum(weights, 0.0)
        return positive
