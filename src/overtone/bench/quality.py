"""NDCG@10 of several rankers over several given-N splits."""

from time import perf_counter
from typing import Any

from overtone.bench.origin import circumstances, ratings_of
from overtone.metrics import ndcg
from overtone.parallel import Progress, quiet
from overtone.rankers import Ranker, make_ranker
from overtone.ratings import Ratings
from overtone.splits import given_n


def measure_quality(
    data: str, ns: list[int], seeds: int, rankers: list[str], command: str, progress: Progress = quiet
) -> dict[str, Any]:
    """Return one row for each N, seed and ranker; seeds are 0, 1, ..., every ranker sees the same splits."""
    for spec in rankers:
        ranker_of(spec)
    ratings = ratings_of(data)
    rows: list[dict[str, Any]] = []
    total = len(ns) * seeds * len(rankers)
    for n in ns:
        for seed in range(seeds):
            split = given_n(ratings, n, seed=seed)
            for name in rankers:
                rows.append({"data": data, "n": n, "seed": seed} | _one(name, split.train, split.test))
                progress(f"{data} given {n}", len(rows), total)
    return circumstances(command) | {"kind": "quality", "rows": rows}


def ranker_of(spec: str) -> Ranker:
    """Make a ranker from its name, or from `name:key=value,key=value`."""
    name, _, settings = spec.partition(":")
    pairs = [setting.partition("=") for setting in settings.split(",") if setting]
    return make_ranker(name, {key: value for key, _, value in pairs})


def _one(spec: str, train: Ratings, test: Ratings) -> dict[str, Any]:
    ranker = ranker_of(spec)
    start = perf_counter()
    model = ranker.fit(train)
    fitted = perf_counter()
    found = ndcg(model, test, k=10)
    return {
        "ranker": spec,
        "settings": dict(model.settings),
        "ndcg": found.mean,
        "stderr_users": found.stderr,
        "users": found.users,
        "definition": f"{found.name}: {found.definition}",
        "fit_seconds": fitted - start,
        "evaluate_seconds": perf_counter() - fitted,
    }
