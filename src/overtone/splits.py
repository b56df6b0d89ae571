"""Training and test ratings out of one table, each way seeded and repeatable."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overtone.errors import DataError, SettingError, require_count, require_real
from overtone.ratings import Ratings, require_ratings

MARGIN = 10
"""Test ratings that given-N leaves every user at the least (paper, section Data Sets)."""


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test ratings over the same ids; unpacks as `train, test = ...`."""

    train: Ratings
    test: Ratings
    dropped_users: int
    dropped_ratings: int

    def __iter__(self) -> Iterator[Ratings]:
        """Yield the training, then the test ratings."""
        return iter((self.train, self.test))


def given_n(ratings: Ratings, n: int, *, seed: int = 0) -> Split:
    """Train on `n` random ratings of each user, test on the rest (paper, section Data Sets).

    Users with fewer than n + 10 ratings are dropped, and then the items that nobody left rated.
    """
    require_count("n", n, 1)
    require_ratings(ratings)
    each = np.diff(ratings.by_user.indptr)
    kept = each >= n + MARGIN
    if not kept.any():
        raise DataError(
            f"given-{n} needs users with at least {n + MARGIN} ratings; the most that one has is {each.max()}"
        )
    whole = ratings.keep(np.repeat(kept, each)).compact()
    return _cut(whole, _place_within_user(whole, seed) < n, ratings)


def within_users(ratings: Ratings, *, fraction: float = 0.2, seed: int = 0) -> Split:
    """Test on a random share of each user's ratings, rounded but at least one, and not the last.

    Where all have equally many this is given-N without its margin: what settings are chosen by inside
    training data.
    """
    _require_fraction(fraction)
    each = np.diff(require_ratings(ratings).by_user.indptr)
    kept = np.maximum(each - np.maximum(np.rint(fraction * each).astype(np.int64), 1), 1)
    return _cut(ratings, _place_within_user(ratings, seed) < np.repeat(kept, each), ratings)


def holdout(ratings: Ratings, *, fraction: float = 0.2, seed: int = 0) -> Split:
    """Test on a random part of all ratings; each user with two or more keeps one in training."""
    _require_fraction(fraction)
    require_ratings(ratings)
    place = _place_within_user(ratings, seed)
    draw = np.random.default_rng([require_count("seed", seed, 0), 1]).random(len(ratings))
    return _cut(ratings, (draw >= fraction) | (place == 0), ratings)


def by_time(ratings: Ratings, *, fraction: float = 0.2, seed: int = 0) -> Split:
    """Test on the newest part of all ratings, so that no training rating is newer than a test one.

    Ratings of the same second at the cut are divided at random. Users whose ratings are all
    newer than the cut are dropped: nothing is known of them at training time.
    """
    _require_fraction(fraction)
    times = require_ratings(ratings).times
    if times is None:
        raise DataError("a split by time needs times; these ratings have none")
    shuffle = np.random.default_rng(require_count("seed", seed, 0)).random(len(ratings))
    newest_first = np.lexsort((shuffle, -times))
    old = np.ones(len(ratings), np.bool_)
    old[newest_first[: round(fraction * len(ratings))]] = False
    known = np.bincount(ratings.user_rows[old], minlength=ratings.n_users) > 0
    of_known = known[ratings.user_rows]
    return _cut(ratings.keep(of_known).compact(), old[of_known], ratings)


def _place_within_user(ratings: Ratings, seed: int) -> NDArray[np.int64]:
    """Return the place of each rating in a random order of its user's ratings."""
    draw = np.random.default_rng(require_count("seed", seed, 0)).random(len(ratings))
    order = np.lexsort((draw, ratings.user_rows))
    place = np.empty(len(ratings), np.int64)
    place[order] = np.arange(len(ratings)) - ratings.by_user.indptr[ratings.user_rows]
    return place


def _cut(whole: Ratings, in_train: NDArray[np.bool_], before: Ratings) -> Split:
    if in_train.all() or not in_train.any():
        side = "test" if in_train.all() else "training"
        raise DataError(f"no rating is left for the {side} side; there are {len(whole):,} in all")
    dropped = before.n_users - whole.n_users
    return Split(whole.keep(in_train), whole.keep(~in_train), dropped, len(before) - len(whole))


def _require_fraction(fraction: float) -> None:
    if not 0.0 < require_real("fraction", fraction, 0.0) < 1.0:
        raise SettingError(f"fraction must be between 0 and 1, not {fraction}")
