"""How long a loaded model takes to answer: a known user's list, and a new person's."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from overtone.models import load
from overtone.ratings import Ratings

QUESTIONS = 200
TEN = 10


def answers(path: Path, train: Ratings) -> dict[str, Any]:
    """Load a model, ask for the top 10 of known users and of people with others' ratings; milliseconds."""
    start = perf_counter()
    model = load(path)
    loaded = perf_counter() - start
    rows = np.random.default_rng(0).integers(0, train.n_users, QUESTIONS)
    users, items = train.users.take(rows.astype(np.int32)), train.items.values
    people = [
        dict(zip(items.gather(own).to_list(), stars, strict=True)) for own, stars in _ratings_of(train, rows)
    ]
    known = _times(lambda k: model.recommend(users[k], TEN))
    new = _times(lambda k: model.recommend(ratings=people[k], n=TEN))
    return {"questions": QUESTIONS, "load_ms": 1e3 * loaded, "known_ms": known, "new_ms": new}


def _ratings_of(train: Ratings, rows: Any) -> list[tuple[Any, list[float]]]:
    by_user = train.by_user
    spans = [slice(by_user.indptr[row], by_user.indptr[row + 1]) for row in rows]
    return [(by_user.indices[span], by_user.data[span].tolist()) for span in spans]


def _times(ask: Callable[[int], object]) -> dict[str, float]:
    """Ask every question once; say what the first took, the median and the slowest of twenty."""
    taken = []
    for k in range(QUESTIONS):
        start = perf_counter()
        ask(k)
        taken.append(1e3 * (perf_counter() - start))
    return {"first": taken[0], "median": median(taken), "p95": float(np.quantile(taken, 0.95))}
