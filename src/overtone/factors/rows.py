"""Rows of factors: the few operations that every method is made of."""

from typing import Any, NamedTuple, Self

import numpy as np

from overtone.kernels import Floats, Ints, summing


class Factors(NamedTuple):
    """A row for each user, and one for each item."""

    users: Floats
    items: Floats

    @classmethod
    def uniform(cls, sizes: tuple[int, int], rank: int, most: float, rng: np.random.Generator) -> Self:
        """Draw both from [0, most), in single precision."""
        return cls(*((rng.random((size, rank)) * most).astype(np.float32) for size in sizes))


@summing
def dot(left: Floats, one: int, right: Floats, other: int) -> Any:
    """Multiply a row by a row."""
    total = left.dtype.type(0.0)
    for k in range(left.shape[1]):
        total += left[one, k] * right[other, k]
    return total


@summing
def add(to: Floats, row: int, weight: float, rows: Floats, other: int) -> None:
    """Add a row, weighted, to a row."""
    weight_ = to.dtype.type(weight)
    for k in range(to.shape[1]):
        to[row, k] += weight_ * rows[other, k]


@summing
def pick(key: int, number: int, many: int) -> int:
    """Return one of `range(many)`: the number mixed with the key, 32 of the bits scaled down."""
    bits = key + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int(((bits >> np.uint64(32)) * np.uint64(many)) >> np.uint64(32))


@summing
def score_pairs(factors: Factors, users: Ints, items: Ints, out: Floats) -> None:
    """Multiply the rows of some pairs; each product is summed in the same order as in `score_block`."""
    for pair in range(len(users)):
        out[pair] = dot(factors.users, users[pair], factors.items, items[pair])


@summing
def score_block(factors: Factors, users: Ints, out: Floats) -> None:
    """Multiply the rows of some users with those of all items."""
    for place in range(out.shape[0]):
        for item in range(out.shape[1]):
            out[place, item] = dot(factors.users, users[place], factors.items, item)
