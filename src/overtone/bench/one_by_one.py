"""The obvious way to solve Algorithm 1: a Krylov solver, one item after the other."""

from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, bicgstab

from overtone.harmonic.column import lost
from overtone.harmonic.extension import Extension

SAMPLE = 24
RTOL = 1e-4


def one_by_one(extension: Extension) -> dict[str, Any]:
    """Solve a sample of columns, evenly spread over few and many labels, by SciPy's BiCGSTAB.

    In double precision, on one thread, to a 2-norm of 1e-4 of the right-hand side. The system is applied
    and never built, which is faster.
    """
    known = extension.known
    counts = np.diff(known.indptr)
    ordered = np.argsort(counts, kind="stable")
    ordered = ordered[counts[ordered] > 0]
    sample = ordered[np.linspace(0, len(ordered) - 1, min(SAMPLE, len(ordered))).astype(int)]
    seconds, failed = 0.0, 0
    for column in sample:
        place = slice(known.indptr[column], known.indptr[column + 1])
        taken, good = _solve(extension, known.indices[place].astype(np.int64), known.data[place])
        seconds += taken
        failed += not good
    return {
        "sample": len(sample),
        "failed": failed,
        "seconds_each": seconds / len(sample),
        "seconds_all": seconds / len(sample) * int((counts > 0).sum()),
    }


def _solve(extension: Extension, labelled: Any, values: Any) -> tuple[float, bool]:
    size, mu, S = extension.walk.size, extension.solver.mu, extension.walk.matrix()
    seen, given = np.ones(size), np.zeros(size)
    seen[labelled], given[labelled] = 1.0 - mu, mu * values
    seen[lost(extension.walk, labelled)] = 0.0
    start = perf_counter()
    system = LinearOperator((size, size), matvec=lambda f: f - S @ (seen * f), dtype=np.float64)
    right = S @ given
    x, info = bicgstab(system, right, rtol=RTOL, atol=0.0, maxiter=1000)
    good = bool(np.linalg.norm(system @ x - right) <= 2 * RTOL * np.linalg.norm(right))
    return perf_counter() - start, info == 0 and good
