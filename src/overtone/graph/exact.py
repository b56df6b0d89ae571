"""Exact nearest neighbours of binary rows, by an inverted index."""

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, Floats, Ints, kernel, transpose
from overtone.parallel import in_order, spans

WIDTH = 256


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
            nearest(self.points, self.holders, self.sizes, block.start, block.stop, True, *found)  # noqa: FBT003

        for _ in in_order(search, spans(len(self.sizes), WIDTH), threads):
            pass
        return found

    def nearest(self, queries: Csr, k: int) -> Neighbors:
        """Return the `k` nearest rows of queries that are none of them."""
        found = Neighbors.empty(len(queries.indptr) - 1, k)
        nearest(queries, self.holders, self.sizes, 0, len(queries.indptr) - 1, False, *found)  # noqa: FBT003
        return found


@kernel
def nearest(  # noqa: PLR0913 - two sparse arrays, a range, and the two arrays that are filled
    queries: Csr, holders: Csr, sizes: Ints, first: int, last: int, itself: bool, rows: Ints, overlap: Floats
) -> None:
    """Count the common columns of each query with every point, then keep the best.

    Points are offered by ascending row, and one that is as near as the last kept does not replace
    it: ties go to the lower row.
    """
    common = np.zeros(len(sizes), np.int32)
    for query in range(first, last):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        for column in queries.indices[start:stop]:
            for place in range(holders.indptr[column], holders.indptr[column + 1]):
                common[holders.indices[place]] += 1
        if itself:
            common[query] = 0
        kept = 0
        for point in range(len(sizes)):
            if common[point] > 0:
                near = common[point] / (sqrt(stop - start) * sqrt(sizes[point]))
                kept = insert(rows[query], overlap[query], kept, point, near)
                common[point] = 0


@kernel
def insert(rows: Ints, nearness: Floats, kept: int, row: int, near: float) -> int:
    """Insert into the list of the nearest, which descends, behind what is as near; return its length."""
    if kept == len(rows):
        if near <= nearness[kept - 1]:
            return kept
        place = kept - 1
    else:
        place = kept
        kept += 1
    while place > 0 and nearness[place - 1] < near:
        nearness[place], rows[place] = nearness[place - 1], rows[place - 1]
        place -= 1
    nearness[place], rows[place] = near, row
    return kept
