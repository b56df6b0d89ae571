"""Algorithm 1, line 7: the point integral system, for a block of items at once."""

from dataclasses import dataclass
from threading import local
from typing import Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.walk import Walk
from overtone.harmonic.column import solve_column
from overtone.harmonic.kernels import System, greatest, relax, residual
from overtone.harmonic.labels import Block, Labels, State
from overtone.harmonic.leap import CYCLE
from overtone.harmonic.levels import levels_of, no_levels
from overtone.harmonic.modes import FEW, modes_of, no_modes
from overtone.harmonic.rows import WIDTH, room

SAFE_MU = 2.0
"""From here on a sweep need not contract: what a label adds is more than what it damps."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What others see of each node (`x`), f where that differs (`at_labels`), and how good it is.

    `residuals` bounds `|f - S x|` of each column, over the greatest number in it, which up to `mu` 2
    is a label: no node's equation is off by more than that share of the largest label.
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
    """Sweeps, what they are slow to mend corrected, and a column solver for what they leave."""

    walk: Walk
    system: System
    tolerance: float
    max_sweeps: int

    @classmethod
    def of(cls, walk: Walk, mu: float = 1.0, *, tolerance: float = 1e-5, max_sweeps: int = 300) -> Self:
        """Prepare what all blocks share."""
        modes = modes_of(walk) if mu < SAFE_MU else no_modes(walk)
        levels = levels_of(walk) if mu < SAFE_MU and walk.classes > FEW else no_levels(walk)
        return cls(walk, System(walk.steps, levels, modes, mu), tolerance, max_sweeps)

    @property
    def mu(self) -> float:
        """How far labels are heard."""
        return self.system.mu

    def solve(self, block: Block, labels: Labels, start: Solution | None = None) -> Solution:
        """Solve every column of a block for these labels."""
        system, state = self.system, _state(block, labels, self.mu, start)
        goal, moved = self.tolerance * block.greatest(labels.pull), np.full(WIDTH, np.inf, np.float32)
        sweeps = 0
        if self.mu < SAFE_MU:
            sweeps = relax(system, labels, state, goal, moved, self.max_sweeps)
        residuals = _over(moved, state.x)
        failed = np.flatnonzero(~(residuals <= self.tolerance)).tolist()
        for column in failed:
            nodes, places = block.nodes_of(column)
            own = solve_column(self.walk, self.mu, nodes, labels.pull[places])
            state.x[:, column], state.at_labels[places] = own
        if failed:
            residual(system, labels, state, moved)
            residuals = _over(moved, state.x)
        return Solution(state.x, state.at_labels, residuals, residuals <= self.tolerance, sweeps)


def _state(block: Block, labels: Labels, mu: float, start: Solution | None) -> State:
    """Go on from a solution, or begin with 0; what others see of a label follows its pull."""
    x = room(block.size)
    x[:] = 0.0 if start is None else start.x
    f = np.zeros(len(labels.pull)) if start is None else start.at_labels.copy()
    x[block.nodes, labels.columns] = f - mu * (f - labels.pull)
    return State(x, f, _own_steps(CYCLE, block.size), np.empty((CYCLE, len(f))))


_DESK = local()


def _own_steps(cycle: int, size: int) -> NDArray[np.float32]:
    """Return this thread's room for steps: large, written before it is read, and dear to ask for anew."""
    if getattr(_DESK, "steps", None) is None or _DESK.steps.shape != (cycle, size, WIDTH):
        _DESK.steps = room(cycle, size)
    steps: NDArray[np.float32] = _DESK.steps
    return steps


def _over(worst: NDArray[np.float32], x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return what each column is off by over its greatest number."""
    most = np.zeros(WIDTH, np.float32)
    greatest(x, most)
    return np.divide(worst, most, out=worst.astype(np.float64), where=most > 0.0)
