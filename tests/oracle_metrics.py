"""What each metric is by its definition: the mean over every order that the ties of scores allow."""

from itertools import permutations, product

import numpy as np


def orders(scores):
    """Every order of the items, best score first, equal scores in any order among themselves."""
    groups = [np.flatnonzero(scores == score) for score in np.unique(scores)[::-1]]
    for chosen in product(*(permutations(group) for group in groups)):
        yield np.array([place for group in chosen for place in group], int)


def over_orders(value, scores):
    return float(np.mean([value(order) for order in orders(scores)]))


def dcg(gains):
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def gains_of(ratings, gain, floor=0.0):
    shifted = np.asarray(ratings, float) - floor
    return 2.0**shifted - 1.0 if gain == "exponential" else shifted


def ndcg(gains, scores, k):
    best = dcg(sorted(gains, reverse=True)[:k])
    return over_orders(lambda order: dcg(gains[order][:k]) / best, scores) if best > 0 else np.nan


def precision(relevant, scores, k):
    return over_orders(lambda order: relevant[order][:k].mean(), scores)


def recall(relevant, scores, k):
    if not relevant.any():
        return np.nan
    return over_orders(lambda order: relevant[order][:k].sum() / relevant.sum(), scores)


def reciprocal_rank(relevant, scores, k):
    def of_first(order):
        places = np.flatnonzero(relevant[order][:k])
        return 1.0 / (places[0] + 1) if len(places) else 0.0

    return over_orders(of_first, scores) if relevant.any() else np.nan


def area(relevant, scores):
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[relevant] for b in scores[~relevant]]
    return float(np.mean(pairs)) if pairs else np.nan
