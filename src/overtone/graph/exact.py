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
    for query in range(span[0], span[1]):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        for column in queries.indices[start:stop]:
            for place in range(holders.indptr[column], holders.indptr[column + 1]):
                common[holders.indices[place]] += 1
        if itself:
            common[query] = 0
        kept = 0
        for point in range(len(sizes)):
            if common[point] > 0:
                near = common[point] / sqrt((stop - start) * sizes[point])
                kept = insert(found.rows[query], found.overlap[query], kept, point, near)
                common[point] = 0


@kernel
def insert(rows: Ints, nearness: Floats, kept: int, row: int, near: float) -> int:
    """Insert into the list of the nearest, nearest first, equals by ascending row; return its length."""
    if kept == len(rows):
        if near < nearness[kept - 1] or (near == nearness[kept - 1] and row > rows[kept - 1]):
            return kept
        place = kept - 1
    else:
        place = kept
        kept += 1
    while place > 0 and (
        nearness[place - 1] < near or (nearness[place - 1] == near and rows[place - 1] > row)
    ):
        nearness[place], rows[place] = nearness[place - 1], rows[place - 1]
        place -= 1
    nearness[place], rows[place] = near, row
    return kept
