"""Exact nearest neighbours of binary rows, by an inverted index."""

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.heap import arrange, keep
from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, Ints, kernel, transpose
from overtone.parallel import in_order, spans

WIDTH = 256

SLACK = 1e-9
"""By how much a quick estimate of nearness may be too high, so that rounding never makes it too low."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactSearch:
    """Rows, and for each column the rows that have it."""

    points: Csr
    holders: Csr
    sizes: NDArray[np.int64]

    @classmethod
    def build(cls, points: Csr, n_columns: int) -> Self:
        """Index the rows by column."""
        return cls(points, transpose(points, n_columns), np.diff(points.indptr))

    def nearest_to_each(self, k: int, threads: int | None = None) -> Neighbors:
        """Return the `k` nearest others of every row; equally near ones by ascending row."""
        found = Neighbors.empty(len(self.sizes), k)

        def search(block: slice) -> None:
            span = (block.start, block.stop)
            nearest(self.points, self.holders, self.sizes, span, True, found)  # noqa: FBT003 - a kernel's place

        for _ in in_order(search, spans(len(self.sizes), WIDTH), threads):
            pass
        return found

    def nearest(self, queries: Csr, k: int) -> Neighbors:
        """Return the `k` nearest rows of queries that are none of them."""
        found = Neighbors.empty(len(queries.indptr) - 1, k)
        nearest(queries, self.holders, self.sizes, (0, len(found.rows)), False, found)  # noqa: FBT003
        return found


@kernel
def nearest(
    queries: Csr,
    holders: Csr,
    sizes: Ints,
    span: tuple[int, int],
    itself: bool,  # noqa: FBT001 - a kernel's arguments have places, not names
    found: Neighbors,
) -> None:
    """Count the common columns of each query with every point, then keep the best."""
    common = np.zeros(len(sizes), np.int32)
    reach = (1.0 + SLACK) / np.sqrt(np.maximum(sizes, 1))
    for query in range(span[0], span[1]):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        for column in queries.indices[start:stop]:
            for place in range(holders.indptr[column], holders.indptr[column + 1]):
                common[np.uint32(holders.indices[place])] += 1
        if itself:
            common[query] = 0
        near, rows, kept, least = found.overlap[query], found.rows[query], 0, 0.0
        for point in range(len(sizes)):
            # Few pass the first test, which costs no root: what fails it is no nearer than the worst kept.
            if common[point] * reach[point] > least:
                kept = keep(near, rows, kept, common[point] / sqrt((stop - start) * sizes[point]), point)
                least = near[0] * sqrt(stop - start) if kept == len(rows) else 0.0
        arrange(near, rows, kept)
        common[:] = 0
