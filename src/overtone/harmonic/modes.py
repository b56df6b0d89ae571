"""What sweeps are slow to mend: the constant of each closed class, and what a walk forgets slowly."""

from math import hypot

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import schur
from scipy.sparse import csr_array

from overtone.graph.walk import Walk
from overtone.harmonic.correction import Modes, project
from overtone.harmonic.rows import WIDTH, block_like, product, room
from overtone.kernels import Csr, Floats

FEW = 8
"""Closed classes whose constants can be among the directions; where there are more, `levels.py` has them."""

SHARE = 8
LEAST = 4
"""One slow direction for so many edges of a node, since each costs about as much as two; some at least.

A graph that has fewer than `SHARE` edges a node has none."""

SLOW = 0.6
"""A direction of which a step leaves less than this goes by itself."""

EVERYWHERE = 0.1
"""Added to the stationary weights, whose mean is 1, so that what the walk never comes back to counts too."""

ROUNDS = 3
TOGETHER = 3
"""Subspace iteration on `WIDTH` vectors: so many times so many steps, then a basis of what they span.

The few directions that are kept need not be exact."""

FLAT = 1e-3
"""What a direction has beyond others, as a share of the longest, below which it counts as none."""

TINY = 1e-30
"""Squared length of vectors of which nothing is left."""


def modes_of(walk: Walk) -> Modes:
    """Find the directions, and weigh the error along each.

    The slow ones are weighed by the stationary weights: in that inner product no step lengthens a vector,
    so that the small systems are far from singular whatever the labels. Those of a constant are the
    stationary weights themselves, which no other direction disturbs.
    """
    inside = walk.home >= 0
    sizes = np.bincount(walk.home[inside], minlength=walk.classes)
    kept = np.arange(walk.classes if walk.classes <= FEW else 0)
    root = np.sqrt(sizes[kept])
    own = walk.home[:, None] == kept
    # What is in no class ends up in the only one.
    right = (own | (np.diff(walk.steps.indptr) > 0)[:, None] if walk.classes == 1 else own) / root
    left = own * walk.stationary[:, None] * root
    slow = slow_space(walk)
    weight = EVERYWHERE + np.where(inside, walk.stationary * np.append(sizes, 0)[walk.home], 0.0)
    right = np.hstack([right, slow]).astype(np.float32)
    left = np.hstack([left, slow * weight[:, None]])
    stepped = np.asarray(walk.matrix().T @ left)
    drift = np.ascontiguousarray((stepped - left).T, np.float32)
    coarse = -np.einsum("jk,jl->kl", stepped - left, right.astype(np.float64))
    grounded = np.array([bool((walk.leak[walk.home == c] > 0.0).any()) for c in kept], np.bool_)
    return Modes(full(right), left, stepped, drift, coarse, grounded)


def no_modes(walk: Walk) -> Modes:
    """Return none."""
    none = np.zeros((walk.size, 0))
    drift = np.zeros((0, walk.size), np.float32)
    return Modes(full(none.astype(np.float32)), none, none, drift, np.zeros((0, 0)), np.zeros(0, np.bool_))


def slow_space(walk: Walk) -> NDArray[np.float32]:
    """Return an orthonormal basis, one column a direction, of what a step shrinks least beside constants."""
    steps, share = walk.steps, len(walk.steps.indices) // (SHARE * max(walk.size, 1))
    if share == 0:
        return np.zeros((walk.size, 0), np.float32)
    x = block_like(np.random.default_rng(0).standard_normal((walk.size, WIDTH), np.float32))
    other = room(walk.size)
    for _ in range(ROUNDS):
        x = orthonormal(without_constants(x, walk))
        for _ in range(TOGETHER):
            product(steps, x, other)
            x, other = other, x
    x = orthonormal(without_constants(x, walk))
    product(steps, x, other)
    H = cross(x, without_constants(other, walk))
    rates = np.sort(np.abs(np.linalg.eigvals(H)))[::-1]
    slow = min(int((rates > SLOW).sum()), max(share, LEAST))
    if slow == 0:
        return x[:, :0]
    limit = 0.999 * rates[slow - 1]
    _, turn, kept = schur(H, sort=lambda re, im: hypot(re, im) > limit)
    return times(x, turn)[:, :kept]


def without_constants(x: NDArray[np.float32], walk: Walk) -> NDArray[np.float32]:
    """Take the stationary mean of each closed class from its members."""
    members = np.flatnonzero(walk.home >= 0)
    home, weights = walk.home[members], walk.stationary[members]
    means = csr_array((weights, (home, members)), shape=(walk.classes, walk.size)) @ x
    x[members] -= means[home].astype(np.float32)
    return x


def orthonormal(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a basis of the columns' span, orthonormal but for those that hardly differ from others.

    Not by `eigh`, whose BLAS keeps a core busy for a tenth of a second after it has returned.
    """
    gram = cross(x, x)
    size = np.trace(gram)
    if not size > TINY:
        return x * 0.0
    gram += FLAT**2 * size * np.eye(WIDTH)
    return times(x, np.linalg.inv(np.linalg.cholesky(gram)).T)


def cross(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return `a' b`."""
    out = np.zeros((WIDTH, WIDTH))
    project(np.ascontiguousarray(a.T), b, out)
    return out


def times(x: NDArray[np.float32], turn: Floats) -> NDArray[np.float32]:
    """Return `x @ turn`."""
    out = room(len(x))
    product(full(x), block_like(turn), out)
    return out


def full(rows: NDArray[np.float32]) -> Csr:
    """Return a full matrix as sparse rows."""
    size, width = rows.shape
    indptr = np.arange(size + 1, dtype=np.int64) * width
    return Csr(indptr, np.tile(np.arange(width, dtype=np.int32), size), np.ascontiguousarray(rows).ravel())
