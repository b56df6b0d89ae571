"""Gauss-Seidel on a block of items: one row of `x` is one node, one column one item."""

from typing import NamedTuple

import numpy as np

from overtone.harmonic.correction import SOME, Modes, correct, inverses
from overtone.harmonic.labels import Labels, State
from overtone.harmonic.leap import CYCLE, leap
from overtone.harmonic.rows import WIDTH, add, gather, settle
from overtone.kernels import Csr, Floats, Ints, kernel


class Classes(NamedTuple):
    """The closed class of each node, its stationary weight, and that weight times its leak.

    The members of class c are `members[starts[c]:starts[c + 1]]`; `drops` are their leaks, one a
    member, in single precision, and `leaks` their sums.
    """

    home: Ints
    weight: Floats
    leak: Floats
    members: Ints
    starts: Ints
    drops: Floats
    leaks: Floats


class System(NamedTuple):
    """What all blocks share: the walk, its closed classes, its slow modes, and how far labels are heard."""

    steps: Csr
    classes: Classes
    modes: Modes
    mu: float


@kernel
def relax(system: System, labels: Labels, state: State, goal: Floats, moved: Floats, most: int) -> int:
    """Balance, correct and sweep until no column moves by more than its goal; return the number of sweeps.

    What a sweep `moved` bounds what the equations are off by: each node met its own when it was
    visited, and the weights of those that moved later sum to 1 at the most.
    """
    shift = np.zeros((len(system.classes.leaks), WIDTH), np.float32)
    inverse = inverses(system.modes, labels, system.mu)
    for done in range(1, most + 1):
        balance(system.classes, labels, system.mu, state, shift)
        lift(system.classes, labels, system.mu, state, shift)
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
def balance(classes: Classes, labels: Labels, mu: float, state: State, shift: Floats) -> None:
    """Set `shift` to the constant that balances the equations of each closed class, one row a class.

    The stationary weights are orthogonal to the rest of the walk, so that the constant follows from
    the pull of the labels and the leak alone; a class without either has none.
    """
    total, mass = np.zeros(shift.shape), np.empty(shift.shape)
    for c in range(shift.shape[0]):
        mass[c] = classes.leaks[c]
        if classes.leaks[c] > 0.0:
            take_leaks(classes, c, state.x, total[c])
    for node in range(state.x.shape[0]):
        c = classes.home[node]
        if c < 0:
            continue
        weight, leak = classes.weight[node], classes.leak[node]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b, f = labels.columns[place], state.at_labels[place]
            total[c, b] += leak * (state.x[node, b] - f) + weight * mu * (labels.pull[place] - f)
            mass[c, b] += weight * mu
    for c in range(shift.shape[0]):
        for b in range(WIDTH):
            shift[c, b] = total[c, b] / mass[c, b] if mass[c, b] > 0.0 else 0.0


@kernel
def take_leaks(classes: Classes, c: int, x: Floats, total: Floats) -> None:
    """Subtract from `total` what leaks from a class; a few members at a time, so that little is lost."""
    some = np.empty(WIDTH, np.float32)
    stop = classes.starts[c + 1]
    for start in range(classes.starts[c], stop, SOME):
        gather(classes.drops, classes.members, (start, min(start + SOME, stop)), x, some)
        for b in range(WIDTH):
            total[b] -= some[b]


@kernel
def lift(classes: Classes, labels: Labels, mu: float, state: State, shift: Floats) -> None:
    """Add the constant of its class to each node; of a single class also to those that end up in it."""
    if shift.shape[0] == 0:
        return
    for node in range(state.x.shape[0]):
        c = classes.home[node] if shift.shape[0] > 1 else 0
        if c < 0:
            continue
        add(state.x, node, shift, c)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            state.at_labels[place] += shift[c, b]
            state.x[node, b] -= mu * shift[c, b]


@kernel
def greatest(x: Floats, most: Floats) -> None:
    """Raise `most` to the greatest size in each column."""
    for node in range(x.shape[0]):
        row = x[node]
        for b in range(WIDTH):
            most[b] = max(most[b], abs(row[b]))
