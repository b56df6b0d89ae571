"""Gauss-Seidel on a block of items: one row of `x` is one node, one column one item."""

from typing import NamedTuple

import numpy as np

from overtone.harmonic.correction import Modes, correct, inverses
from overtone.harmonic.labels import Labels, State
from overtone.harmonic.leap import CYCLE, leap
from overtone.harmonic.levels import Levels, level
from overtone.harmonic.rows import WIDTH, gather, settle
from overtone.kernels import Csr, Floats, kernel


class System(NamedTuple):
    """What all blocks share: the walk, what it is slow to mend, and how far labels are heard."""

    steps: Csr
    levels: Levels
    modes: Modes
    mu: float


@kernel
def relax(system: System, labels: Labels, state: State, goal: Floats, moved: Floats, most: int) -> int:
    """Correct and sweep until no column moves by more than its goal; return how many sweeps it took.

    What a sweep `moved` bounds what the equations are off by: each node met its own when it was
    visited, and the weights of those that moved later sum to 1 at the most.
    """
    inverse = inverses(system.modes, labels, system.mu)
    for done in range(1, most + 1):
        level(system.levels, labels, system.mu, state)
        if inverse.shape[1] > 0:
            correct(system.modes, inverse, labels, system.mu, state)
        sweep(system, labels, state, moved, (done - 1) % CYCLE)
        if ended(moved, goal):
            return done
        if done % CYCLE == 0:
            leap(labels.columns, state.x, state.at_labels, state.steps, state.label_steps)
    return most


@kernel
def ended(moved: Floats, goal: Floats) -> bool:
    """Whether all columns are within their goal, or one is lost."""
    within = True
    for b in range(WIDTH):
        if not moved[b] < np.inf:
            return True
        within &= moved[b] <= goal[b]
    return within


@kernel
def sweep(system: System, labels: Labels, state: State, moved: Floats, turn: int) -> None:
    """Update each node in turn: `f_j = (S x)_j`, and `x = f`, at a label `x = f - mu (f - h)`.

    `at_labels` is f where x differs from it; `moved` becomes the greatest change of x in each
    column. The step is kept as that of this `turn`.
    """
    steps, x = system.steps, state.x
    step, label_steps = state.steps[turn], state.label_steps[turn]
    out = np.empty(WIDTH, np.float32)
    moved[:] = 0.0
    for node in range(x.shape[0]):
        gather(steps.data, steps.indices, (steps.indptr[node], steps.indptr[node + 1]), x, out)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            label_steps[place] = out[b] - state.at_labels[place]
            state.at_labels[place] = out[b]
            out[b] -= system.mu * (out[b] - labels.pull[place])
        settle(out, x, step, node, moved)


@kernel
def residual(system: System, labels: Labels, state: State, worst: Floats) -> None:
    """Set `worst` to the greatest `|f - S x|` of each column."""
    steps, x = system.steps, state.x
    out = np.empty(WIDTH, np.float32)
    worst[:] = 0.0
    for node in range(x.shape[0]):
        gather(steps.data, steps.indices, (steps.indptr[node], steps.indptr[node + 1]), x, out)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            worst[b] = max(worst[b], abs(out[b] - state.at_labels[place]))
            out[b] = x[node, b]
        for b in range(WIDTH):
            worst[b] = max(worst[b], abs(out[b] - x[node, b]))


@kernel
def greatest(x: Floats, most: Floats) -> None:
    """Raise `most` to the greatest size in each column."""
    for node in range(x.shape[0]):
        row = x[node]
        for b in range(WIDTH):
            most[b] = max(most[b], abs(row[b]))
