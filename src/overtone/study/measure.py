"""One case: fit, score, judge; seconds by stage and the memory that it took."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overtone.bench.process import forget_peak, peak_mb
from overtone.bench.quality import fit_spec
from overtone.datasets import synthetic
from overtone.metrics import Measure, ndcg
from overtone.ratings import Ratings
from overtone.splits import Split, given_n
from overtone.study.plan import Case

Splits = Callable[[Case], Split]


def measure(case: Case, split: Split) -> tuple[dict[str, Any], NDArray[np.float32]]:
    """Return the row of a case, and each user's NDCG@10."""
    forget_peak()
    start = perf_counter()
    model, settings = fit_spec(case.spec, split.train)
    fitted = perf_counter()
    found: Measure = ndcg(model, split.test, k=10)
    row = {
        **case._asdict(),
        "settings": settings,
        "ndcg": found.mean,
        "users": found.users,
        "skipped": found.skipped,
        "definition": f"{found.name}: {found.definition}",
        "seconds": {"fit": fitted - start, "score": perf_counter() - fitted},
        "peak_mb": peak_mb(),
        "sizes": [split.train.n_users, split.train.n_items, len(split.train) + len(split.test)],
    }
    return row, found.by_user.astype(np.float32)


def splits_of(read: Callable[[str, int], Ratings]) -> Splits:
    """Return a maker of splits that remembers the last one, whose methods come together."""
    last: list[tuple[tuple[str, int, int], Split]] = []

    def split(case: Case) -> Split:
        key = case[:3]
        if not last or last[0][0] != key:
            last[:] = [(key, given_n(read(case.data, case.n), case.n, seed=case.seed))]
        return last[0][1]

    return split


def warm(spec: str) -> None:
    """Fit once on a handful of ratings, so that no time measured is that of a compiler."""
    if not spec.endswith("-tuned"):
        model, _ = fit_spec(spec, synthetic(users=60, items=40, ratings=1_200))
        model.score_ratings(synthetic(users=60, items=40, ratings=1_200))
