"""The best n of scores that arrive block by block, in memory that depends on n alone."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from overtone.kernels import Bools, Csr, Floats, Ints, kernel


@dataclass(frozen=True, slots=True, eq=False)
class Top:
    """For each of some users the best items so far, best first; equal scores by ascending item row."""

    items: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def empty(cls, users: int, n: int) -> Self:
        """Make room for `n` items a user."""
        return cls(np.full((users, n), -1, np.int32), np.full((users, n), -np.inf))

    def offer(self, scores: Floats, items: Ints, skip: Csr | None, allowed: Bools) -> None:
        """Take in the scores of some items, one row a user; `skip` holds each user's items to leave out."""
        none = Csr(np.zeros(len(scores) + 1, np.int64), np.empty(0, np.int32), np.empty(0))
        offer(
            scores,
            np.asarray(items, np.int64),
            none if skip is None else skip,
            allowed,
            self.items,
            self.scores,
        )


@kernel
def offer(block: Floats, columns: Ints, skip: Csr, allowed: Bools, items: Ints, scores: Floats) -> None:
    """Insert each allowed score that beats the last kept one; a tie goes to the lower item row."""
    n = items.shape[1]
    barred = np.zeros(len(allowed), np.bool_)
    for user in range(block.shape[0]):
        own = skip.indices[skip.indptr[user] : skip.indptr[user + 1]]
        for item in own:
            barred[item] = True
        for place in range(len(columns)):
            item = columns[place]
            if not allowed[item] or barred[item]:
                continue
            score = block[user, place]
            at = n
            while at > 0 and better(score, item, scores[user, at - 1], items[user, at - 1]):
                at -= 1
            if at < n:
                for later in range(n - 1, at, -1):
                    items[user, later], scores[user, later] = items[user, later - 1], scores[user, later - 1]
                items[user, at], scores[user, at] = item, score
        for item in own:
            barred[item] = False


@kernel
def better(score: float, item: int, kept_score: float, kept_item: int) -> bool:
    """Whether an item comes before a kept one."""
    return kept_item < 0 or score > kept_score or (score == kept_score and item < kept_item)
