"""Losses over the pairs of one user's ratings, and their slopes.

A pair is a rating above another; `margin` is by how much, `gap` by how much its score is above. Each
loss comes twice: additive, where the gap should reach the margin, and multiplicative, where the margin
is the weight of the pair:

    exp_add    e^(margin - gap)             exp_mult    margin e^-gap
    log_add    log(1 + e^(margin - gap))    log_mult    margin log(1 + e^-gap)
    hinge_add  max(0, margin - gap)         hinge_mult  margin max(0, 1 - gap)

Exponential losses are summed from running sums, in one pass over sorted ratings; the others pair by
pair. An exponent is held within `REACH` of the user's mean one, so that no pair counts more than e^20.
"""

import numpy as np

from overtone.kernels import Floats, kernel

LOSSES = ("exp_add", "exp_mult", "log_add", "log_mult", "hinge_add", "hinge_mult")
EXP_ADD, EXP_MULT, LOG_ADD, LOG_MULT, HINGE_ADD = range(5)
REACH = 10.0


@kernel
def pull(ratings: Floats, scores: Floats, loss: int, slopes: Floats) -> tuple[float, int]:
    """Fill in how the loss moves with each score; return the loss and the number of pairs.

    Ratings ascend.
    """
    if loss <= EXP_MULT:
        return exponential(ratings, scores, loss == EXP_ADD, slopes)
    return pair_by_pair(ratings, scores, loss, slopes)


@kernel
def exponential(ratings: Floats, scores: Floats, additive: bool, slopes: Floats) -> tuple[float, int]:  # noqa: FBT001 - a kernel's arguments have places
    """Sum `w e^(x_i - x_j)` over pairs i above j, w being 1 or `M_i - M_j`."""
    if len(ratings) == 0:
        return 0.0, 0
    powers = exponents(ratings, scores, additive)
    # A pair's weight is (base + many M_i) - many M_j.
    base, many = (1.0, 0.0) if additive else (0.0, 1.0)
    total, pairs, start, plain, weighted = 0.0, 0, 0, 0.0, 0.0
    while start < len(ratings):
        stop = level_end(ratings, start)
        for i in range(start, stop):
            slopes[i] = -powers[i] * ((base + many * ratings[i]) * plain - many * weighted)
            total -= slopes[i]
        pairs += start * (stop - start)
        for j in range(start, stop):
            plain += 1.0 / powers[j]
            weighted += ratings[j] / powers[j]
        start = stop
    lower_slopes(ratings, powers, base, many, slopes)
    return total, pairs


@kernel
def lower_slopes(ratings: Floats, powers: Floats, base: float, many: float, slopes: Floats) -> None:
    """Add what each rating feels as the lower one of its pairs, from the highest rating down."""
    stop, plain, weighted = len(ratings), 0.0, 0.0
    while stop > 0:
        start = stop
        while start > 0 and ratings[start - 1] == ratings[stop - 1]:
            start -= 1
        for j in range(start, stop):
            slopes[j] += ((base - many * ratings[j]) * plain + many * weighted) / powers[j]
        for i in range(start, stop):
            plain += powers[i]
            weighted += ratings[i] * powers[i]
        stop = start


@kernel
def exponents(ratings: Floats, scores: Floats, additive: bool) -> Floats:  # noqa: FBT001
    """Return e^x, x being `M - f` or `-f` less the user's mean, held within reach."""
    x = ratings - scores if additive else -scores
    mean = x.mean()
    for i in range(len(x)):
        x[i] = np.exp(min(max(x[i] - mean, -REACH), REACH))
    return x


@kernel
def level_end(ratings: Floats, start: int) -> int:
    """Return where the ratings equal to the one at `start` end."""
    stop = start
    while stop < len(ratings) and ratings[stop] == ratings[start]:
        stop += 1
    return stop


@kernel
def pair_by_pair(ratings: Floats, scores: Floats, loss: int, slopes: Floats) -> tuple[float, int]:
    """Sum any loss over all pairs."""
    slopes[:] = 0.0
    total, pairs, level = 0.0, 0, 0
    for i in range(len(ratings)):
        if ratings[i] > ratings[level]:
            level = i
        for j in range(level):
            value, slope = of_pair(ratings[i] - ratings[j], scores[i] - scores[j], loss)
            total += value
            slopes[i] += slope
            slopes[j] -= slope
        pairs += level
    return total, pairs


@kernel
def of_pair(margin: float, gap: float, loss: int) -> tuple[float, float]:
    """Return the loss of one pair, and its slope by the gap."""
    if loss <= EXP_MULT:
        weight = 1.0 if loss == EXP_ADD else margin
        value = weight * np.exp((margin if loss == EXP_ADD else 0.0) - gap)
        return value, -value
    if loss <= LOG_MULT:
        x = margin - gap if loss == LOG_ADD else -gap
        weight, small = 1.0 if loss == LOG_ADD else margin, np.exp(-abs(x))
        share = 1.0 / (1.0 + small) if x > 0.0 else small / (1.0 + small)
        return weight * (max(x, 0.0) + np.log1p(small)), -weight * share
    x = margin - gap if loss == HINGE_ADD else 1.0 - gap
    weight = 1.0 if loss == HINGE_ADD else margin
    return weight * max(x, 0.0), -weight if x > 0.0 else 0.0
