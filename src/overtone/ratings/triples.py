"""Ratings as parallel arrays on their way into a sparse table, and what to do with repeated ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.errors import DataError, require_choice
from overtone.ids import Ids
from overtone.kernels import Floats

RULES = ("error", "last", "mean")


class Triples(NamedTuple):
    """User row, item row and value of each rating; its time where known."""

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    value: Floats
    time: NDArray[np.int64] | None = None

    def take(self, chosen: NDArray[np.generic]) -> "Triples":
        """Return the chosen ones, by place or by mask."""
        time = None if self.time is None else self.time[chosen]
        return Triples(self.user[chosen], self.item[chosen], self.value[chosen], time)


def by_user_then_item(triples: Triples) -> NDArray[np.int64]:
    """Return the order that sorts by user, then item, then place."""
    return np.lexsort((triples.item, triples.user))


def settle(triples: Triples, rule: str, users: Ids, items: Ids) -> Triples:
    """Sort, and leave one rating a (user, item): refuse repeats, or take the last or the mean of each."""
    require_choice("duplicates", rule, RULES)
    order = by_user_then_item(triples)
    ordered = triples.take(order)
    same = (np.diff(ordered.user) == 0) & (np.diff(ordered.item) == 0)
    if not same.any():
        return ordered
    if rule == "error":
        raise DataError(_some_repeats(ordered, same, order, users, items))
    last = np.append(~same, np.True_)
    return (
        ordered.take(last) if rule == "last" else _means(ordered, np.flatnonzero(np.append(np.True_, ~same)))
    )


def _means(ordered: Triples, starts: NDArray[np.intp]) -> Triples:
    """Return the mean value and the newest time of each run that begins at one of `starts`."""
    run = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(ordered.value)))
    # Summed by size, so that a mean has the same bytes in whichever order the ratings came.
    value = np.add.reduceat(ordered.value[np.lexsort((ordered.value, run))], starts) / np.bincount(run)
    time = None if ordered.time is None else np.maximum.reduceat(ordered.time, starts)
    return ordered.take(starts)._replace(value=value, time=time)


def _some_repeats(
    ordered: Triples, same: NDArray[np.bool_], order: NDArray[np.int64], users: Ids, items: Ids
) -> str:
    places = np.flatnonzero(same)
    shown = [
        f"user {users.values[int(ordered.user[k])]!r} and item {items.values[int(ordered.item[k])]!r}"
        f" in rows {order[k] + 1} and {order[k + 1] + 1}"
        for k in places[:3]
    ]
    return (
        f"{len(places):,} ratings repeat an earlier user and item: {'; '.join(shown)}"
        f"{'; ...' if len(places) > 3 else ''}; ask for duplicates 'last' or 'mean' to settle them"
    )
