"""Gauss-Seidel on a block of items: one row of `x` is one node, one column one item."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.harmonic.gather import WIDTH, gather, settle
from overtone.kernels import Csr, Floats, Ints, kernel


class Labels(NamedTuple):
    """The known values of a block: for each node its labelled columns, and what they pull to.

    Labels are few, so that they can be float64: Bregman steps add up their misfits.
    """

    indptr: Ints
    columns: Ints
    pull: Floats


class Classes(NamedTuple):
    """The closed class of each node, its stationary weight, that times its leak, and the sum of those."""

    home: Ints
    weight: Floats
    leak: Floats
    leaks: Floats


class System(NamedTuple):
    """What all blocks share: the walk, its closed classes, and how far labels are heard."""

    steps: Csr
    classes: Classes
    mu: float


class State(NamedTuple):
    """What others see of each node (x), and f at the labels, where the two differ; and their last steps."""

    x: NDArray[np.float32]
    at_labels: NDArray[np.float64]
    step: NDArray[np.float32]
    label_step: NDArray[np.float64]


@kernel
def relax(system: System, labels: Labels, state: State, goal: Floats, moved: Floats, most: int) -> int:
    """Balance and sweep until no column moves by more than its goal; return how many sweeps it took.

    What a sweep `moved` bounds what the equations are off by: each node met its own when it was
    visited, and the weights of those that moved later sum to 1 at the most.
    """
    shift = np.zeros((len(system.classes.leaks), WIDTH), np.float32)
    before, dots = np.zeros(WIDTH, np.float32), np.zeros((2, WIDTH), np.float32)
    for done in range(1, most + 1):
        balance(system.classes, labels, system.mu, state, shift)
        lift(system.classes, labels, system.mu, state, shift)
        before[:] = dots[0]
        sweep(system, labels, state, moved, dots)
        if (moved <= goal).all() or not np.isfinite(moved).all():
            return done
        if done % 2 == 0:
            leap(labels, state, before, dots)
    return most


@kernel
def sweep(system: System, labels: Labels, state: State, moved: Floats, dots: Floats) -> None:
    """Update each node in turn: `f_j = (S x)_j`, and `x = f`, at a label `x = f - mu (f - h)`.

    `at_labels` is f where x differs from it; `moved` becomes the greatest change of x in each
    column, `dots` the products of the step with itself and with the one before.
    """
    steps, x = system.steps, state.x
    out = np.empty(WIDTH, np.float32)
    moved[:] = 0.0
    dots[:] = 0.0
    for node in range(x.shape[0]):
        gather(steps.data, steps.indices, (steps.indptr[node], steps.indptr[node + 1]), x, out)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            state.label_step[place] = out[b] - state.at_labels[place]
            state.at_labels[place] = out[b]
            out[b] -= system.mu * (out[b] - labels.pull[place])
        settle(out, x[node], state.step[node], moved, dots)


@kernel
def leap(labels: Labels, state: State, before: Floats, dots: Floats) -> None:
    """Go on in the direction of the last step, as far as makes the combination of the last two least.

    Of two steps r and s, `s - a (s - r)` is least where `a = s . (s - r) / |s - r|^2` (Anderson's
    acceleration of depth 1). What a balance added between them is a constant, which the next
    balance finds anew. `before` is `r . r`, `dots` are `s . s` and `s . r`.
    """
    share = np.zeros(WIDTH, np.float32)
    for b in range(WIDTH):
        square = before[b] - np.float32(2.0) * dots[1, b] + dots[0, b]
        ahead = (dots[1, b] - dots[0, b]) / square
        if square > 0.0 and np.isfinite(ahead):
            share[b] = ahead
    for node in range(state.x.shape[0]):
        row, step = state.x[node], state.step[node]
        for b in range(WIDTH):
            row[b] += share[b] * step[b]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            state.at_labels[place] += share[labels.columns[place]] * state.label_step[place]


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
    size = shift.shape[0]
    total, mass = np.zeros((size, WIDTH)), np.empty((size, WIDTH))
    for c in range(size):
        mass[c] = classes.leaks[c]
    for node in range(state.x.shape[0]):
        c = classes.home[node]
        if c < 0:
            continue
        leak, row, own = classes.leak[node], state.x[node], total[c]
        if leak > 0.0:
            for b in range(WIDTH):
                own[b] -= leak * row[b]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b, f = labels.columns[place], state.at_labels[place]
            own[b] += leak * (row[b] - f) + classes.weight[node] * mu * (labels.pull[place] - f)
            mass[c, b] += classes.weight[node] * mu
    for c in range(size):
        for b in range(WIDTH):
            shift[c, b] = total[c, b] / mass[c, b] if mass[c, b] > 0.0 else 0.0


@kernel
def lift(classes: Classes, labels: Labels, mu: float, state: State, shift: Floats) -> None:
    """Add the constant of its class to each node; of a single class also to those that end up in it."""
    if shift.shape[0] == 0:
        return
    for node in range(state.x.shape[0]):
        c = classes.home[node] if shift.shape[0] > 1 else 0
        if c < 0:
            continue
        row, more = state.x[node], shift[c]
        for b in range(WIDTH):
            row[b] += more[b]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            state.at_labels[place] += more[b]
            row[b] -= mu * more[b]


@kernel
def greatest(x: Floats, most: Floats) -> None:
    """Raise `most` to the greatest size in each column."""
    for node in range(x.shape[0]):
        row = x[node]
        for b in range(WIDTH):
            most[b] = max(most[b], abs(row[b]))
