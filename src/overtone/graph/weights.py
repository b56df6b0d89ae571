"""Algorithm 2, lines 6 to 9: how much two rows agree on what both have."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, Floats, Ints, csr, kernel, transpose
from overtone.parallel import in_order, spans

WIDTH = 256


class Agreement(NamedTuple):
    """For each neighbour, over the columns that both have: product, product of lengths, and how many."""

    dot: Floats
    norm: Floats
    shared: Ints

    @property
    def cosine(self) -> Floats:
        """The cosine over common columns, 0 where it is undefined."""
        return np.divide(self.dot, self.norm, out=np.zeros(self.dot.shape), where=self.norm > 0.0)


def agreement(queries: Csr, points: Csr, neighbors: Neighbors, threads: int | None = None) -> Agreement:
    """Compare each query with each of its neighbours."""
    shape = neighbors.rows.shape
    found = Agreement(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int32))

    def compare(block: slice) -> None:
        corated(queries, points, neighbors.rows, (block.start, block.stop), found)

    for _ in in_order(compare, spans(len(neighbors.rows), WIDTH), threads):
        pass
    return found


def weight_matrix(neighbors: Neighbors, weights: Floats, *, symmetric: bool) -> Csr:
    """Store positive weights as sparse rows; a symmetric graph takes the mean of both directions.

    A weight that is not positive is no edge: the rows of `P` must be probabilities.
    """
    present = weights > 0.0
    rows = np.nonzero(present)[0].astype(np.int32)
    columns, data = neighbors.rows[present], weights[present]
    order = np.lexsort((columns, rows))
    directed = csr(rows[order], columns[order], data[order], len(weights))
    return mean_of_both(directed) if symmetric else directed


def mean_of_both(directed: Csr) -> Csr:
    """Return (W + W') / 2."""
    m = len(directed.indptr) - 1
    other = transpose(directed, m)
    rows = np.concatenate([np.repeat(np.arange(m), np.diff(one.indptr)) for one in (directed, other)])
    columns = np.concatenate([directed.indices, other.indices])
    halves = np.concatenate([directed.data, other.data]) / 2.0
    key, place = np.unique(rows * np.int64(m) + columns, return_inverse=True)
    return csr(key // m, key % m, np.bincount(place, halves), m)


def dense_cosines(points: Floats, neighbors: Neighbors) -> Floats:
    """Return the cosine of each row of a full matrix with its neighbours, 0 where it is negative."""
    norms = np.sqrt(np.einsum("ij,ij->i", points, points))
    out = np.zeros(neighbors.rows.shape)
    for row, others in enumerate(neighbors.rows):
        found = others[others >= 0]
        scale = norms[row] * norms[found]
        dots = points[found] @ points[row]
        out[row, : len(found)] = np.divide(dots, scale, out=np.zeros(len(found)), where=scale > 0.0)
    return np.maximum(out, 0.0)


@kernel
def corated(queries: Csr, points: Csr, neighbors: Ints, span: tuple[int, int], found: Agreement) -> None:
    """Fill in the agreement of each query of the span with its neighbours."""
    for query in range(span[0], span[1]):
        for place in range(neighbors.shape[1]):
            point = neighbors[query, place]
            if point >= 0:
                dot, norm, shared = common(queries, query, points, point)
                found.dot[query, place], found.norm[query, place] = dot, norm
                found.shared[query, place] = shared


@kernel
def common(rows: Csr, a: int, others: Csr, b: int) -> tuple[float, float, int]:
    """Product and lengths of two rows over their common columns, and how many those are.

    Columns are sorted within each row, so one merge of the two rows suffices.
    """
    i, i_end = rows.indptr[a], rows.indptr[a + 1]
    j, j_end = others.indptr[b], others.indptr[b + 1]
    dot = square_a = square_b = 0.0
    shared = 0
    while i < i_end and j < j_end:
        if rows.indices[i] < others.indices[j]:
            i += 1
        elif rows.indices[i] > others.indices[j]:
            j += 1
        else:
            dot += rows.data[i] * others.data[j]
            square_a += rows.data[i] ** 2
            square_b += others.data[j] ** 2
            shared += 1
            i += 1
            j += 1
    # A product of square roots, not the root of a product: the latter underflows.
    return dot, sqrt(square_a) * sqrt(square_b), shared
