"""LCR: local factor models around anchors, learned together on a pairwise loss of their weighted mean."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from overtone.factors.descent import Sorted, Step
from overtone.factors.losses import pull
from overtone.kernels import Floats, Ints, kernel
from overtone.parallel import in_order, spans

WIDTH = 256


class Local(NamedTuple):
    """Factors of users and items in each local model, and how near each is to its anchor.

    Factors have the shape (rows, models, rank), nearness (rows, models).
    """

    users: Floats
    items: Floats
    near_users: Floats
    near_items: Floats


class Rated(NamedTuple):
    """Sorted ratings, the share of each local model in each, and for each item where its ratings are."""

    table: Sorted
    shares: Floats
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    users: NDArray[np.int64]

    @classmethod
    def of(cls, table: Sorted, local: Local) -> Self:
        """Index the ratings."""
        users = np.repeat(np.arange(len(table.indptr) - 1), np.diff(table.indptr))
        shares = np.empty((len(table.items), local.near_users.shape[1]))
        share(local, users, table.items, shares)
        places = np.argsort(table.items, kind="stable")
        starts = np.zeros(len(local.items) + 1, np.int64)
        np.cumsum(np.bincount(table.items, minlength=len(local.items)), out=starts[1:])
        return cls(table, shares, starts, places, users[places])


def descend(local: Local, rated: Rated, step: Step, threads: int | None) -> None:
    """Move all factors at once along the slopes that the loss has as the round begins."""
    slopes, before = np.zeros(len(rated.table.items)), local.users.copy()

    def of_users(block: slice) -> None:
        move_users(local, rated, step, slopes, (block.start, block.stop))

    def of_items(block: slice) -> None:
        move_items(local, rated, step, (slopes, before), (block.start, block.stop))

    for _ in in_order(of_users, spans(len(local.users), WIDTH), threads):
        pass
    if step.items > 0.0:
        for _ in in_order(of_items, spans(len(local.items), WIDTH), threads):
            pass


@kernel
def share(local: Local, users: Ints, items: Ints, out: Floats) -> None:
    """Fill in the share of each local model in some predictions; alike where no anchor is near."""
    models = out.shape[1]
    for pair in range(len(users)):
        total = 0.0
        for m in range(models):
            out[pair, m] = local.near_users[users[pair], m] * local.near_items[items[pair], m]
            total += out[pair, m]
        for m in range(models):
            out[pair, m] = out[pair, m] / total if total > 0.0 else 1.0 / models


@kernel
def scores_of(local: Local, rated: Rated, user: int, out: Floats) -> None:
    """Score what a user rated."""
    table = rated.table
    for place in range(table.indptr[user], table.indptr[user + 1]):
        at = 0.0
        for m in range(local.users.shape[1]):
            product = 0.0
            for k in range(local.users.shape[2]):
                product += local.users[user, m, k] * local.items[table.items[place], m, k]
            at += rated.shares[place, m] * product
        out[place - table.indptr[user]] = at


@kernel
def move_users(local: Local, rated: Rated, step: Step, slopes: Floats, span: tuple[int, int]) -> None:
    """Move each user of the span by the mean slope over its pairs; keep the slopes for the items."""
    table = rated.table
    for user in range(span[0], span[1]):
        start, stop = table.indptr[user], table.indptr[user + 1]
        scores, own = np.empty(stop - start), slopes[start:stop]
        scores_of(local, rated, user, scores)
        _, pairs = pull(table.ratings[start:stop], scores, step.loss, own)
        change = np.zeros((local.users.shape[1], local.users.shape[2]))
        for place in range(start, stop if pairs > 0 else start):
            slopes[place] /= pairs
            for m in range(change.shape[0]):
                weight = step.users * slopes[place] * rated.shares[place, m]
                for k in range(change.shape[1]):
                    change[m, k] += weight * local.items[table.items[place], m, k]
        if pairs > 0:
            local.users[user] -= change + step.shrink * local.users[user]


@kernel
def move_items(
    local: Local, rated: Rated, step: Step, slopes: tuple[Floats, Floats], span: tuple[int, int]
) -> None:
    """Move each item of the span by the slopes of its ratings, with the users' factors before they moved."""
    by_rating, users = slopes
    for item in range(span[0], span[1]):
        for at in range(rated.starts[item], rated.starts[item + 1]):
            place, user = rated.places[at], rated.users[at]
            if not has_pair(rated.table, user):
                continue
            for m in range(local.items.shape[1]):
                weight = step.items * by_rating[place] * rated.shares[place, m]
                for k in range(local.items.shape[2]):
                    before = local.items[item, m, k]
                    local.items[item, m, k] = before - weight * users[user, m, k] - step.shrink * before


@kernel
def has_pair(table: Sorted, user: int) -> bool:
    """Say whether a user's ratings differ: the first is the least, the last the greatest."""
    start, stop = table.indptr[user], table.indptr[user + 1]
    return bool(stop > start and table.ratings[start] < table.ratings[stop - 1])


@kernel
def losses(local: Local, rated: Rated, loss: int) -> Floats:
    """Return each user's loss, and number of pairs."""
    table = rated.table
    found = np.zeros((2, len(table.indptr) - 1))
    for user in range(found.shape[1]):
        start, stop = table.indptr[user], table.indptr[user + 1]
        scores, slopes = np.empty(stop - start), np.empty(stop - start)
        scores_of(local, rated, user, scores)
        found[0, user], found[1, user] = pull(table.ratings[start:stop], scores, loss, slopes)
    return found


@kernel
def score_pairs(local: Local, users: Ints, items: Ints, out: Floats) -> None:
    """Weigh the local products of some pairs by the kernels of both; alike where no anchor is near."""
    for pair in range(len(users)):
        user, item = users[pair], items[pair]
        near = plain = total = 0.0
        for m in range(local.users.shape[1]):
            product = 0.0
            for k in range(local.users.shape[2]):
                product += local.users[user, m, k] * local.items[item, m, k]
            weight = local.near_users[user, m] * local.near_items[item, m]
            near += weight * product
            plain += product
            total += weight
        out[pair] = near / total if total > 0.0 else plain / local.users.shape[1]
