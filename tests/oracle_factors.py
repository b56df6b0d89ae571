"""Slow, obvious twins of the factor models: every pair written out, one number after another."""

from math import exp, log

import numpy as np

MASK = 2**64 - 1


def pairs_of(table, user):
    """Places of the user's ratings, the higher rated first."""
    span = range(table.indptr[user], table.indptr[user + 1])
    return [(a, b) for a in span for b in span if table.data[a] > table.data[b]]


def slope_of(name, margin, gap):
    """How a pairwise loss moves with the gap of the scores."""
    kind, way = name.split("_")
    weight, short = (1.0, margin - gap) if way == "add" else (margin, -gap)
    if kind == "exp":
        return -weight * exp(short)
    if kind == "log":
        return -weight / (1.0 + exp(-short))
    return -weight if (short if way == "add" else 1.0 + short) > 0.0 else 0.0


def slopes_of(table, user, name, score):
    """Each rating's mean slope over the user's pairs."""
    pairs, slopes = pairs_of(table, user), {}
    for a, b in pairs:
        slope = slope_of(name, table.data[a] - table.data[b], score(a) - score(b)) / len(pairs)
        slopes[a] = slopes.get(a, 0.0) + slope
        slopes[b] = slopes.get(b, 0.0) - slope
    return slopes


def ranksvd(table, factors, name, rates, l2):
    """Rounds of RankSVD; `rates` has for each the rate over the number of users, and the rate."""
    U, V = (side.copy() for side in factors)
    for share, rate in rates:
        for user in range(len(table.indptr) - 1):
            slopes = slopes_of(table, user, name, lambda place: U[user] @ V[table.indices[place]])  # noqa: B023
            if slopes:
                before, change = U[user].copy(), 0.0
                for place, slope in sorted(slopes.items()):
                    item = table.indices[place]
                    change = change + share * slope * V[item]
                    V[item] -= share * slope * before + 2 * rate * l2 * V[item]
                U[user] = before - change - 2 * rate * l2 * before
    return U, V


def lcr(table, local, name, rounds, share, shrink):
    """Rounds of LCR: all slopes first, then all moves."""
    U, V = local.users.copy(), local.items.copy()
    for _ in range(rounds):
        U0, V0 = U.copy(), V.copy()
        for user in range(len(table.indptr) - 1):

            def parts(place, user=user):
                weights = local.near_users[user] * local.near_items[table.indices[place]]
                return (
                    weights / weights.sum()
                    if weights.sum() > 0
                    else np.full(len(weights), 1.0 / len(weights))
                )

            def score(place, user=user, parts=parts):
                products = (U0[user] * V0[table.indices[place]]).sum(axis=1)  # noqa: B023
                return parts(place) @ products

            slopes = slopes_of(table, user, name, score)
            for place in slopes:
                item, weight = table.indices[place], share * slopes[place] * parts(place)[:, None]
                U[user] -= weight * V0[item]
                V[item] -= weight * U0[user] + shrink * V[item]
            if slopes:
                U[user] -= shrink * U0[user]
    return U, V


def picked(key, number, many):
    """The number mixed with the key by plain whole numbers; its upper half, scaled to `many`."""
    bits = (key + (number + 1) * 0x9E3779B97F4A7C15) & MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return ((bits >> 32) * many) >> 32


def altsvm(table, pairs, factors, l2, all_draws):
    """Half rounds of AltSVM, items first, with given draws; factors are rebuilt from the duals each time."""
    U, V = (side.astype(float).copy() for side in factors)
    users = np.repeat(np.arange(len(U)), pairs.counts)
    high, low = table.indices[pairs.higher], table.indices[pairs.lower]
    duals = np.zeros((2, len(high)))
    for half, draws in enumerate(all_draws):
        alpha, of_items = duals[half % 2], half % 2 == 0
        (V if of_items else U)[:] = 0.0
        for pair, (u, i, j) in enumerate(zip(users, high, low, strict=True)):
            _move(U, V, (u, i, j), alpha[pair], of_items)
        for user in draws.order if of_items else range(len(U)):
            for number in range(draws.counts[user]):
                pair = int(pairs.starts[user]) + picked(
                    int(draws.keys[user]), number, int(pairs.counts[user])
                )
                i, j = high[pair], low[pair]
                apart = V[i] - V[j]
                size = 2 * U[user] @ U[user] if of_items else apart @ apart
                after = max(0.0, alpha[pair] - (U[user] @ apart - 1 + l2 / 2 * alpha[pair]) / (size + l2 / 2))
                _move(U, V, (user, i, j), after - alpha[pair], of_items)
                alpha[pair] = after
    return U, V


def _move(U, V, pair, step, of_items):
    u, i, j = pair
    if of_items:
        V[i], V[j] = V[i] + step * U[u], V[j] - step * U[u]
    else:
        U[u] += step * (V[i] - V[j])


def mean_loss(table, name, score):
    """The mean loss of one user's pairs; the table has one row."""
    found = []
    for a, b in pairs_of(table, 0):
        margin, gap = table.data[a] - table.data[b], score(a) - score(b)
        kind, way = name.split("_")
        weight, short = (1.0, margin - gap) if way == "add" else (margin, -gap)
        value = exp(short) if kind == "exp" else log(1 + exp(short)) if kind == "log" else max(0.0, short)
        found.append(weight * value)
    return sum(found) / len(found)
