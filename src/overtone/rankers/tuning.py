"""Choosing settings without a look at any test rating: splits inside the training data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from overtone.errors import DataError, DivergedError, SettingError, require_count
from overtone.files import Journal
from overtone.metrics import ndcg
from overtone.parallel import Progress, quiet, thread_count
from overtone.rankers.presets import PRESETS
from overtone.rankers.ranker import Ranker, plain
from overtone.rankers.registry import make_ranker
from overtone.ratings import Ratings, require_ratings
from overtone.splits import Split, within_users

Grid = Mapping[str, Sequence[Any]]
Trial = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was tried, in order, and the ranker that did best; of equals the one tried first."""

    name: str
    records: list[Trial]

    @property
    def settings(self) -> dict[str, Any]:
        """The best of the settings that were tried."""
        return dict(max(self.records, key=lambda trial: trial["ndcg"])["settings"])

    @property
    def ranker(self) -> Ranker:
        """The ranker with the best settings."""
        return make_ranker(self.name, self.settings)

    @property
    def trials(self) -> pl.DataFrame:
        """Every trial, best first: its settings, mean NDCG@10 over the inner splits, seconds of its fits."""
        names = ["ndcg", "seconds", *(["failed"] if any("failed" in one for one in self.records) else [])]
        rows = [one["settings"] | {name: one.get(name) for name in names} for one in self.records]
        return pl.DataFrame(rows).sort("ndcg", descending=True, maintain_order=True)


def tune(  # noqa: PLR0913 - what is tried, how it is judged, where it is kept
    name: str,
    ratings: Ratings,
    grid: Grid | None = None,
    *,
    trials: int | None = None,
    splits: int = 2,
    seed: int = 0,
    keep: str | Path | None = None,
    threads: int | None = None,
    progress: Progress = quiet,
) -> Tuning:
    """Try every combination of a grid, or `trials` of them by chance, on splits inside `ratings`.

    Each split trains on a random 80 % of each user's ratings and measures NDCG@10 on the others. The
    grid is that of the ranker unless given. With `keep`, each trial is a line of that file as soon as
    it is done, and the same call goes on where it was stopped.
    """
    require_ratings(ratings)
    thread_count(threads)
    tried = _combinations(name, grid, trials, require_count("seed", seed, 0))
    cuts = [within_users(ratings, seed=seed + k) for k in range(require_count("splits", splits, 1))]
    about = {"ranker": name, "splits": splits, "seed": seed, "ratings": ratings.fingerprint()}
    kept = Journal(keep, about, "tuning") if keep is not None else None
    done = [one for one in (kept.entries() if kept else []) if {"settings", "ndcg"} <= set(one)]
    records: list[Trial] = []
    for number, settings in enumerate(tried, 1):
        found = next((one for one in done if one["settings"] == settings), None)
        if found is None:
            found = {"settings": settings} | _judge(make_ranker(name, settings), cuts, threads)
            if kept:
                kept.add(found)
        records.append(found)
        progress("trials", number, len(tried))
    if all("failed" in one for one in records):
        raise SettingError(f"no trial of {name} could be fitted: {records[0]['failed']}")
    return Tuning(name, records)


def _combinations(name: str, grid: Grid | None, trials: int | None, seed: int) -> list[dict[str, Any]]:
    """Return the settings to try, the ranker's own first where the grid has them."""
    make_ranker(name)
    preset = PRESETS[name]
    chosen = preset.grid if grid is None else grid
    if not chosen:
        raise SettingError(f"{name} has nothing to tune by itself; give a grid of settings")
    known = preset.defaults()
    if not isinstance(chosen, Mapping):
        raise SettingError(f"a grid maps each setting to a list of values, not {chosen!r}")
    for key, values in chosen.items():
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise SettingError(f"the grid must give a list of values for {key!r}, not {values!r}")
    found = []
    for values in product(*chosen.values()):
        ranker = make_ranker(name, dict(zip(chosen, values, strict=True)))
        settings = {key: plain(getattr(ranker, key)) for key in chosen}
        if settings not in found:
            found.append(settings)
    found.sort(key=lambda settings: any(known[key] != value for key, value in settings.items()))
    if trials is None or require_count("trials", trials, 1) >= len(found):
        return found
    picked = np.random.default_rng(seed).choice(len(found), trials, replace=False)
    return [found[place] for place in sorted(picked)]


def _judge(ranker: Ranker, cuts: Sequence[Split], threads: int | None) -> Trial:
    seconds, values = 0.0, []
    for cut in cuts:
        start = perf_counter()
        try:
            model = ranker.fit(cut.train, threads=threads)
        except DivergedError as error:
            return {"ndcg": 0.0, "seconds": round(seconds, 3), "failed": str(error)}
        seconds += perf_counter() - start
        values.append(ndcg(model, cut.test, k=10).mean)
    if np.isnan(values).any():
        raise DataError("there is nothing to choose settings by: no rating that is held out has a gain")
    return {"ndcg": float(np.mean(values)), "seconds": round(seconds, 3)}
