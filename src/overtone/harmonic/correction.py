"""What sweeps are slow to mend, mended at once along a few directions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.harmonic.labels import Labels, State
from overtone.harmonic.rows import WIDTH, add, gather
from overtone.kernels import Bools, Csr, Floats, kernel

SOME = 64
"""Nodes that are summed in single precision before they join the rest in double."""

SINGULAR = 1e-10
"""A direction of which a column's small system tells no more than this is left to the sweeps."""


class Modes(NamedTuple):
    """The slow part of an error is `right @ c`; `left` tells c from what the equations are off by.

    All have one row a node and one column a direction, but for `drift`, which is `S' left - left` stored
    a row a direction: with it the projected residual `left' (S x - f)` takes no product with S. Neither
    side has to be exact for the correction to vanish at the solution. `stepped` is `S' left`, and
    `coarse` is `left' (I - S) right`. The first directions are constants of closed classes, `grounded` or
    not: of one that is not, and where a column has no label, nothing is known.
    """

    right: Csr
    left: NDArray[np.float64]
    stepped: NDArray[np.float64]
    drift: NDArray[np.float32]
    coarse: NDArray[np.float64]
    grounded: NDArray[np.bool_]


@kernel
def inverses(modes: Modes, labels: Labels, mu: float) -> Floats:
    """Return the inverse of `left' (I - S B) right` for each column, where B is what is seen of f."""
    count = modes.left.shape[1]
    systems = np.empty((WIDTH, count, count))
    for b in range(WIDTH):
        for k in range(count):
            for i in range(count):
                systems[b, k, i] = modes.coarse[k, i]
    known = np.zeros((WIDTH, count), np.bool_)
    hear(modes, labels, mu, systems, known)
    for b in range(WIDTH):
        for k in range(len(modes.grounded)):
            if not (known[b, k] or modes.grounded[k]):
                for i in range(count):
                    systems[b, k, i] = systems[b, i, k] = 0.0
        invert(systems[b])
    return systems


@kernel
def hear(modes: Modes, labels: Labels, mu: float, systems: Floats, known: Bools) -> None:
    """Add to each column's small system what its labels hide of f; mark the directions that they tell of."""
    count = modes.left.shape[1]
    for node in range(modes.left.shape[0]):
        start = modes.right.indptr[node]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            for k in range(count):
                known[b, k] |= modes.left[node, k] != 0.0
                for i in range(count):
                    systems[b, k, i] += mu * modes.stepped[node, k] * modes.right.data[start + i]


@kernel
def invert(matrix: Floats) -> None:
    """Replace a small matrix by its inverse, by exchange steps; an unknown without a pivot is taken as 0."""
    size = len(matrix)
    row_of, column_of = np.full(size, -1), np.full(size, -1)
    for _ in range(size):
        row, column, best = -1, -1, SINGULAR
        for i in range(size):
            for k in range(size):
                if column_of[i] < 0 and row_of[k] < 0 and abs(matrix[i, k]) > best:
                    row, column, best = i, k, abs(matrix[i, k])
        if row < 0:
            break
        row_of[column], column_of[row] = row, column
        exchange(matrix, row, column)
    # Row `row_of[k]` now tells unknown k, and column `column_of[i]` says how much of equation i.
    exchanged = matrix.copy()
    for k in range(size):
        for i in range(size):
            told = row_of[k] >= 0 and column_of[i] >= 0
            matrix[k, i] = exchanged[row_of[k], column_of[i]] if told else 0.0


@kernel
def exchange(matrix: Floats, row: int, column: int) -> None:
    """Solve one row for one column, and put that into all others."""
    size, pivot = len(matrix), matrix[row, column]
    matrix[row, column] = 1.0
    for k in range(size):
        matrix[row, k] /= pivot
    for one in range(size):
        if one != row:
            share = matrix[one, column]
            matrix[one, column] = 0.0
            for k in range(size):
                matrix[one, k] -= share * matrix[row, k]


@kernel
def correct(modes: Modes, inverse: Floats, labels: Labels, mu: float, state: State) -> None:
    """Move f along the slow directions to where the projected residual is 0."""
    count = modes.left.shape[1]
    total, shares = np.zeros((count, WIDTH)), np.empty((count, WIDTH), np.float32)
    project(modes.drift, state.x, total)
    for node in range(state.x.shape[0]):
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            hidden = state.x[node, b] - state.at_labels[place]
            for k in range(count):
                total[k, b] += modes.left[node, k] * hidden
    for b in range(WIDTH):
        for k in range(count):
            share = 0.0
            for i in range(count):
                share += inverse[b, k, i] * total[i, b]
            shares[k, b] = share
    spread(modes.right, shares, labels, mu, state)


@kernel
def spread(right: Csr, shares: Floats, labels: Labels, mu: float, state: State) -> None:
    """Add `right @ shares` to f, and to what others see of it."""
    more = np.empty((1, WIDTH), np.float32)
    for node in range(state.x.shape[0]):
        gather(right.data, right.indices, (right.indptr[node], right.indptr[node + 1]), shares, more)
        add(state.x, node, more, 0)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            state.at_labels[place] += more[0, b]
            state.x[node, b] -= mu * more[0, b]


@kernel
def project(rows: Floats, x: Floats, total: Floats) -> None:
    """Add `rows @ x` to `total`; some nodes at a time, so that little is lost."""
    nodes = np.arange(x.shape[0]).astype(np.int32)
    some = np.empty(WIDTH, np.float32)
    for start in range(0, x.shape[0], SOME):
        span = (start, min(start + SOME, x.shape[0]))
        for k in range(rows.shape[0]):
            gather(rows[k], nodes, span, x, some)
            for b in range(WIDTH):
                total[k, b] += some[b]
