"""The best n of scores that arrive block by block, in memory that depends on n alone."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from overtone.graph.heap import arrange, keep
from overtone.kernels import Bools, Csr, Floats, Ints, kernel, transpose


class Top(NamedTuple):
    """For each of some users the best items, best first; equal scores by ascending item row; -1 fills up."""

    items: NDArray[np.int32]
    scores: NDArray[np.float64]


class Heap(NamedTuple):
    """For each user the best so far, the least of them on top, and how many there are."""

    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    kept: NDArray[np.int64]


class Baseline(NamedTuple):
    """What makes a score of a value: `user + item + strength x value`; `item` has an entry for every item."""

    user: Floats
    item: Floats
    strength: float | np.floating[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Collector:
    """Takes in scores, keeps the best; `barred` has a row an item with the users who must not get it."""

    heap: Heap
    allowed: Bools
    barred: Csr

    @classmethod
    def of(cls, users: int, n: int, skip: Csr | None, allowed: Bools) -> Self:
        """Make room for `n` items a user; `skip` holds each user's items to leave out."""
        rows = np.full((users, n), -1, np.int32)
        heap = Heap(rows, np.full((users, n), -np.inf), np.zeros(users, np.int64))
        if skip is None:
            skip = Csr(np.zeros(users + 1, np.int64), np.empty(0, np.int32), np.empty(0))
        return cls(heap, allowed, transpose(skip._replace(data=np.empty(len(skip.indices))), len(allowed)))

    def offer(self, values: Floats, items: Ints, baseline: Baseline | None = None) -> None:
        """Take in the values of some items, one row a user: the scores, where there is no baseline."""
        if baseline is None:
            baseline = Baseline(np.zeros(len(values)), np.zeros(len(self.allowed)), 1.0)
        # The product in the precision of the values, as NumPy has it where all scores are asked for.
        baseline = Baseline(baseline.user, baseline.item, values.dtype.type(baseline.strength))
        offer(values, np.asarray(items, np.int64), baseline, self.barred, self.allowed, self.heap)

    def ranked(self) -> Top:
        """Return copies of what was kept, best first."""
        best = Top(self.heap.items.copy(), self.heap.scores.copy())
        sort(best, self.heap.kept)
        return best


@kernel
def offer(values: Floats, columns: Ints, baseline: Baseline, barred: Csr, allowed: Bools, heap: Heap) -> None:
    """Keep each score that may be kept and beats the least; a tie goes to the lower item row."""
    closed = np.zeros(values.shape, np.bool_)
    for place in range(len(columns)):
        item = columns[place]
        if not allowed[item]:
            closed[:, place] = True
        for own in range(barred.indptr[item], barred.indptr[item + 1]):
            closed[barred.indices[own], place] = True
    size = heap.items.shape[1]
    for user in range(values.shape[0]):
        items, scores, kept = heap.items[user], heap.scores[user], heap.kept[user]
        for place in range(len(columns)):
            if not closed[user, place]:
                item = columns[place]
                score = baseline.user[user] + baseline.item[item] + baseline.strength * values[user, place]
                if kept < size or score >= scores[0]:
                    kept = keep(scores, items, kept, score, item)
        heap.kept[user] = kept


@kernel
def sort(best: Top, kept: Ints) -> None:
    """Turn every heap into a list, best first."""
    for user in range(len(kept)):
        arrange(best.scores[user], best.items[user], kept[user])
