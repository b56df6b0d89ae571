"""The known values of a block of columns, sorted by node as a sweep meets them, and what is solved for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.harmonic.rows import WIDTH
from overtone.kernels import Csr, Floats, Ints


class Labels(NamedTuple):
    """The known values of a block: for each node its labelled columns, and what they pull to.

    Labels are few, so that they can be float64: Bregman steps add up their misfits.
    """

    indptr: Ints
    columns: Ints
    pull: Floats


class State(NamedTuple):
    """What others see of each node (x), and f at the labels, where the two differ; and their last steps."""

    x: NDArray[np.float32]
    at_labels: NDArray[np.float64]
    steps: NDArray[np.float32]
    label_steps: NDArray[np.float64]


class Block(NamedTuple):
    """Labels of some columns; `entry` is the place of each in the arrays of the whole."""

    columns: NDArray[np.int64]
    labels: Labels
    entry: NDArray[np.int64]
    size: int

    def greatest(self, values: Floats) -> NDArray[np.float64]:
        """Return the greatest size of each column's values, one a label; 0 where it has none."""
        out = np.zeros(WIDTH)
        np.maximum.at(out, self.labels.columns, np.abs(values))
        return out

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The node of each label."""
        return np.repeat(np.arange(self.size), np.diff(self.labels.indptr))

    def nodes_of(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the labelled nodes of one column of the block, and the places of their labels."""
        places = np.flatnonzero(self.labels.columns == column)
        return self.nodes[places], places


def block_of(known: Csr, columns: Ints, size: int) -> Block:
    """Gather the entries of some rows of `known` (one row a column of the problem, its columns nodes)."""
    counts = known.indptr[columns + 1] - known.indptr[columns]
    column = np.repeat(np.arange(len(columns), dtype=np.int32), counts)
    within = np.arange(len(column)) - np.repeat(np.cumsum(counts) - counts, counts)
    entry = known.indptr[columns][column] + within
    order = np.argsort(known.indices[entry], kind="stable")
    entry = entry[order]
    indptr = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(known.indices[entry], minlength=size), out=indptr[1:])
    labels = Labels(indptr, column[order], known.data[entry].astype(np.float64))
    return Block(np.asarray(columns, np.int64), labels, entry, size)
