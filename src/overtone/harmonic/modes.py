"""What a walk is slow to forget beside the constant: a few directions, found once for all items."""

from math import hypot

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import schur

from overtone.graph.walk import Walk
from overtone.harmonic.correction import Modes, project
from overtone.harmonic.rows import WIDTH, product
from overtone.kernels import Csr, Floats, transpose
from overtone.parallel import in_order, spans

SHARE = 8
"""A direction costs about as much as two neighbours of every node: one is kept for so many that there are."""

SLOW = 0.6
"""A direction of which a step leaves less than this goes by itself."""

ROUNDS = 3
TOGETHER = 3
"""Subspace iteration on `WIDTH` vectors: so many times so many steps, then a basis of what they span.

The few directions that are kept need not be exact."""

FLAT = 1e-3
"""What a direction has beyond others, as a share of the longest, below which it counts as none."""


TINY = 1e-30
"""Squared length of vectors of which nothing is left."""


def modes_of(walk: Walk) -> Modes:
    """Find the slow directions of both sides by subspace iteration, the constant of each class left out."""
    if len(walk.steps.indices) < SHARE * walk.size:
        return no_modes(walk)
    back = transpose(walk.steps, walk.size)

    def find(side: slice) -> NDArray[np.float32]:
        return (
            slow_space(walk.steps, walk, onto=True) if side.start == 0 else slow_space(back, walk, onto=False)
        )

    right, left = in_order(find, spans(2, 1), None)
    kept = min(right.shape[1], left.shape[1])
    return _paired(walk, right[:, :kept], left[:, :kept].astype(np.float64))


def _paired(walk: Walk, right: NDArray[np.float32], left: NDArray[np.float64]) -> Modes:
    stepped = np.asarray(walk.matrix().T @ left)
    drift = np.ascontiguousarray((stepped - left).T, np.float32)
    coarse = -np.einsum("jk,jl->kl", stepped - left, right.astype(np.float64))
    return Modes(full(right), left, stepped, drift, coarse)


def no_modes(walk: Walk) -> Modes:
    """Return none."""
    return _paired(walk, np.empty((walk.size, 0), np.float32), np.empty((walk.size, 0)))


def slow_space(steps: Csr, walk: Walk, *, onto: bool) -> NDArray[np.float32]:
    """Return an orthonormal basis, one column a direction, of what `steps` shrinks least."""
    x = np.random.default_rng(0).standard_normal((walk.size, WIDTH), np.float32)
    other = np.empty_like(x)
    for _ in range(ROUNDS):
        x = orthonormal(without_constants(x, walk, onto=onto))
        for _ in range(TOGETHER):
            product(steps, x, other)
            x, other = other, x
    x = orthonormal(without_constants(x, walk, onto=onto))
    product(steps, x, other)
    H = cross(x, without_constants(other, walk, onto=onto))
    rates = np.sort(np.abs(np.linalg.eigvals(H)))[::-1]
    slow = min(int((rates > SLOW).sum()), len(steps.indices) // (SHARE * walk.size))
    if slow == 0:
        return x[:, :0]
    limit = 0.999 * rates[slow - 1]
    _, turn, kept = schur(H, sort=lambda re, im: hypot(re, im) > limit)
    return times(x, turn)[:, :kept]


def without_constants(x: NDArray[np.float32], walk: Walk, *, onto: bool) -> NDArray[np.float32]:
    """Take the constant of each closed class from right vectors, its stationary weights from left ones."""
    for c in range(walk.classes):
        members = np.flatnonzero(walk.home == c)
        weights = walk.stationary[members]
        one, other = (np.ones(len(members)), weights) if onto else (weights, np.ones(len(members)))
        part = np.einsum("j,jb->b", other, x[members])
        x[members] -= np.outer(one, part).astype(np.float32)
    return x


def orthonormal(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a basis of the columns' span, orthonormal but for those that hardly differ from others.

    Not by `eigh`, whose BLAS keeps a core busy for a tenth of a second after it has returned.
    """
    gram = cross(x, x)
    size = np.trace(gram)
    if not size > TINY:
        return np.zeros_like(x)
    gram += FLAT**2 * size * np.eye(WIDTH)
    return times(x, np.linalg.inv(np.linalg.cholesky(gram)).T)


def cross(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return `a' b`."""
    out = np.zeros((WIDTH, WIDTH))
    project(np.ascontiguousarray(a.T), b, out)
    return out


def times(x: NDArray[np.float32], turn: Floats) -> NDArray[np.float32]:
    """Return `x @ turn`."""
    out = np.empty_like(x)
    product(full(x), np.ascontiguousarray(turn, np.float32), out)
    return out


def full(rows: NDArray[np.float32]) -> Csr:
    """Return a full matrix as sparse rows."""
    size, width = rows.shape
    indptr = np.arange(size + 1, dtype=np.int64) * width
    return Csr(indptr, np.tile(np.arange(width, dtype=np.int32), size), np.ascontiguousarray(rows).ravel())
