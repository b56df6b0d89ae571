"""One item at a time in float64: for what sweeps leave, and for the weights behind a score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array, eye_array
from scipy.sparse.linalg import gmres

from overtone.graph.walk import Walk

EXACT = 1e-10
DIRECT_SIZE = 2000
RESTART = 100


def system(walk: Walk, mu: float, labelled: NDArray[np.int64]) -> Any:
    """Return `I - S B` for one item, where `B` is what others see of f: `1`, and `1 - mu` at a label.

    A closed class without a label or a leak would make it singular; its nodes have the prior, 0,
    and are seen as that.
    """
    seen = np.ones(walk.size)
    seen[labelled] = 1.0 - mu
    seen[lost(walk, labelled)] = 0.0
    return eye_array(walk.size) - walk.matrix() @ diags_array(seen)


def lost(walk: Walk, labelled: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the nodes of closed classes from which neither a label nor the prior can be reached."""
    if not walk.classes:
        return np.zeros(walk.size, np.bool_)
    inside = walk.home >= 0
    anchored = np.bincount(walk.home[inside], walk.leak[inside], minlength=walk.classes) > 0.0
    anchored[walk.home[labelled][walk.home[labelled] >= 0]] = True
    out: NDArray[np.bool_] = inside & ~anchored[walk.home]
    return out


def solve_column(
    walk: Walk, mu: float, labelled: NDArray[np.int64], pull: NDArray[np.floating[Any]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve one item; return what others see of each node, and f at the labels."""
    given = np.zeros(walk.size)
    given[labelled] = mu * pull
    f = solve(system(walk, mu, labelled), walk.matrix() @ given)
    x = f.copy()
    x[labelled] = (1.0 - mu) * f[labelled] + mu * pull
    return x, f[labelled]


def solve(matrix: Any, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve a sparse system by GMRES; a small one that resists, directly."""
    size = len(right)
    x, failed = gmres(matrix, right, rtol=EXACT, restart=min(size, RESTART), maxiter=20)
    if failed and size <= DIRECT_SIZE:
        x = np.linalg.lstsq(matrix.toarray(), right)[0]
    out: NDArray[np.float64] = x
    return out
