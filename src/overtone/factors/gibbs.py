"""Gibbs sampling of factors with implicit features on both sides, one column of factors after another.

A user has own coefficients p and adds, over sqrt(how many), an implicit one y for every item rated; an
item has own q and an implicit z for every user who rated it. With totals P and Q of these sums,

    r = b_u + d_i + P . Q + noise,

b and d being a column whose other side is 1. Given the other side's column g and the residual e of the
ratings, each coefficient is normal. A user's ratings enter by two numbers alone, `curve = sum g^2` and
`slope = sum e g`, so that a sweep costs a few walks over the ratings for each column. Implicit
coefficients are drawn with the own ones integrated out, which frees the chain to move.
"""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple, Self

import numpy as np

from overtone.kernels import Csr, Floats, kernel

SHAPE, RATE, TIES = 4.0, 1.0, 1.0
"""A precision is Gamma(SHAPE / 2, RATE / 2), a mean normal with TIES times that precision."""

SPREAD, FIRST, HELD = 0.03, 30.0, 5
"""Coefficients start small, under a precision that holds them small for the first sweeps."""

RENEWAL = 50
"""Sweeps after which the residual is computed anew, which sheds its rounding."""


class Prior(NamedTuple):
    """Mean and precision of own and implicit coefficients, one number a column."""

    own_mean: Floats
    own_precision: Floats
    implicit_mean: Floats
    implicit_precision: Floats


class Side(NamedTuple):
    """Users, or items: a row for each column of the model, the bias last; `weight` is 1 / sqrt(count)."""

    own: Floats
    implicit: Floats
    total: Floats
    weight: Floats
    prior: Prior

    @classmethod
    def start(cls, counts: Floats, others: int, rank: int, rng: np.random.Generator) -> Self:
        """Draw small factors, and no bias."""
        own, implicit = (SPREAD * rng.standard_normal((rank + 1, size)) for size in (len(counts), others))
        own[rank], implicit[rank] = 0.0, 0.0
        weight = np.where(counts > 0, 1.0 / np.sqrt(np.maximum(counts, 1)), 0.0)
        first = (np.zeros(rank + 1), np.full(rank + 1, FIRST), np.zeros(rank + 1), np.full(rank + 1, FIRST))
        return cls(own, implicit, np.empty_like(own), weight, Prior(*first))


class Column(NamedTuple):
    """One column of a side, what it is drawn from, and what a draw leaves behind.

    `share` and `pull` are what each thing's ratings say to its implicit coefficients, `moved` the sum of
    these coefficients' moves, `change` the move of the total.
    """

    own: Floats
    implicit: Floats
    total: Floats
    weight: Floats
    curve: Floats
    slope: Floats
    share: Floats
    pull: Floats
    moved: Floats
    change: Floats


class Numbers(NamedTuple):
    """What one column's draw takes besides: its prior's four numbers, and the precision of the noise."""

    own_mean: float
    own_precision: float
    implicit_mean: float
    implicit_precision: float
    noise: float


class Tables(NamedTuple):
    """The ratings with a row for each user, and with a row for each item."""

    by_user: Csr
    by_item: Csr


def chain(tables: Tables, rank: int, noise: float, rng: np.random.Generator) -> Iterator[tuple[Side, Side]]:
    """Yield both sides after each sweep; the ratings are standardised, `noise` is its precision."""
    counts = [np.diff(table.indptr).astype(np.float64) for table in tables]
    n, m = len(counts[0]), len(counts[1])
    users, items = Side.start(counts[0], m, rank, rng), Side.start(counts[1], n, rank, rng)
    residual: Floats = np.empty(0)
    number = 0
    while True:
        if number % RENEWAL == 0:
            residual = residual_of(tables, users, items)
        if number >= HELD:
            for side in (users, items):
                draw_prior(side.own, side.prior.own_mean, side.prior.own_precision, rng)
                draw_prior(side.implicit, side.prior.implicit_mean, side.prior.implicit_precision, rng)
        normals = rng.standard_normal((rank + 1, 2 * (n + m)))
        sweep(tables, (users, items), residual, noise, normals)
        number += 1
        yield users, items


def draw_prior(coefficients: Floats, mean: Floats, precision: Floats, rng: np.random.Generator) -> None:
    """Draw mean and precision of each column together, given its coefficients (normal and gamma)."""
    n = coefficients.shape[1]
    centre = coefficients.mean(axis=1)
    spread = np.square(coefficients - centre[:, None]).sum(axis=1)
    rate = 0.5 * (RATE + spread + n * TIES / (n + TIES) * centre**2)
    precision[:] = rng.standard_gamma(0.5 * (SHAPE + n), len(centre)) / rate
    mean[:] = n * centre / (n + TIES) + rng.standard_normal(len(centre)) / np.sqrt(precision * (n + TIES))


def residual_of(tables: Tables, users: Side, items: Side) -> Floats:
    """Compute the totals, and what they leave of the ratings."""
    add_up(tables.by_user, users)
    add_up(tables.by_item, items)
    residual: Floats = tables.by_user.data.copy()
    take_out(tables.by_user, users.total, items.total, residual)
    return residual


@kernel
def add_up(table: Csr, side: Side) -> None:
    """Compute the totals: own coefficients plus the weighted implicit ones."""
    for f in range(side.own.shape[0]):
        for row in range(side.own.shape[1]):
            found = 0.0
            for other in table.indices[table.indptr[row] : table.indptr[row + 1]]:
                found += side.implicit[f, other]
            side.total[f, row] = side.own[f, row] + side.weight[row] * found


