"""Gauss-Seidel on a block of items: one row of `x` is one node, one column one item."""

from typing import NamedTuple

import numpy as np

from overtone.kernels import Csr, Floats, Ints, kernel


class Labels(NamedTuple):
    """The known values of a block: for each node its labelled columns, and what they pull to.

    Labels are few, so that they can be float64: Bregman steps add up their misfits.
    """

    indptr: Ints
    columns: Ints
    pull: Floats


@kernel
def gather(steps: Csr, node: int, x: Floats, out: Floats) -> None:
    """Set `out` to row `node` of `S x`, four neighbours a pass so that `out` is stored less often."""
    start, stop = steps.indptr[node], steps.indptr[node + 1]
    width = x.shape[1]
    for b in range(width):
        out[b] = np.float32(0.0)
    place = start
    while place + 4 <= stop:
        w0, w1, w2, w3 = (
            steps.data[place],
            steps.data[place + 1],
            steps.data[place + 2],
            steps.data[place + 3],
        )
        x0, x1 = x[steps.indices[place]], x[steps.indices[place + 1]]
        x2, x3 = x[steps.indices[place + 2]], x[steps.indices[place + 3]]
        for b in range(width):
            out[b] += (w0 * x0[b] + w1 * x1[b]) + (w2 * x2[b] + w3 * x3[b])
        place += 4
    while place < stop:
        w, row = steps.data[place], x[steps.indices[place]]
        for b in range(width):
            out[b] += w * row[b]
        place += 1


@kernel
def sweep(steps: Csr, labels: Labels, mu: float, x: Floats, at_labels: Floats, change: Floats) -> None:
    """Update each node in turn: `f_j = (S x)_j`, and `x = f`, at a label `x = f - mu (f - h)`.

    `x` is what the others see of a node, `at_labels` is f where the two differ; `change` becomes
    the greatest change of x in each column.
    """
    out = np.empty(x.shape[1], np.float32)
    change[:] = 0.0
    for node in range(x.shape[0]):
        gather(steps, node, x, out)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            at_labels[place] = out[b]
            out[b] -= mu * (out[b] - labels.pull[place])
        row = x[node]
        for b in range(x.shape[1]):
            change[b] = max(change[b], abs(out[b] - row[b]))
            row[b] = out[b]


@kernel
def residual(steps: Csr, labels: Labels, x: Floats, at_labels: Floats, worst: Floats) -> None:
    """Set `worst` to the greatest `|f - S x|` of each column."""
    out = np.empty(x.shape[1], np.float32)
    worst[:] = 0.0
    for node in range(x.shape[0]):
        gather(steps, node, x, out)
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            worst[b] = max(worst[b], abs(out[b] - at_labels[place]))
            out[b] = x[node, b]
        for b in range(x.shape[1]):
            worst[b] = max(worst[b], abs(out[b] - x[node, b]))


class Modes(NamedTuple):
    """The closed class of each node, its stationary weight, and that weight times its leak."""

    home: Ints
    weight: Floats
    leak: Floats


@kernel
def balance(modes: Modes, labels: Labels, mu: float, x: Floats, at_labels: Floats, shift: Floats) -> None:
    """Set `shift` to the constant that balances the equations of each closed class, one row a class.

    The stationary weights are orthogonal to the rest of the walk, so that the constant follows from
    the pull of the labels and the leak alone; a class without either has none.
    """
    mass = np.zeros(shift.shape)
    shift[:] = 0.0
    for node in range(x.shape[0]):
        c = modes.home[node]
        if c < 0:
            continue
        if modes.leak[node] > 0.0:
            for b in range(x.shape[1]):
                shift[c, b] -= modes.leak[node] * x[node, b]
                mass[c, b] += modes.leak[node]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b, f = labels.columns[place], at_labels[place]
            shift[c, b] += modes.leak[node] * (x[node, b] - f)
            shift[c, b] += modes.weight[node] * mu * (labels.pull[place] - f)
            mass[c, b] += modes.weight[node] * mu
    for c in range(shift.shape[0]):
        for b in range(shift.shape[1]):
            shift[c, b] = shift[c, b] / mass[c, b] if mass[c, b] > 0.0 else 0.0


@kernel
def move(modes: Modes, labels: Labels, mu: float, x: Floats, at_labels: Floats, shift: Floats) -> None:
    """Add the constant of its class to each node; of a single class also to those that end up in it."""
    if shift.shape[0] == 0:
        return
    for node in range(x.shape[0]):
        c = modes.home[node] if shift.shape[0] > 1 else 0
        if c < 0:
            continue
        for b in range(x.shape[1]):
            x[node, b] += shift[c, b]
        for place in range(labels.indptr[node], labels.indptr[node + 1]):
            b = labels.columns[place]
            at_labels[place] += shift[c, b]
            x[node, b] -= mu * shift[c, b]
