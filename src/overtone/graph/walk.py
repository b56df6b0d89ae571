"""The weight matrix as a random walk: what the solver needs to know of a graph."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from overtone.kernels import Csr, row_of_each

ROUNDS = 50
TOGETHER = 8
STILL = 1e-10
FLOOR = 1e-12
"""Moves whose directions differ by less than the root of this count as one."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """`S = diag(alpha) P` with `P = D^-1 W`: one step of a walk that ends with chance `1 - alpha`.

    `steps` is S in single precision, for sweeps; `exact` are its entries in double, since a system
    with `mu` above 2 may be so near to singular that single precision decides. `leak` is
    `(1 - alpha) / alpha`, the weight of a node's tie to the prior over its degree. `home` is the
    closed class (a set that the walk never leaves) of each node, -1 outside of any; `stationary`
    is the left null vector of `I - P` on each class, of sum 1.
    """

    steps: Csr
    exact: NDArray[np.float64]
    leak: NDArray[np.float64]
    home: NDArray[np.int32]
    stationary: NDArray[np.float64]

    @classmethod
    def of(cls, weights: Csr, grounding: float = 0.0) -> Self:
        """Ground every node to the prior with `grounding` times its degree, one without edges wholly."""
        m = len(weights.indptr) - 1
        rows = row_of_each(weights)
        degree = np.bincount(rows, weights.data, minlength=m)
        P = csr_array((weights.data / degree[rows], weights.indices, weights.indptr), shape=(m, m))
        home = closed_classes(P, degree > 0.0)
        alpha = np.where(degree > 0.0, 1.0 / (1.0 + grounding), 0.0)
        leak = np.where(degree > 0.0, grounding, 0.0)
        exact = P.data * alpha[rows]
        steps = Csr(weights.indptr, weights.indices, exact.astype(np.float32))
        return cls(steps, exact, leak, home, stationary(P, home))

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.leak)

    @property
    def classes(self) -> int:
        """How many closed classes there are."""
        return int(self.home.max(initial=-1)) + 1

    def matrix(self) -> Any:
        """Return S as a SciPy array in float64."""
        return csr_array((self.exact, self.steps.indices, self.steps.indptr), shape=(self.size, self.size))


def closed_classes(P: Any, has_edges: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Give each strongly connected set that no edge leaves a number; -1 to every other node."""
    count, part = connected_components(P, directed=True, connection="strong")
    source = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    leaves = part[source] != part[P.indices]
    is_open = np.zeros(count, np.bool_)
    is_open[part[source[leaves]]] = True
    is_open[part[~has_edges]] = True
    number = np.where(is_open, -1, np.cumsum(~is_open) - 1)
    home: NDArray[np.int32] = number[part].astype(np.int32)
    return home


def stationary(P: Any, home: NDArray[np.int32]) -> NDArray[np.float64]:
    """Find `pi P = pi` on each closed class by power iteration, slightly lazy against periodic walks.

    Some steps in a row are combined to the vector of sum 1 that would move least.
    """
    inside = home >= 0
    classes = int(home.max(initial=-1)) + 1
    size = np.bincount(home[inside], minlength=classes)
    pi = np.zeros(P.shape[0])
    pi[inside] = 1.0 / size[home[inside]]
    back = P.T.tocsr()
    for _ in range(ROUNDS):
        iterates = [pi]
        for _ in range(TOGETHER):
            iterates.append(0.1 * iterates[-1] + 0.9 * (back @ iterates[-1]))
        moves = np.diff(iterates, axis=0)
        pi = np.einsum("i,ij->j", still_weights(moves), np.stack(iterates[1:]))
        if np.abs(moves[-1]).sum() <= STILL * max(classes, 1):
            break
    total = np.bincount(home[inside], pi[inside], minlength=classes)
    pi[inside] /= total[home[inside]]
    return pi


def still_weights(moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of sum 1 whose combination of moves is least; none but the last of moves of 0."""
    gram = np.einsum("ij,kj->ik", moves, moves)
    size = np.sqrt(np.diag(gram))
    weights: NDArray[np.float64] = np.zeros(len(moves))
    weights[-1] = 1.0
    if size.all():
        gram = gram / np.outer(size, size) + FLOOR * np.eye(len(moves))
        weights = np.linalg.solve(gram, 1.0 / size) / size
    out: NDArray[np.float64] = weights / weights.sum()
    return out
