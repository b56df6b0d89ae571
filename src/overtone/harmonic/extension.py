"""Algorithm 1: every item extended from its known values to all nodes, block by block."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.graph.walk import Walk
from overtone.harmonic.column import lost, solve, system
from overtone.harmonic.labels import Block, Labels, block_of
from overtone.harmonic.rows import WIDTH
from overtone.harmonic.solver import Solution, Solver
from overtone.kernels import Csr, Ints
from overtone.parallel import Progress, in_order, quiet, spans

WILD = 1e20
"""A pull of so many times the greatest label: the steps of a column grow without end, and it is stopped.

A few steps may well grow a billion times; single precision holds the largest rating times this."""


class Extended(NamedTuple):
    """A block of columns: f, what others see (f but for the labels), and how the solve went.

    `entry` names the label of each (node, column) by its place in the arrays of the known values.
    """

    columns: NDArray[np.int64]
    f: NDArray[np.float32]
    x: NDArray[np.float32]
    entry: NDArray[np.int64]
    seen: NDArray[np.float32]
    solution: Solution
    steps: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """Known values (one row a column of the result) on a walk, by Bregman steps.

    A step solves `L f + mu W[:,U] f[U] = mu W[:,U] h` and moves the pull of each label by its
    misfit, `h <- h + g - f`, which is the paper's `d <- d + f - g` with `h = g - d`. It stops after
    `inner` steps, or when no label is missed by more than `misfit` of the column's greatest.
    With `hard` labels f is the label where there is one: the discrete harmonic form, equation 16,
    whose equation elsewhere is that of `mu = 1`.
    """

    solver: Solver
    known: Csr
    inner: int = 1
    misfit: float = 1e-3
    hard: bool = False

    @property
    def walk(self) -> Walk:
        """The graph."""
        return self.solver.walk

    def blocks(
        self, columns: Ints, threads: int | None = None, progress: Progress = quiet
    ) -> Iterator[Extended]:
        """Extend these columns, those with alike numbers of labels together: they need alike work."""
        counts = self.known.indptr[columns + 1] - self.known.indptr[columns]
        ordered = np.asarray(columns)[np.argsort(counts, kind="stable")]
        return in_order(
            lambda part: self.extend(ordered[part]), spans(len(ordered), WIDTH), threads, progress, "extend"
        )

    def extend(self, columns: Ints) -> Extended:
        """Extend one block of columns."""
        block = block_of(self.known, columns, self.walk.size)
        solution, steps = self._bregman(block)
        seen = solution.x[block.nodes, block.labels.columns]
        x = solution.x[:, : len(columns)]
        f = x if self.hard else solution.values(block)[:, : len(columns)]
        return Extended(block.columns, f, x, block.entry, seen, solution, steps)

    def _bregman(self, block: Block) -> tuple[Solution, NDArray[np.int32]]:
        """Take steps until every column has stopped; a column that has keeps its pull."""
        goal, pull = block.labels.pull, block.labels.pull.copy()
        labels = Labels(block.labels.indptr, block.labels.columns, pull)
        steps = np.ones(WIDTH, np.int32)
        wild = np.zeros(WIDTH, np.bool_)
        solution = self.solver.solve(block, labels)
        for _ in range(1, self.inner):
            misfit = goal - solution.at_labels
            limit = block.greatest(goal)
            going = (block.greatest(misfit) > self.misfit * limit) & (steps == steps.max())
            wild |= going & ~(block.greatest(pull + misfit) <= WILD * limit)
            going &= ~wild
            if not going.any():
                break
            pull += np.where(going[labels.columns], misfit, 0.0)
            steps += going
            solution = self.solver.solve(block, labels, solution)
        solution.residuals[wild], solution.converged[wild] = np.inf, False
        count = len(block.columns)
        solution = replace(
            solution, residuals=solution.residuals[:count], converged=solution.converged[:count]
        )
        return solution, steps[:count]

    def carriers(self, node: int, column: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the labelled nodes of a column and the weight of each in f at `node`.

        `f = s . h` with `s` from one solve of the transposed system; a further Bregman step turns
        `h` into `h + g - f`, so that after K steps f is `g` times the sum of `(I - S_U')^i s`.
        """
        start, stop = self.known.indptr[column], self.known.indptr[column + 1]
        labelled = self.known.indices[start:stop].astype(np.int64)
        if not len(labelled) or lost(self.walk, labelled)[node]:
            return labelled, np.zeros(len(labelled))
        if self.hard and node in labelled:
            return labelled, (labelled == node).astype(np.float64)
        mu = self.solver.mu
        back = system(self.walk, mu, labelled).T.tocsr()
        step_back = self.walk.matrix().T.tocsr()
        source = np.zeros(self.walk.size)
        source[node] = 1.0
        term = mu * (step_back @ solve(back, source))[labelled]
        total = term.copy()
        for _ in range(1, int(self.extend(np.array([column])).steps[0]) if self.inner > 1 else 1):
            source = np.zeros(self.walk.size)
            source[labelled] = term
            term = term - mu * (step_back @ solve(back, source))[labelled]
            total += term
        return labelled, total
