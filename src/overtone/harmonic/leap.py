"""Reduced rank extrapolation: what a few sweeps in a row tell of the modes that are slow to go."""

import numpy as np

from overtone.harmonic.rows import WIDTH, advance
from overtone.kernels import Floats, Ints, kernel

CYCLE = 3
"""Sweeps from leap to leap, whose steps are kept."""

SAMPLE = 512
"""Nodes that tell steps apart well enough."""

FLOOR = 1e-9
"""Steps that differ by less than this share of their size, squared, count as the same."""


@kernel
def leap(label_columns: Ints, x: Floats, at_labels: Floats, steps: Floats, label_steps: Floats) -> None:
    """Move each column to the combination of its last iterates whose step is least.

    Iterate i made the step r_i; with `sum c_i = 1` the combination of iterates is the last one less
    `c_i` times every step after i. What a correction added between sweeps is left out: the next
    one finds it anew.
    """
    back = np.zeros((CYCLE, WIDTH), np.float32)
    gram = products(steps)
    for b in range(WIDTH):
        share = 0.0
        weights = least(gram[:, :, b].copy())
        for i in range(1, CYCLE):
            share -= weights[i - 1]
            back[i, b] = share
    for i in range(1, CYCLE):
        own, step = back[i], steps[i]
        for node in range(x.shape[0]):
            advance(x, node, step, own)
        for place in range(len(at_labels)):
            at_labels[place] += own[label_columns[place]] * label_steps[i, place]


@kernel
def products(steps: Floats) -> Floats:
    """Return `r_i . r_j` of every two steps, for each column, over a sample of the nodes."""
    stride = steps.shape[1] // SAMPLE + 1
    gram = np.zeros((CYCLE, CYCLE, WIDTH))
    for i in range(CYCLE):
        for j in range(i + 1):
            total = gram[i, j]
            for node in range(0, steps.shape[1], stride):
                for b in range(WIDTH):
                    total[b] += steps[i, node, b] * steps[j, node, b]
            gram[j, i] = total
    return gram


@kernel
def least(gram: Floats) -> Floats:
    """Return the weights of sum 1 that make `|sum c_i r_i|` least; none but the last where that fails."""
    size = len(gram)
    weights = np.ones(size)
    floor = FLOOR * np.trace(gram)
    for k in range(size):
        gram[k, k] += floor
    for k in range(size):
        for i in range(k + 1, size):
            share = gram[i, k] / gram[k, k]
            weights[i] -= share * weights[k]
            for j in range(k, size):
                gram[i, j] -= share * gram[k, j]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            weights[k] -= gram[k, j] * weights[j]
        weights[k] /= gram[k, k]
    weights /= weights.sum()
    if not np.isfinite(weights).all():
        weights[:] = 0.0
        weights[-1] = 1.0
    return weights
