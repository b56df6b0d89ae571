"""What a search for neighbours gives, and what every kind of search can do."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from overtone.kernels import Csr


class Neighbors(NamedTuple):
    """The nearest points of each query, nearest first; -1 fills a row that has fewer.

    `overlap` is the cosine of the two binary rows, `|both| / sqrt(|one| |other|)`: under unit
    length the order by cosine is the order by Euclidean distance. A point that shares nothing
    with the query is not its neighbour.
    """

    rows: NDArray[np.int32]
    overlap: NDArray[np.floating[Any]]

    @classmethod
    def empty(cls, queries: int, k: int) -> "Neighbors":
        """Make room for `k` neighbours of each query."""
        return cls(np.full((queries, k), -1, np.int32), np.zeros((queries, k)))


class Search(Protocol):
    """Finds, among the rows that it was built from, those nearest to a query."""

    def nearest_to_each(self, k: int, threads: int | None = None) -> Neighbors:
        """Return the `k` nearest others of every row."""
        ...

    def nearest(self, queries: Csr, k: int) -> Neighbors:
        """Return the `k` nearest rows of queries that are none of them."""
        ...
