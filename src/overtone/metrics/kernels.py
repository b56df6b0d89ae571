"""One pass over each user's ranked test items; tied scores count by their mean over all orders."""

import numpy as np

from overtone.kernels import Bools, Floats, Ints, kernel


@kernel
def best_first(indptr: Ints, scores: Floats, tie: bool) -> tuple[Ints, Ints]:  # noqa: FBT001 - kernels take places
    """Sort each user's items by score; say for each place where its group of equal scores ends."""
    order = np.empty(len(scores), np.int64)
    ends = np.empty(len(scores), np.int64)
    for user in range(len(indptr) - 1):
        start, stop = indptr[user], indptr[user + 1]
        order[start:stop] = start + np.argsort(-scores[start:stop], kind="mergesort")
        end = stop - start
        for place in range(stop - start - 1, -1, -1):
            if place < stop - start - 1:
                here, after = order[start + place], order[start + place + 1]
                if not (tie and scores[here] == scores[after]):
                    end = place + 1
            ends[start + place] = end
    return order, ends


@kernel
def expected_dcg(gains: Floats, ends: Ints, discounts: Floats) -> float:
    """Mean over all orders of tied items: each place of a group has the group's mean gain."""
    total, start = 0.0, 0
    while start < min(len(gains), len(discounts)):
        end = ends[start]
        total += gains[start:end].mean() * discounts[start : min(end, len(discounts))].sum()
        start = end
    return total


@kernel
def ndcg(indptr: Ints, gains: Floats, ends: Ints, discounts: Floats) -> Floats:
    """DCG over the best possible DCG; NaN for a user without any gain."""
    out = np.full(len(indptr) - 1, np.nan)
    for user in range(len(out)):
        start, stop = indptr[user], indptr[user + 1]
        own = gains[start:stop]
        best = np.sort(own)[::-1][: len(discounts)]
        ideal = (best * discounts[: len(best)]).sum()
        if ideal > 0.0:
            out[user] = expected_dcg(own, ends[start:stop], discounts) / ideal
    return out


@kernel
def hits(indptr: Ints, relevant: Bools, ends: Ints, k: int) -> Floats:
    """Return the expected number of relevant items among the first `k` of each user."""
    out = np.zeros(len(indptr) - 1)
    for user in range(len(out)):
        first, length = indptr[user], indptr[user + 1] - indptr[user]
        start = 0
        while start < min(length, k):
            end = ends[first + start]
            share = (min(end, k) - start) / (end - start)
            out[user] += share * relevant[first + start : first + end].sum()
            start = end
    return out


@kernel
def reciprocal_rank(indptr: Ints, relevant: Bools, ends: Ints, k: int) -> Floats:
    """Return the expected 1 / rank of the first relevant item, 0 where it comes after `k`.

    Only the first group with a relevant item counts: with `r` of `t` tied items relevant, the
    chance that the first of them comes at place `s` follows from drawing without replacement.
    """
    out = np.zeros(len(indptr) - 1)
    for user in range(len(out)):
        first, length = indptr[user], indptr[user + 1] - indptr[user]
        start = 0
        while start < min(length, k):
            end = ends[first + start]
            found = relevant[first + start : first + end].sum()
            if found > 0:
                left, none_yet = end - start, 1.0
                for place in range(start, min(end, k)):
                    out[user] += none_yet * found / left / (place + 1)
                    none_yet *= (left - found) / left
                    left -= 1
                break
            start = end
    return out


@kernel
def area(indptr: Ints, relevant: Bools, ends: Ints) -> Floats:
    """Share of (relevant, other) pairs in the right order, ties as half; NaN without such a pair."""
    out = np.full(len(indptr) - 1, np.nan)
    for user in range(len(out)):
        first, length = indptr[user], indptr[user + 1] - indptr[user]
        right, above, start = 0.0, 0, 0
        while start < length:
            end = ends[first + start]
            found = relevant[first + start : first + end].sum()
            others = end - start - found
            right += others * (above + 0.5 * found)
            above += found
            start = end
        if 0 < above < length:
            out[user] = right / (above * (length - above))
    return out
