"""What a peer's fit costs on the same ratings, and what scoring every pair adds to it."""

from statistics import median
from time import perf_counter
from typing import Any

from overtone.bench.origin import ratings_of
from overtone.bench.process import peak_mb
from overtone.parallel import spans, thread_count
from overtone.peers import Factors, peer_of
from overtone.splits import given_n

ROWS = 1024


def rival_here(data: str, n: int, name: str, repeats: int, threads: int | None) -> dict[str, Any]:
    """Fit once to warm up, then some times more; a peer that is not installed is named with the reason."""
    peer = peer_of(name)
    row: dict[str, Any] = {"peer": name, "settings": peer.settings}
    if peer.absent:
        return row | {"absent": peer.absent}
    train, _ = given_n(ratings_of(data, n), n, seed=0)
    fits, scores = [], []
    for _ in range(repeats + 1):
        start = perf_counter()
        factors = peer.fit(train, thread_count(threads))
        fitted = perf_counter()
        if isinstance(factors, Factors):
            score_all(factors)
        fits.append(fitted - start)
        scores.append(perf_counter() - fitted)
    return row | {"fit": median(fits[1:]), "score_all": median(scores[1:]), "peak_mb": peak_mb()}


def score_all(factors: Factors) -> None:
    """Score every pair, some users at a time, and let the scores go."""
    for block in spans(len(factors.users), ROWS):
        factors.users[block] @ factors.items.T
