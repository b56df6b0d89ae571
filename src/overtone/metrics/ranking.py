"""NDCG, precision, recall, MRR and AUC over each user's own test items."""

import numpy as np
from numpy.typing import NDArray

from overtone.errors import DataError, require_choice, require_real
from overtone.kernels import Floats
from overtone.metrics import kernels
from overtone.metrics.judged import Judged, Scorer
from overtone.metrics.measure import Measure
from overtone.ratings import Ratings

GAINS = ("exponential", "linear")
TIE_RULE = {
    "average": "tied scores averaged over their orders",
    "first": "tied scores in the order of the rows (by item id)",
}


def ndcg(
    model: Scorer, test: Ratings, k: int = 10, *, ties: str = "average", gain: str = "exponential"
) -> Measure:
    """Return NDCG@k (paper, equations 9 and 10) of a model on test ratings.

    Gains are `2^r - 1` or `r`, the discount is `log2(rank + 1)`. Where some test rating is
    negative, all are shifted so that the lowest is 0. A user all of whose gains are 0 is skipped.
    """
    return ndcg_of(Judged.of(model, test, ties), k, gain=gain)


def precision(
    model: Scorer, test: Ratings, k: int = 10, *, ties: str = "average", relevant: float | None = None
) -> Measure:
    """Return the share of relevant items among the first k (or all, where a user has fewer)."""
    return _precision(Judged.of(model, test, ties), k, relevant)


def recall(
    model: Scorer, test: Ratings, k: int = 10, *, ties: str = "average", relevant: float | None = None
) -> Measure:
    """Return the share of a user's relevant items that come among the first k."""
    return _recall(Judged.of(model, test, ties), k, relevant)


def mrr(
    model: Scorer, test: Ratings, k: int = 10, *, ties: str = "average", relevant: float | None = None
) -> Measure:
    """Return the mean of 1 / rank of the first relevant item, 0 where it comes after k."""
    return _mrr(Judged.of(model, test, ties), k, relevant)


def auc(model: Scorer, test: Ratings, *, relevant: float | None = None) -> Measure:
    """Return the share of pairs of a relevant and another item in the right order, ties as half."""
    return _auc(Judged.of(model, test), relevant)


def evaluate(
    model: Scorer, test: Ratings, k: int = 10, *, ties: str = "average", relevant: float | None = None
) -> list[Measure]:
    """Return every metric, the model asked once: NDCG with both gains, precision, recall, MRR, AUC."""
    judged = Judged.of(model, test, ties)
    return [
        *(ndcg_of(judged, k, gain=gain) for gain in GAINS),
        *(metric(judged, k, relevant) for metric in (_precision, _recall, _mrr)),
        _auc(judged if ties == "average" else Judged.of(model, test), relevant),
    ]


def ndcg_of(judged: Judged, k: int = 10, *, gain: str = "exponential") -> Measure:
    """Return NDCG@k of ranked test items; see `ndcg`."""
    require_choice("gain", gain, GAINS)
    floor = min(0.0, float(judged.ratings.min(initial=0.0)))
    discounts = 1.0 / np.log2(np.arange(2, judged.cutoff(k) + 2))
    gains = _exponential(judged, floor) if gain == "exponential" else judged.ratings - floor
    rating = "r" if floor == 0.0 else f"(r + {-floor:g})"
    formula = f"2^{rating} - 1" if gain == "exponential" else rating
    definition = (
        f"gain {formula}, discount log2(rank + 1), {TIE_RULE[judged.ties]}, users without gain skipped"
    )
    name = f"NDCG@{k}" if gain == "exponential" else f"NDCG@{k} (linear gain)"
    return Measure(name, definition, kernels.ndcg(judged.indptr, gains, judged.ends, discounts))


def _exponential(judged: Judged, floor: float) -> Floats:
    """Return gains over each user's greatest `2^r`: NDCG is a ratio, and `2^r` alone may overflow.

    `expm1` keeps the gain of a rating so small that `2^r - 1` would round to 0.
    """
    highest = np.zeros(len(judged.indptr) - 1)
    some = np.diff(judged.indptr) > 0
    highest[some] = np.maximum.reduceat(judged.ratings, judged.indptr[:-1][some]) if some.any() else 0.0
    top = np.repeat(highest, np.diff(judged.indptr))
    gains: Floats = -np.exp2(judged.ratings - top) * np.expm1((floor - judged.ratings) * np.log(2.0))
    return gains


def _relevance(judged: Judged, relevant: float | None) -> tuple[NDArray[np.bool_], str]:
    if not len(judged.ratings):
        raise DataError("there are no ratings to judge")
    median = float(np.median(judged.ratings))
    least = median if relevant is None else require_real("relevant", relevant, -np.inf)
    chosen = " (the median test rating)" if relevant is None else ""
    return judged.ratings >= least, f"relevant: rated {least:g} or more{chosen}"


def _precision(judged: Judged, k: int, relevant: float | None) -> Measure:
    good, rule = _relevance(judged, relevant)
    length = np.diff(judged.indptr)
    found = kernels.hits(judged.indptr, good, judged.ends, judged.cutoff(k))
    with np.errstate(invalid="ignore"):
        shares = found / np.minimum(length, k)
    return Measure(
        f"precision@{k}", f"{rule}, {TIE_RULE[judged.ties]}, users without test items skipped", shares
    )


def _recall(judged: Judged, k: int, relevant: float | None) -> Measure:
    good, rule = _relevance(judged, relevant)
    found = kernels.hits(judged.indptr, good, judged.ends, judged.cutoff(k))
    with np.errstate(invalid="ignore"):
        shares = found / _count(judged, good)
    return Measure(
        f"recall@{k}", f"{rule}, {TIE_RULE[judged.ties]}, users without relevant items skipped", shares
    )


def _mrr(judged: Judged, k: int, relevant: float | None) -> Measure:
    good, rule = _relevance(judged, relevant)
    ranks = kernels.reciprocal_rank(judged.indptr, good, judged.ends, judged.cutoff(k))
    ranks[_count(judged, good) == 0] = np.nan
    return Measure(
        f"MRR@{k}", f"{rule}, {TIE_RULE[judged.ties]}, users without relevant items skipped", ranks
    )


def _auc(judged: Judged, relevant: float | None) -> Measure:
    good, rule = _relevance(judged, relevant)
    areas = kernels.area(judged.indptr, good, judged.ends)
    return Measure("AUC", f"{rule}, ties as half, users without a relevant and another item skipped", areas)


def _count(judged: Judged, good: NDArray[np.bool_]) -> NDArray[np.int64]:
    owners = np.repeat(np.arange(len(judged.indptr) - 1), np.diff(judged.indptr))
    return np.bincount(owners[good], minlength=len(judged.indptr) - 1)
