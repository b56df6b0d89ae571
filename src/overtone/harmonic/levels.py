"""The level of each closed class, where there are too many classes to be directions of their own."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.graph.walk import Walk
from overtone.harmonic.labels import Labels, State
from overtone.harmonic.rows import WIDTH, add
from overtone.kernels import Floats, kernel

TINY = 1e-10
"""A class that is held by no more than this has no level of its own."""


class Levels(NamedTuple):
    """As `Modes` with a direction for each class: `weight` is its left side, `held` what its grounding adds.

    Classes do not overlap, so that one entry a node tells all, and no class has to do with another.
    """

    home: NDArray[np.int32]
    weight: NDArray[np.float64]
    stepped: NDArray[np.float64]
    drift: NDArray[np.float64]
    held: NDArray[np.float64]


def levels_of(walk: Walk) -> Levels:
    """Weigh each class by its stationary weights."""
    stepped = np.asarray(walk.matrix().T @ walk.stationary)
    inside = walk.home >= 0
    held = np.bincount(walk.home[inside], (walk.stationary - stepped)[inside], minlength=walk.classes)
    grounded = np.bincount(walk.home[inside], walk.leak[inside], minlength=walk.classes) > 0.0
    drift = np.where(inside, stepped - walk.stationary, 0.0)
    return Levels(walk.home, walk.stationary, stepped, drift, np.where(grounded, held, 0.0))


def no_levels(walk: Walk) -> Levels:
    """Return none."""
    none = np.zeros(0)
    return Levels(walk.home, none, none, none, none)


@kernel
def level(levels: Levels, labels: Labels, mu: float, state: State) -> None:
    """Move each class to the level at which the weighted sum of its equations is 0."""
    shape = (len(levels.held), WIDTH)
    total, held, shift = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.float32)
    for node in range(len(levels.weight)):
        c = levels.home[node]
        if c >= 0:
            for b in range(WIDTH):
                total[c, b] += levels.drift[node] * state.x[node, b]
            for place in range(labels.indptr[node], labels.indptr[node + 1]):
                b = labels.columns[place]
                total[c, b] += levels.weight[node] * (state.x[node, b] - state.at_labels[place])
                held[c, b] += mu * levels.stepped[node]
    divide(total, held, levels.held, shift)
    for node in range(len(levels.weight)):
        c = levels.home[node]
        if c >= 0:
            add(state.x, node, shift, c)
            for place in range(labels.indptr[node], labels.indptr[node + 1]):
                b = labels.columns[place]
                state.at_labels[place] += shift[c, b]
                state.x[node, b] -= mu * shift[c, b]


@kernel
def divide(total: Floats, held: Floats, grounding: Floats, shift: Floats) -> None:
    """Set the shift of each class and column, 0 where nothing holds it."""
    for c in range(total.shape[0]):
        for b in range(WIDTH):
            by = held[c, b] + grounding[c]
            shift[c, b] = total[c, b] / by if by > TINY else 0.0
