"""Algorithm 1, line 7: the point integral system, for a block of items at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overtone.graph.walk import Walk
from overtone.harmonic import kernels
from overtone.harmonic.column import solve_column
from overtone.harmonic.kernels import Labels, Modes
from overtone.harmonic.labels import Block

SAFE_MU = 2.0
"""From here on a sweep need not contract: what a label adds is more than what it damps."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What others see of each node (`x`), f where that differs (`at_labels`), and how good it is.

    `residuals` is the greatest `|f - S x|` of each column over the greatest number in it, which up
    to `mu` 2 is a label: no node's equation is off by more than that share of the largest label.
    """

    x: NDArray[np.float32]
    at_labels: NDArray[np.float64]
    residuals: NDArray[np.float64]
    converged: NDArray[np.bool_]
    sweeps: int

    def values(self, block: Block) -> NDArray[np.float32]:
        """Return f, one row a node."""
        f = self.x.copy()
        f[block.nodes, block.labels.columns] = self.at_labels
        return f


@dataclass(frozen=True, slots=True, eq=False)
class Solver:
    """Sweeps with the constant of every closed class removed, and a column solver for what they leave."""

    walk: Walk
    mu: float
    tolerance: float
    max_sweeps: int

    def solve(self, block: Block, labels: Labels, start: Solution | None = None) -> Solution:
        """Solve every column of a block for these labels."""
        x = np.zeros((block.size, len(block.columns)), np.float32) if start is None else start.x.copy()
        at_labels = np.zeros(len(labels.pull)) if start is None else start.at_labels.copy()
        x[block.nodes, labels.columns] = at_labels - self.mu * (at_labels - labels.pull)
        sweeps = self._sweep(labels, x, at_labels, block.greatest(labels.pull)) if self.mu < SAFE_MU else 0
        residuals = self._check(labels, x, at_labels)
        for column in np.flatnonzero(~(residuals <= self.tolerance)).tolist():
            nodes, places = block.nodes_of(column)
            x[:, column], at_labels[places] = solve_column(self.walk, self.mu, nodes, labels.pull[places])
        if not (residuals <= self.tolerance).all():
            residuals = self._check(labels, x, at_labels)
        return Solution(x, at_labels, residuals, residuals <= self.tolerance, sweeps)

    def _sweep(
        self,
        labels: Labels,
        x: NDArray[np.float32],
        at_labels: NDArray[np.float64],
        scale: NDArray[np.float64],
    ) -> int:
        """Sweep until no column moves more than half the tolerance; the residual is at most that move."""
        weight = self.walk.stationary
        modes = Modes(self.walk.home, weight, weight * self.walk.leak)
        change, shift = np.zeros(len(scale), np.float32), np.zeros((self.walk.classes, len(scale)))
        for done in range(1, self.max_sweeps + 1):
            kernels.sweep(self.walk.steps, labels, self.mu, x, at_labels, change)
            kernels.balance(modes, labels, self.mu, x, at_labels, shift)
            kernels.move(modes, labels, self.mu, x, at_labels, shift)
            moved = change + np.abs(shift).max(axis=0, initial=0.0)
            if (moved <= 0.5 * self.tolerance * scale).all() or not np.isfinite(moved).all():
                return done
        return self.max_sweeps

    def _check(
        self, labels: Labels, x: NDArray[np.float32], at_labels: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the residual of every column over its greatest number."""
        worst = np.zeros(x.shape[1], np.float32)
        kernels.residual(self.walk.steps, labels, x, at_labels, worst)
        greatest = np.maximum(x.max(axis=0), -x.min(axis=0)).astype(np.float64)
        return worst / np.where(greatest > 0.0, greatest, 1.0)