@kernel
def take_out(by_user: Csr, users: Floats, items: Floats, residual: Floats) -> None:
    """Subtract the whole model from the residual."""
    rank = len(users) - 1
    for user in range(users.shape[1]):
        for place in range(by_user.indptr[user], by_user.indptr[user + 1]):
            item = by_user.indices[place]
            score = users[rank, user] + items[rank, item]
            for f in range(rank):
                score += users[f, user] * items[f, item]
            residual[place] -= score


@kernel
def sweep(tables: Tables, sides: tuple[Side, Side], residual: Floats, noise: float, normals: Floats) -> None:
    """Draw every column of both sides once, the bias first."""
    users, items = sides
    rank, n, m = len(users.own) - 1, users.own.shape[1], items.own.shape[1]
    ones = np.ones(max(n, m))
    for at in range(rank + 1):
        f = at - 1 if at > 0 else rank
        by_users, by_items = (users.total[f], items.total[f]) if at > 0 else (ones[:n], ones[:m])
        column = column_of(users, f)
        pool(tables.by_user, residual, by_items, column)
        draw(column, tables.by_item, numbers_of(users.prior, f, noise), normals[f, : n + m])
        other = column_of(items, f)
        pass_on(tables.by_user, residual, (column.change, by_users, by_items), other)
        draw(other, tables.by_user, numbers_of(items.prior, f, noise), normals[f, n + m :])
        settle(tables.by_user, residual, by_users, other.change)


@kernel
def column_of(side: Side, f: int) -> Column:
    """Return a column with room for what it is drawn from."""
    size = side.own.shape[1]
    room = np.zeros((6, size))
    views = side.own[f], side.implicit[f], side.total[f], side.weight
    return Column(*views, room[0], room[1], room[2], room[3], room[4], room[5])


@kernel
def numbers_of(prior: Prior, f: int, noise: float) -> Numbers:
    """Return the numbers of one column."""
    own = prior.own_mean[f], prior.own_precision[f]
    return Numbers(*own, prior.implicit_mean[f], prior.implicit_precision[f], noise)


@kernel
def pool(by_user: Csr, residual: Floats, by_items: Floats, users: Column) -> None:
    """Sum up each user's ratings: squares of the items' column, and its products with the residual."""
    for user in range(len(users.own)):
        curve = slope = 0.0
        for place in range(by_user.indptr[user], by_user.indptr[user + 1]):
            g = by_items[by_user.indices[place]]
            curve += g * g
            slope += g * residual[place]
        users.curve[user], users.slope[user] = curve, slope


@kernel
def pass_on(by_user: Csr, residual: Floats, moved: tuple[Floats, Floats, Floats], items: Column) -> None:
    """Take the users' change out of the residual, and sum up each item's ratings on the same walk."""
    change, by_users, by_items = moved
    for user in range(len(change)):
        g, step = by_users[user], change[user]
        for place in range(by_user.indptr[user], by_user.indptr[user + 1]):
            item = by_user.indices[place]
            left = residual[place] - step * by_items[item]
            residual[place] = left
            items.curve[item] += g * g
            items.slope[item] += g * left


@kernel
def settle(by_user: Csr, residual: Floats, by_users: Floats, change: Floats) -> None:
    """Take the items' change out of the residual."""
    for user in range(len(by_users)):
        for place in range(by_user.indptr[user], by_user.indptr[user + 1]):
            residual[place] -= by_users[user] * change[by_user.indices[place]]


@kernel
def draw(column: Column, holders: Csr, numbers: Numbers, normals: Floats) -> None:
    """Draw one column: `holders` has, for each implicit coefficient, the things that have it."""
    size = len(column.own)
    for row in range(size):
        precision = numbers.noise * column.curve[row] + numbers.own_precision
        kept = column.weight[row] * numbers.noise * numbers.own_precision / precision
        column.share[row] = column.weight[row] * kept * column.curve[row]
        column.pull[row] = kept * (
            column.slope[row] + column.curve[row] * (column.own[row] - numbers.own_mean)
        )
    draw_implicit(column, holders, numbers, normals[size:])
    for row in range(size):
        moved = column.weight[row] * column.moved[row]
        precision = numbers.own_precision + numbers.noise * column.curve[row]
        pull = numbers.noise * (column.slope[row] + column.curve[row] * (column.own[row] - moved))
        drawn = (pull + numbers.own_precision * numbers.own_mean) / precision + normals[row] / sqrt(precision)
        column.change[row] = moved + drawn - column.own[row]
        column.own[row] = drawn
        column.total[row] += column.change[row]


@kernel
def draw_implicit(column: Column, holders: Csr, numbers: Numbers, normals: Floats) -> None:
    """Draw the implicit coefficients one after another, the own ones integrated out."""
    for j in range(len(column.implicit)):
        curve = slope = 0.0
        for row in holders.indices[holders.indptr[j] : holders.indptr[j + 1]]:
            curve += column.share[row]
            slope += column.pull[row]
        before, precision = column.implicit[j], numbers.implicit_precision + curve
        mean = (slope + curve * before + numbers.implicit_precision * numbers.implicit_mean) / precision
        column.implicit[j] = mean + normals[j] / sqrt(precision)
        step = column.implicit[j] - before
        for row in holders.indices[holders.indptr[j] : holders.indptr[j + 1]]:
            column.pull[row] -= column.share[row] * step
            column.moved[row] += step
