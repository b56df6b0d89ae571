"""NDCG@10 of several rankers over several given-N splits."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from overtone.bench.origin import circumstances, ratings_of
from overtone.errors import SettingError
from overtone.metrics import ndcg
from overtone.metrics.judged import Scorer
from overtone.parallel import Progress, quiet
from overtone.peers import PEERS, peer_of
from overtone.rankers import Ranker, make_ranker
from overtone.ratings import Ratings
from overtone.splits import given_n


def measure_quality(
    data: str, ns: list[int], seeds: int, rankers: list[str], command: str, progress: Progress = quiet
) -> Iterator[dict[str, Any]]:
    """Yield the run so far after each row: one for each N, seed and ranker, the same splits for every ranker.

    Seeds are 0, 1, ...; a peer by its name counts as a ranker.
    """
    for spec in rankers:
        _require_here(spec)
    ratings = ratings_of(data)
    rows: list[dict[str, Any]] = []
    about = circumstances(command)
    total = len(ns) * seeds * len(rankers)
    for n in ns:
        for seed in range(seeds):
            split = given_n(ratings, n, seed=seed)
            for name in rankers:
                rows.append({"data": data, "n": n, "seed": seed} | _one(name, split.train, split.test))
                progress(f"{data} given {n}", len(rows), total)
                yield about | {"kind": "quality", "rows": rows}


def ranker_of(spec: str) -> Ranker:
    """Make a ranker from its name, or from `name:key=value,key=value`."""
    name, _, settings = spec.partition(":")
    pairs = [setting.partition("=") for setting in settings.split(",") if setting]
    return make_ranker(name, {key: value for key, _, value in pairs})


def _require_here(spec: str) -> None:
    """Refuse, before any work, what is neither a ranker nor a peer that is installed."""
    if spec not in PEERS:
        ranker_of(spec)
    elif absent := peer_of(spec).absent:
        raise SettingError(absent)


def fit_spec(spec: str, train: Ratings) -> tuple[Scorer, dict[str, Any]]:
    """Fit a ranker, or a peer; return what scores, and its settings."""
    if spec in PEERS:
        peer = peer_of(spec)
        # One thread: some of them race, and would give other numbers each time.
        return peer.fit(train, 1), peer.settings
    model = ranker_of(spec).fit(train)
    return model, dict(model.settings)


def _one(spec: str, train: Ratings, test: Ratings) -> dict[str, Any]:
    start = perf_counter()
    model, settings = fit_spec(spec, train)
    fitted = perf_counter()
    found = ndcg(model, test, k=10)
    return {
        "ranker": spec,
        "settings": settings,
        "ndcg": found.mean,
        "stderr_users": found.stderr,
        "users": found.users,
        "definition": f"{found.name}: {found.definition}",
        "fit_seconds": fitted - start,
        "evaluate_seconds": perf_counter() - fitted,
    }
