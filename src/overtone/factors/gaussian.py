"""What many draws say of a person's scores, as one normal distribution in a few dimensions.

A draw says: the scores of all items are `offset + basis x`, with x normal around its prior plus `lift` of
what was rated. Over all draws such scores have a mean and a covariance; both are kept on a basis of few
columns: all equal, then what the scores of the training users span.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from overtone.factors.als import solve
from overtone.factors.dense import multiply, orthonormalise, symmetric_eigen
from overtone.factors.gibbs import Side
from overtone.kernels import Csr, Floats, kernel


class Draw(NamedTuple):
    """What one draw says of the items, and of people in general; in single precision."""

    basis: Floats
    offset: Floats
    lift: Floats
    prior: Floats
    precision: Floats

    @classmethod
    def of(cls, users: Side, items: Side) -> Self:
        """Copy it; an item without ratings is what is expected of one."""
        basis, unrated = np.ones(items.total.T.shape), items.weight == 0.0
        basis[:, :-1], offset = items.total[:-1].T, items.total[-1].copy()
        basis[unrated, :-1], offset[unrated] = items.prior.own_mean[:-1], items.prior.own_mean[-1]
        return cls(
            basis.astype(np.float32),
            offset.astype(np.float32),
            np.ascontiguousarray(users.implicit.T, np.float32),
            users.prior.own_mean.copy(),
            users.prior.own_precision.copy(),
        )


class Gaussian(NamedTuple):
    """Scores are `offset + basis x`, x normal around `sum of lift / sqrt(count)` with precision `stiff`."""

    basis: Floats
    offset: Floats
    lift: Floats
    stiff: Floats

    @classmethod
    def of(cls, draws: Sequence[Draw], rows: Floats, width: int) -> Self:
        """Match mean and covariance of all draws on the basis that `rows`, columns of scores, span best."""
        flat = rows - rows.mean(axis=0)
        # The strongest directions of `flat`, by way of its small square matrix of products.
        strongest = symmetric_eigen(multiply(np.ascontiguousarray(flat.T), flat))[1][
            :, : min(width, len(rows)) - 1
        ]
        across = np.vstack([np.ones(len(rows)), multiply(flat, np.ascontiguousarray(strongest)).T])
        orthonormalise(across)
        basis = np.ascontiguousarray(across.T)
        offset, lift = np.zeros(len(basis)), np.zeros(basis.shape)
        covariance = np.zeros((basis.shape[1], basis.shape[1]))
        centres = np.empty((len(draws), basis.shape[1]))
        for number, draw in enumerate(draws):
            onto = multiply(across, draw.basis.astype(np.float64))
            centre = draw.offset[:, None] + multiply(draw.basis.astype(np.float64), draw.prior[:, None])
            centres[number] = multiply(across, centre)[:, 0]
            offset += centre[:, 0] / len(draws)
            lift += multiply(draw.lift.astype(np.float64), np.ascontiguousarray(onto.T)) / len(draws)
            covariance += multiply(onto / draw.precision, np.ascontiguousarray(onto.T)) / len(draws)
        spread = centres - centres.mean(axis=0)
        covariance += multiply(np.ascontiguousarray(spread.T), spread) / len(draws)
        return cls(basis, offset, lift, _inverse(covariance))


def _inverse(covariance: Floats) -> Floats:
    """Invert a covariance, its least variances raised to a floor."""
    values, vectors = symmetric_eigen((covariance + covariance.T) / 2.0)
    floored = np.maximum(values, max(values[0] * 1e-6, 1e-12))
    return multiply(vectors / floored, np.ascontiguousarray(vectors.T))


def combined_scores(draw: Draw, users: Side, combinations: Floats) -> Floats:
    """Return random combinations of the users' scores, offsets aside."""
    return multiply(draw.basis.astype(np.float64), multiply(users.total, combinations))


@kernel
def fold(gaussian: Gaussian, table: Csr, noise: float, span: tuple[int, int], vectors: Floats) -> None:
    """Find the mean of each person's x given their ratings, which are standardised."""
    width = gaussian.basis.shape[1]
    matrix, right = np.empty((width, width)), np.empty(width)
    for person in range(span[0], span[1]):
        start, stop = table.indptr[person], table.indptr[person + 1]
        mean = np.zeros(width)
        for item in table.indices[start:stop]:
            mean += gaussian.lift[item] / np.sqrt(stop - start)
        matrix[:], right[:] = gaussian.stiff, 0.0
        for place in range(start, stop):
            row = gaussian.basis[table.indices[place]]
            left = table.data[place] - gaussian.offset[table.indices[place]]
            for a in range(width):
                left -= row[a] * mean[a]
            for a in range(width):
                right[a] += noise * left * row[a]
                for b in range(a + 1):
                    matrix[a, b] += noise * row[a] * row[b]
        solve(matrix, right)
        vectors[person] = mean + right
