"""Alternating least squares: each row of one side in turn is a small ridge regression on the other side."""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple, Self

import numpy as np

from overtone.kernels import Csr, Floats, kernel
from overtone.parallel import in_order, spans

WIDTH = 128


class Side(NamedTuple):
    """Bias and factors of users, or of items: column 0 is the bias, the others are factors.

    Seen from the other side, the features of a row are 1 and its factors; its own bias is taken off
    what is to be explained.
    """

    rows: Floats

    @classmethod
    def normal(cls, size: int, rank: int, rng: np.random.Generator) -> Self:
        """No bias, and small factors by chance."""
        return cls(np.hstack([np.zeros((size, 1)), rng.normal(0.0, 0.1, (size, rank))]))


class Ridge(NamedTuple):
    """What squared biases and squared factors cost."""

    bias: float
    factors: float


def turns(
    by_user: Csr, by_item: Csr, sides: tuple[Side, Side], ridge: Ridge, threads: int | None
) -> Iterator[None]:
    """Solve for the users, then for the items, again and again; both tables hold `rating - mean`."""
    users, items = sides
    while True:
        for table, free, fixed in ((by_user, users, items), (by_item, items, users)):

            def work(block: slice, table: Csr = table, free: Side = free, fixed: Side = fixed) -> None:
                solve_rows(table, free, fixed, ridge, (block.start, block.stop))

            for _ in in_order(work, spans(len(free.rows), WIDTH), threads):
                pass
        yield


def objective(table: Csr, users: Side, items: Side, ridge: Ridge) -> float:
    """Return squared errors plus what biases and factors cost."""
    rows = np.repeat(np.arange(len(users.rows)), np.diff(table.indptr))
    u, i = users.rows[rows], items.rows[table.indices]
    errors = table.data - u[:, 0] - i[:, 0] - np.einsum("ij,ij->i", u[:, 1:], i[:, 1:])
    costs = sum(
        ridge.bias * np.square(side.rows[:, 0]).sum() + ridge.factors * np.square(side.rows[:, 1:]).sum()
        for side in (users, items)
    )
    return float(np.square(errors).sum() + costs)


@kernel
def solve_rows(table: Csr, free: Side, fixed: Side, ridge: Ridge, span: tuple[int, int]) -> None:
    """Solve the normal equations of each row of the span."""
    size = free.rows.shape[1]
    matrix, right, feature = np.empty((size, size)), np.empty(size), np.empty(size)
    for row in range(span[0], span[1]):
        matrix[:], right[:] = 0.0, 0.0
        for k in range(size):
            matrix[k, k] = ridge.bias if k == 0 else ridge.factors
        for place in range(table.indptr[row], table.indptr[row + 1]):
            other = table.indices[place]
            feature[:] = fixed.rows[other]
            target, feature[0] = table.data[place] - feature[0], 1.0
            for k in range(size):
                right[k] += target * feature[k]
                for j in range(k + 1):
                    matrix[k, j] += feature[k] * feature[j]
        solve(matrix, right)
        free.rows[row] = right


@kernel
def solve(matrix: Floats, right: Floats) -> None:
    """Solve a positive definite system in place by Cholesky; the upper triangle is not read."""
    factor(matrix)
    forward(matrix, right)
    backward(matrix, right)


@kernel
def factor(matrix: Floats) -> None:
    """Put the Cholesky factor in the lower triangle."""
    for k in range(len(matrix)):
        for j in range(k + 1):
            left = matrix[k, j]
            for i in range(j):
                left -= matrix[k, i] * matrix[j, i]
            matrix[k, j] = left / matrix[j, j] if j < k else sqrt(left)


@kernel
def forward(lower: Floats, right: Floats) -> None:
    """Solve with the lower triangle, in place."""
    for k in range(len(right)):
        for i in range(k):
            right[k] -= lower[k, i] * right[i]
        right[k] /= lower[k, k]


@kernel
def backward(lower: Floats, right: Floats) -> None:
    """Solve with the transpose of the lower triangle, in place."""
    for k in range(len(right) - 1, -1, -1):
        for i in range(k + 1, len(right)):
            right[k] -= lower[i, k] * right[i]
        right[k] /= lower[k, k]
