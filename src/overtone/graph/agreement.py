"""The rows that agree most with a query, among all that share a column with it."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.exact import SLACK
from overtone.graph.heap import arrange, keep
from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, Floats, Ints, kernel, transpose
from overtone.parallel import in_order, spans

WIDTH = 256


class Index(NamedTuple):
    """For each column the rows that have it with their values; how long each row is; what weighs.

    `damping` and `overlapping` make a weight of an agreement, see `Wiring`.
    """

    holders: Csr
    sizes: NDArray[np.int64]
    damping: float
    overlapping: bool


@dataclass(frozen=True, slots=True, eq=False)
class AgreementSearch:
    """Rows with their values, indexed by column."""

    points: Csr
    index: Index

    @classmethod
    def build(cls, points: Csr, n_columns: int, *, damping: float, overlapping: bool) -> Self:
        """Index the rows by column."""
        sizes = np.diff(points.indptr)
        return cls(points, Index(transpose(points, n_columns), sizes, damping, overlapping))

    def nearest_to_each(self, k: int, threads: int | None = None) -> Neighbors:
        """Return the `k` others of greatest weight of every row; equal ones by ascending row."""
        found = Neighbors.empty(len(self.index.sizes), k)

        def search(block: slice) -> None:
            span = (block.start, block.stop)
            strongest(self.points, self.index, span, True, found)  # noqa: FBT003 - a kernel's place

        for _ in in_order(search, spans(len(found.rows), WIDTH), threads):
            pass
        return found

    def nearest(self, queries: Csr, k: int) -> Neighbors:
        """Return the `k` rows of greatest weight of queries that are none of them."""
        found = Neighbors.empty(len(queries.indptr) - 1, k)
        strongest(queries, self.index, (0, len(found.rows)), False, found)  # noqa: FBT003
        return found


@kernel
def strongest(queries: Csr, index: Index, span: tuple[int, int], itself: bool, found: Neighbors) -> None:  # noqa: FBT001 - a kernel's arguments have places
    """Sum up, over the columns that each query shares with every point, then keep the strongest."""
    size = len(index.sizes)
    sums, common = np.zeros((size, 3)), np.zeros(size, np.int32)
    reach = (1.0 + SLACK) / np.sqrt(np.maximum(index.sizes, 1))
    weights = np.empty(found.rows.shape[1])
    for query in range(span[0], span[1]):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        add_common(queries, query, index.holders, common, sums)
        if itself:
            common[query] = 0
        rows, kept, least = found.rows[query], 0, 0.0
        for point in range(size):
            # Agreement is at most 1, so that a weight is at most the overlap.
            if common[point] > 0 and (not index.overlapping or common[point] * reach[point] > least):
                weight = weight_of(index, sums[point], common[point], (stop - start) * index.sizes[point])
                if weight > 0.0:
                    kept = keep(weights, rows, kept, weight, point)
                    least = weights[0] * sqrt(stop - start) if kept == len(rows) else 0.0
        arrange(weights, rows, kept)
        for place in range(kept):
            point = rows[place]
            found.overlap[query, place] = common[point] / sqrt((stop - start) * index.sizes[point])
        common[:] = 0
        sums[:] = 0.0


@kernel
def add_common(queries: Csr, query: int, holders: Csr, common: Ints, sums: Floats) -> None:
    """Count the columns that a query shares with each point; sum squares of both, and products."""
    for own in range(queries.indptr[query], queries.indptr[query + 1]):
        value, column = queries.data[own], queries.indices[own]
        for place in range(holders.indptr[column], holders.indptr[column + 1]):
            point, other = np.uint32(holders.indices[place]), holders.data[place]
            common[point] += 1
            sums[point, 0] += value * value
            sums[point, 1] += other * other
            sums[point, 2] += value * other


@kernel
def weight_of(index: Index, sums: Floats, common: int, sizes: int) -> float:
    """Return the weight that `Wiring` describes, from the sums over common columns."""
    if sums[2] <= 0.0:
        return 0.0
    weight: float = sums[2] / (sqrt(sums[0]) * sqrt(sums[1]) + index.damping)
    return weight * common / sqrt(sizes) if index.overlapping else weight
