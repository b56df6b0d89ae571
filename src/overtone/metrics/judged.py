"""Test ratings beside a model's scores, grouped by user: what every metric reads."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from overtone.errors import DataError, require_choice, require_count
from overtone.kernels import Floats, Ints, csr
from overtone.metrics import kernels
from overtone.ratings import Ratings, require_ratings

TIES = ("average", "first")


class Scorer(Protocol):
    """Anything that gives each rating of a table a score."""

    def score_ratings(self, ratings: Ratings) -> NDArray[np.floating[Any]]:
        """Return a score for each rating, in the order of `ratings.table()`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Ratings and scores of each user's test items, best score first, tied scores as one group.

    `ends[k]` is where the group of tied scores that holds place `k` ends, counted within the user;
    with ties="first" every group has one member, in the order of the item ids.
    """

    indptr: NDArray[np.int64]
    ratings: Floats
    ends: Ints
    ties: str

    @classmethod
    def of(cls, model: Scorer, test: Ratings, ties: str = "average") -> Self:
        """Score the test ratings with a model."""
        require_ratings(test)
        return cls._sort(test.by_user.indptr, test.by_user.data, model.score_ratings(test), ties)

    @classmethod
    def from_arrays(cls, user: Any, rating: Any, score: Any, *, ties: str = "average") -> Self:
        """Take one array each; rows of one user keep their order where ties="first"."""
        _, rows = np.unique(np.asarray(user), return_inverse=True)
        ratings, scores = _numbers("rating", rating), _numbers("score", score)
        if not len(rows) == len(ratings) == len(scores):
            raise DataError(f"the arrays differ in length: {len(rows)}, {len(ratings)}, {len(scores)}")
        order = np.argsort(rows, kind="stable")
        grouped = csr(rows[order], order, ratings[order], int(rows.max(initial=-1)) + 1)
        return cls._sort(grouped.indptr, grouped.data, scores[order], ties)

    @classmethod
    def _sort(
        cls,
        indptr: NDArray[np.int64],
        ratings: Floats,
        scores: NDArray[np.floating[Any]],
        ties: str,
    ) -> Self:
        require_choice("ties", ties, TIES)
        for what, values in (("score", scores), ("rating", ratings)):
            if not np.isfinite(values).all():
                raise DataError(f"a {what} is not finite; metrics need every {what} to be a number")
        order, ends = kernels.best_first(indptr, scores.astype(np.float64), ties == "average")
        return cls(indptr, ratings[order], ends, ties)

    @property
    def longest(self) -> int:
        """The most test items that a user has."""
        return int(np.diff(self.indptr).max(initial=0))

    def cutoff(self, k: int) -> int:
        """Check `k`; cut it to the longest list."""
        return min(require_count("k", k, 1), max(self.longest, 1))


def _numbers(what: str, values: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"every {what} must be a number: {error}") from error
