"""What many draws say of a person's scores, as one normal distribution in a few dimensions.

A draw says: the scores of all items are `offset + basis x`, with x normal around its prior plus `lift` of
what was rated. Over all draws such scores have a mean and a covariance; both are kept on a basis of few
columns: all equal, then what the scores of the training users span.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from overtone.factors.als import solve
from overtone.factors.gibbs import Side
from overtone.factors.rows import multiply
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
        best = np.linalg.svd(flat, full_matrices=False)[0][:, : min(width, len(rows)) - 1]
        basis = np.linalg.qr(np.hstack([np.ones((len(rows), 1)), best]))[0]
        across = np.ascontiguousarray(basis.T)
        offset, lift = np.zeros(len(basis)), np.zeros(basis.shape)
        covariance = np.zeros((basis.shape[1], basis.shape[1]))
        centres = []
        for draw in draws:
            onto = multiply(across, draw.basis.astype(np.float64))
            centre = draw.offset + draw.basis @ draw.prior
            centres.append(across @ centre)
            offset += centre / len(draws)
            lift += multiply(draw.lift.astype(np.float64), np.ascontiguousarray(onto.T)) / len(draws)
            covariance += (onto / draw.precision) @ onto.T / len(draws)
        spread = np.array(centres) - np.mean(centres, axis=0)
        return cls(basis, offset, lift, _inverse(covariance + spread.T @ spread / len(draws)))


def _inverse(covariance: Floats) -> Floats:
    """Invert a covariance, its least variances raised to a floor."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    return np.asarray((vectors / np.maximum(values, max(values[-1] * 1e-6, 1e-12))) @ vectors.T)


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
