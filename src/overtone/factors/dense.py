"""Small dense algebra whose bytes do not depend on a BLAS and its threads, nor wake them."""

from math import sqrt

import numpy as np

from overtone.kernels import Floats, kernel, summing

SWEEPS = 30
SMALL = 1e-24
"""Of the matrix's square, what may be left off its diagonal."""


def multiply(left: Floats, right: Floats) -> Floats:
    """Multiply two matrices."""
    out = np.zeros((left.shape[0], right.shape[1]))
    add_product(left, right, out)
    return out


def symmetric_eigen(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, greatest first, and its eigenvectors as columns."""
    values, vectors = np.array(matrix, np.float64), np.eye(len(matrix))
    rotate_to_diagonal(values, vectors)
    order = np.argsort(-np.diag(values), kind="stable")
    return np.diag(values)[order], vectors[:, order]


@summing
def add_product(left: Floats, right: Floats, out: Floats) -> None:
    """Add a product of matrices."""
    for i in range(left.shape[0]):
        for k in range(left.shape[1]):
            for j in range(right.shape[1]):
                out[i, j] += left[i, k] * right[k, j]


@kernel
def rotate_to_diagonal(matrix: Floats, vectors: Floats) -> None:
    """Make a symmetric matrix diagonal by Jacobi's rotations; the vectors turn along."""
    size = len(matrix)
    for _ in range(SWEEPS):
        off, whole = 0.0, 0.0
        for p in range(size):
            for q in range(size):
                whole += matrix[p, q] ** 2
                off += matrix[p, q] ** 2 if p != q else 0.0
        if off <= SMALL * whole:
            break
        for p in range(size - 1):
            for q in range(p + 1, size):
                if matrix[p, q] != 0.0:
                    rotate(matrix, vectors, p, q)


@kernel
def rotate(matrix: Floats, vectors: Floats, p: int, q: int) -> None:
    """Turn rows and columns p and q so that they meet in 0."""
    slope = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    t = 1.0 / (abs(slope) + sqrt(slope * slope + 1.0))
    t = t if slope >= 0.0 else -t
    c = 1.0 / sqrt(t * t + 1.0)
    s = t * c
    for k in range(len(matrix)):
        a, b = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
    for k in range(len(matrix)):
        a, b = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
        a, b = vectors[k, p], vectors[k, q]
        vectors[k, p], vectors[k, q] = c * a - s * b, s * a + c * b


@kernel
def orthonormalise(rows: Floats) -> None:
    """Make rows orthonormal in their order; one that the others span becomes 0."""
    for i in range(len(rows)):
        before = sqrt((rows[i] ** 2).sum())
        for _ in range(2):
            for j in range(i):
                product = 0.0
                for k in range(rows.shape[1]):
                    product += rows[i, k] * rows[j, k]
                for k in range(rows.shape[1]):
                    rows[i, k] -= product * rows[j, k]
        length = sqrt((rows[i] ** 2).sum())
        for k in range(rows.shape[1]):
            rows[i, k] = rows[i, k] / length if length > 1e-6 * before else 0.0
