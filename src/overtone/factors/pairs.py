"""What a user prefers to what: every two ratings of one user that differ."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.errors import DataError
from overtone.kernels import Csr, Ints, kernel

MOST = 400_000_000


class Pairs(NamedTuple):
    """Places of the ratings in their table, the higher rated first; the pairs of a user lie together."""

    starts: NDArray[np.int64]
    higher: NDArray[np.int32]
    lower: NDArray[np.int32]

    @classmethod
    def of(cls, ratings: Csr) -> "Pairs":
        """List them all, 8 bytes each."""
        starts = np.zeros(len(ratings.indptr), np.int64)
        np.cumsum(count(ratings), out=starts[1:])
        if starts[-1] > MOST:
            raise DataError(
                f"these ratings make {starts[-1]:,} pairs, more than the {MOST:,} that this ranker takes; "
                "thin them first, for instance with given_n"
            )
        pairs = cls(starts, np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32))
        fill(ratings, pairs)
        return pairs

    @property
    def total(self) -> int:
        """How many there are."""
        return int(self.starts[-1])

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many each user has."""
        return np.diff(self.starts)


@kernel
def count(ratings: Csr) -> Ints:
    """Count each user's pairs."""
    found = np.zeros(len(ratings.indptr) - 1, np.int64)
    for user in range(len(found)):
        values = np.sort(ratings.data[ratings.indptr[user] : ratings.indptr[user + 1]])
        same = 0
        for place in range(1, len(values)):
            same = same + 1 if values[place] == values[place - 1] else 0
            # Before it lie `place` ratings, of which `same` equal it.
            found[user] += place - same
    return found


@kernel
def fill(ratings: Csr, pairs: Pairs) -> None:
    """Write down each user's pairs."""
    at = 0
    for user in range(len(ratings.indptr) - 1):
        for one in range(ratings.indptr[user], ratings.indptr[user + 1]):
            for other in range(one + 1, ratings.indptr[user + 1]):
                if ratings.data[one] != ratings.data[other]:
                    first = ratings.data[one] > ratings.data[other]
                    pairs.higher[at] = one if first else other
                    pairs.lower[at] = other if first else one
                    at += 1
