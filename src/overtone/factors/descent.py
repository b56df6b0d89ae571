"""What pairwise gradient methods share: sorted ratings, a slice held out, and when to stop."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from overtone.factors.losses import LOSSES
from overtone.kernels import Bools, Csr, Floats, Ints
from overtone.parallel import Progress

State = TypeVar("State")
Rows = TypeVar("Rows")

HALVINGS = 10
"""How often a rate is halved whose first round does not help."""

FEWEST = 250
"""A table of fewer users counts as one of so many: the rate over a handful is beyond any descent."""


class Sorted(NamedTuple):
    """Each user's ratings, ascending, and the items rated."""

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    ratings: NDArray[np.float64]

    @classmethod
    def of(cls, table: Csr, users: Ints, kept: Bools | None = None) -> "Sorted":
        """Sort the ratings, or those kept of them."""
        kept = np.ones(len(users), np.bool_) if kept is None else kept
        own, items, ratings = users[kept], table.indices[kept], table.data[kept]
        order = np.lexsort((items, ratings, own))
        indptr = np.zeros(len(table.indptr), np.int64)
        np.cumsum(np.bincount(own, minlength=len(indptr) - 1), out=indptr[1:])
        return cls(indptr, items[order], ratings[order].astype(np.float64))


class Scale(NamedTuple):
    """Puts ratings on 1 to 5, so that a rate means the same whatever they are given on."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> "Scale":
        """Take the least and the greatest."""
        return cls(float(values.min()), float(values.max()))

    def put(self, values: Floats) -> NDArray[np.float64]:
        """Return the ratings on 1 to 5, 3 where all are equal; one beyond the scale counts as its end."""
        if self.low == self.high:
            return np.full(len(values), 3.0)
        share = (np.asarray(values, np.float64) - self.low) / (self.high - self.low)
        return np.asarray(1.0 + 4.0 * np.clip(share, 0.0, 1.0))


class Step(NamedTuple):
    """Which loss, how far users and items go along its slope, and by what share each touch shrinks them."""

    loss: int
    users: float
    items: float
    shrink: float

    @classmethod
    def of(cls, loss: str, rate: float, l2: float, n_users: int) -> "Step":
        """Divide the rate by the number of users."""
        share = rate / max(n_users, FEWEST)
        return cls(LOSSES.index(loss), share, share, 2.0 * rate * l2)


class Learned(NamedTuple):
    """How ratings were put on a scale, for how many rounds was learned, and at which rate."""

    scale: Scale
    ran: int
    rate: float

    @property
    def array(self) -> NDArray[np.float64]:
        """The numbers, to be stored."""
        return np.array([*self.scale, self.ran, self.rate])

    @classmethod
    def from_array(cls, stored: Floats) -> "Learned":
        """Rebuild from `array`."""
        low, high, ran, rate = (float(one) for one in stored)
        return cls(Scale(low, high), int(ran), rate)


class Slice(NamedTuple):
    """All ratings, those that are learned from, and what of each user's loss the others are in."""

    whole: Sorted
    kept: Sorted

    @classmethod
    def of(cls, table: Csr, users: Ints, share: float, seed: int) -> "Slice":
        """Hold out a share of each user's ratings, parts of a rating by lot, but never the last two."""
        rng = np.random.default_rng([seed, 1])
        order = np.lexsort((rng.random(len(users)), users))
        each = np.diff(table.indptr)
        place = np.empty(len(users), np.int64)
        place[order] = np.arange(len(users)) - table.indptr[users]
        wanted = np.floor(share * each + rng.random(len(each))).astype(np.int64)
        held = place < np.minimum(wanted, np.maximum(each - 2, 0))[users]
        return cls(Sorted.of(table, users), Sorted.of(table, users, ~held))


def rounds_that_help(
    cut: tuple[Rows, Rows],
    state: State,
    turn: Callable[[State, Rows, int], None],
    losses: Callable[[State, Rows], Floats],
    rounds: int,
    progress: Progress,
) -> int:
    """Learn from the kept ratings; return how many rounds lower the loss over pairs with a held out one.

    `cut` is all ratings and the kept ones. `losses` returns each user's loss and number of pairs, in two
    rows. Pairs with a held out rating are all pairs but those of kept ratings; the mean over users of
    their mean loss is what is watched. Where nothing is held out, all rounds are taken to help.
    """
    whole, kept = cut

    def watched() -> float:
        sums, counts = losses(state, whole) - losses(state, kept)
        seen = counts > 0
        return float(np.mean(sums[seen] / counts[seen])) if seen.any() else float("nan")

    least = watched()
    if np.isnan(least):
        return rounds
    for number in range(1, rounds + 1):
        turn(state, kept, number)
        now = watched()
        progress("stop", number, rounds)
        if not now < least:
            return number - 1
        least = now
    return rounds


def guarded(attempt: Callable[[float], int], rate: float) -> tuple[int, float]:
    """Halve the rate until a first round helps; return how many rounds do, at least one, and the rate."""
    for _ in range(HALVINGS):
        if ran := attempt(rate):
            return ran, rate
        rate /= 2.0
    return 1, rate


def while_it_helps(
    state: State, turn: Callable[[State, int], State], loss: Callable[[State], Floats], rounds: int
) -> State:
    """Take a newcomer through the rounds; one that raises their loss is not taken, nor any after it."""
    least = loss(state)[0, 0]
    for number in range(1, rounds + 1):
        moved = turn(state, number)
        now = loss(moved)[0, 0]
        if not now <= least:
            break
        state, least = moved, now
    return state
