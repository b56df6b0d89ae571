"""One case: fit, score, judge; seconds by stage and the memory that it took."""

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overtone.bench.process import forget_peak, peak_mb
from overtone.bench.quality import fit_spec
from overtone.datasets import synthetic
from overtone.errors import DivergedError
from overtone.metrics import Measure, ndcg
from overtone.peers import PEERS
from overtone.ratings import Ratings
from overtone.splits import Split, given_n
from overtone.study.plan import Case

Splits = Callable[[Case], Split]


def measure(case: Case, split: Split) -> tuple[dict[str, Any], NDArray[np.float32]]:
    """Return the row of a case, and each user's NDCG@10; a fit that fails is a row that says why."""
    forget_peak()
    start = perf_counter()
    try:
        model, settings = fit_spec(case.spec, split.train)
        fitted = perf_counter()
        found: Measure = ndcg(model, split.test, k=10)
    except DivergedError as error:
        return failed(case, split, str(error))
    except Exception as error:
        # Other people's code may fail in any way, and must not end a run of hours.
        if case.spec not in PEERS:
            raise
        return failed(case, split, f"{type(error).__name__}: {error}")
    row = {
        **case._asdict(),
        "settings": settings,
        "ndcg": found.mean,
        "users": found.users,
        "skipped": found.skipped,
        "definition": f"{found.name}: {found.definition}",
        "seconds": {"fit": fitted - start, "score": perf_counter() - fitted},
        "peak_mb": peak_mb(),
        "sizes": sizes_of(split),
    }
    return row, found.by_user.astype(np.float32)


def failed(case: Case, split: Split, why: str) -> tuple[dict[str, Any], NDArray[np.float32]]:
    """Return the row of a case that could not be measured."""
    row = {**case._asdict(), "failed": why, "seconds": {}, "sizes": sizes_of(split)}
    return row, np.full(split.test.n_users, np.nan, np.float32)


def sizes_of(split: Split) -> list[int]:
    """Return users, items and ratings, those of the test among them."""
    return [split.train.n_users, split.train.n_items, len(split.train) + len(split.test)]


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
        few = synthetic(users=60, items=40, ratings=1_200)
        # What fails here says so where it is measured.
        with suppress(Exception if spec in PEERS else DivergedError):
            fit_spec(spec, few)[0].score_ratings(few)
