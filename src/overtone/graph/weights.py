"""Algorithm 2, lines 6 to 9: how much two rows agree on what both have."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr, Floats, Ints, kernel
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
    indptr = np.zeros(len(weights) + 1, np.int64)
    np.cumsum((weights > 0.0).sum(axis=1), out=indptr[1:])
    directed = Csr(indptr, np.empty(indptr[-1], np.int32), np.empty(indptr[-1]))
    in_columns(neighbors.rows, weights, directed)
    return mean_of_both(directed) if symmetric else directed


def mean_of_both(directed: Csr) -> Csr:
    """Return (W + W') / 2."""
    m = len(directed.indptr) - 1
    one = csr_array((directed.data, directed.indices, directed.indptr), shape=(m, m))
    both = ((one + one.T.tocsr()) / 2.0).tocsr()
    both.sort_indices()
    return Csr(both.indptr.astype(np.int64), both.indices.astype(np.int32), both.data)


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
def in_columns(neighbors: Ints, weights: Floats, out: Csr) -> None:
    """Fill sparse rows with the positive weights, columns ascending."""
    for row in range(neighbors.shape[0]):
        start, end = out.indptr[row], out.indptr[row]
        for place in range(neighbors.shape[1]):
            weight, column = weights[row, place], neighbors[row, place]
            if weight > 0.0:
                at = end
                while at > start and out.indices[at - 1] > column:
                    out.indices[at], out.data[at] = out.indices[at - 1], out.data[at - 1]
                    at -= 1
                out.indices[at], out.data[at] = column, weight
                end += 1


@kernel
def corated(queries: Csr, points: Csr, neighbors: Ints, span: tuple[int, int], found: Agreement) -> None:
    """Fill in the agreement of each query of the span with its neighbours.

    The query is spread over all columns, so that each neighbour's row is read once, without a branch.
    """
    size = max(most(queries.indices), most(points.indices)) + 1
    value, has = np.zeros(size), np.zeros(size)
    for query in range(span[0], span[1]):
        start, stop = queries.indptr[query], queries.indptr[query + 1]
        columns = queries.indices[start:stop]
        value[columns], has[columns] = queries.data[start:stop], 1.0
        for place in range(neighbors.shape[1]):
            point = neighbors[query, place]
            if point >= 0:
                dot, norm, shared = common(value, has, points, point)
                found.dot[query, place], found.norm[query, place] = dot, norm
                found.shared[query, place] = shared
        value[columns], has[columns] = 0.0, 0.0


@kernel
def most(numbers: Ints) -> int:
    """Return the greatest, -1 of none."""
    greatest = -1
    for number in numbers:
        greatest = max(greatest, number)
    return greatest


@kernel
def common(value: Floats, has: Floats, others: Csr, row: int) -> tuple[float, float, int]:
    """Product and lengths of two rows over their common columns, and how many those are."""
    dot = square_a = square_b = shared = 0.0
    for place in range(others.indptr[row], others.indptr[row + 1]):
        column, other = others.indices[place], others.data[place]
        own, both = value[column], has[column]
        dot += own * other
        square_a += own * own * both
        square_b += other * other * both
        shared += both
    # A product of square roots, not the root of a product: the latter underflows.
    return dot, sqrt(square_a) * sqrt(square_b), int(shared)
