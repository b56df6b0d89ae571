"""The rows that agree most with a query, among all that share a column with it."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.exact import insert
from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, kernel, transpose
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
    common, dot = np.zeros(size, np.int32), np.zeros(size)
    query_square, point_square = np.zeros(size), np.zeros(size)
    weights = np.empty(found.rows.shape[1])
    for query in range(span[0], span[1]):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        for own in range(start, stop):
            value, column = queries.data[own], queries.indices[own]
            for place in range(index.holders.indptr[column], index.holders.indptr[column + 1]):
                point, other = index.holders.indices[place], index.holders.data[place]
                common[point] += 1
                dot[point] += value * other
                query_square[point] += value * value
                point_square[point] += other * other
        kept = 0
        for point in range(size):
            if dot[point] > 0.0 and not (itself and point == query):
                weight = dot[point] / (sqrt(query_square[point]) * sqrt(point_square[point]) + index.damping)
                if index.overlapping:
                    weight *= common[point] / sqrt((stop - start) * index.sizes[point])
                kept = insert(found.rows[query], weights, kept, point, weight)
        for place in range(kept):
            point = found.rows[query, place]
            found.overlap[query, place] = common[point] / sqrt((stop - start) * index.sizes[point])
        common[:], dot[:] = 0, 0.0
        query_square[:], point_square[:] = 0.0, 0.0
