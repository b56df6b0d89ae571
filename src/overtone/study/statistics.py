"""Whether one method is better than another: Wilcoxon's signed ranks over users, corrected after Holm."""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import wilcoxon

from overtone.kernels import Floats

LEVEL = 0.05


class Comparison(NamedTuple):
    """Two methods, how much better the first is on the mean, and the corrected p."""

    first: str
    second: str
    difference: float
    p: float

    @property
    def holds(self) -> bool:
        """Whether the difference holds at the 5 % level."""
        return self.p < LEVEL


def compare(values: Mapping[str, Floats]) -> list[Comparison]:
    """Compare every two methods over the same users; each has one number a user, NaN where not judged."""
    found = []
    for first, second in combinations(values, 2):
        apart = values[first] - values[second]
        apart = apart[~np.isnan(apart)]
        p = float(wilcoxon(apart).pvalue) if np.any(apart) else 1.0
        found.append(Comparison(first, second, float(apart.mean()) if len(apart) else 0.0, p))
    corrected = holm([one.p for one in found])
    return [one._replace(p=p) for one, p in zip(found, corrected, strict=True)]


def holm(values: list[float]) -> list[float]:
    """Correct p-values for their number: the k-th least times how many are not less, never falling."""
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, greatest = [1.0] * len(values), 0.0
    for rank, place in enumerate(order):
        greatest = max(greatest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = greatest
    return corrected


def best(means: Mapping[str, float], comparisons: list[Comparison]) -> str | None:
    """Return the method that is better than every other, None where some difference does not hold."""
    first = max(means, key=means.__getitem__)
    of_first = [one for one in comparisons if first in (one.first, one.second)]
    return first if all(one.holds for one in of_first) else None
