"""LDM stage by stage: seconds, memory, and the work that was done."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overtone.bench.answers import answers
from overtone.bench.limits import limits
from overtone.bench.one_by_one import one_by_one
from overtone.bench.origin import ratings_of
from overtone.bench.process import forget_peak, peak_mb
from overtone.bench.quality import ranker_of
from overtone.errors import SettingError
from overtone.harmonic.extension import Extended, Extension
from overtone.harmonic.rows import WIDTH
from overtone.models.ldm import LDMModel
from overtone.parallel import thread_count
from overtone.rankers import LDM
from overtone.rankers.ldm import KEEP_LIMIT
from overtone.ratings import Ratings
from overtone.splits import given_n

STAGES = ("read", "baseline", "graph", "system", "solve", "rank")
TOP = 100
CHECKED = 64
"""Blocks whose equations are computed anew, in double precision."""


class Watch:
    """Seconds and peak memory of stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.peaks: dict[str, float] = {}

    def progress(self, stage: str, done: int, total: int) -> None:
        """Take the first and the last word on a stage as its begin and end."""
        if done == 0:
            forget_peak()
            self.seconds[stage] = -perf_counter()
        elif done == total and self.seconds.get(stage, 0.0) < 0.0:
            self.seconds[stage] += perf_counter()
            self.peaks[stage] = peak_mb()

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a block."""
        self.progress(stage, 0, 1)
        yield
        self.progress(stage, 1, 1)


def require_ldm(spec: str) -> LDM:
    """Return the LDM of a spec."""
    ranker = ranker_of(spec)
    if not isinstance(ranker, LDM):
        raise SettingError(f"stages are those of ldm and ldm-paper, not of {spec!r}")
    return replace(ranker, keep="no")


def stages_here(data: str, n: int, spec: str, repeats: int, threads: int | None) -> dict[str, Any]:
    """Go through all stages, once to compile or load kernels and then some times more; then compare rates."""
    train, _ = given_n(ratings_of(data, n), n, seed=0)
    ranker, watches = require_ldm(spec), []
    with TemporaryDirectory() as folder:
        train.write(Path(folder) / "train.csv")
        for _ in range(repeats + 1):
            watch = Watch()
            model, work = _once(Path(folder), train, ranker, watch, threads)
            watches.append(watch)
        asked = _ask(Path(folder), train, ranker)
    seconds = {stage: median(watch.seconds[stage] for watch in watches[1:]) for stage in STAGES}
    row: dict[str, Any] = {"data": data, "n": n, "ranker": spec, "threads": thread_count(threads)}
    row |= {"users": train.n_users, "items": train.n_items, "ratings": len(train), "repeats": repeats}
    row |= {"settings": dict(model.settings), "seconds": seconds, "peak_mb": watches[-1].peaks}
    row |= {"runs": [watch.seconds for watch in watches[1:]], "work": work | checked(model.extension)}
    rates = limits(model.extension, thread_count(threads))
    each = one_by_one(model.extension)
    return row | {"rates": rates, "one_by_one": each, "answers": asked}


def _ask(folder: Path, train: Ratings, ranker: LDM) -> dict[str, Any] | None:
    """Time the answers of a loaded model, where it would keep the completed matrix."""
    if 4 * train.n_users * train.n_items > KEEP_LIMIT:
        return None
    replace(ranker, keep="yes").fit(train).save(folder / "model")
    return answers(folder / "model", train)


def _once(
    folder: Path, train: Ratings, ranker: LDM, watch: Watch, threads: int | None
) -> tuple[LDMModel, dict[str, Any]]:
    with watch("read"):
        Ratings.read(folder / "train.csv")
    # Fitted on what was written, not on what was read: the file does not name items without ratings.
    model = ranker.fit(train, threads=threads, progress=watch.progress)
    with watch("solve"):
        work = solve_all(model.extension, threads)
    with watch("rank"):
        model.recommend_all(folder / "lists.parquet", TOP)
    return model, work


def solve_all(extension: Extension, threads: int | None) -> dict[str, Any]:
    """Solve every column and let it go; say how many sweeps and multiply-adds that took."""
    columns = len(extension.known.indptr) - 1
    sweeps, worst, failed = 0, 0.0, 0
    for part in extension.blocks(np.arange(columns), threads):
        sweeps += part.solution.sweeps * len(part.columns)
        worst = max(worst, float(part.solution.residuals.max()))
        failed += int((~part.solution.converged).sum())
    edges = len(extension.walk.exact)
    found = {"edges": edges, "columns": columns, "sweeps": sweeps / columns, "multiply_adds": edges * sweeps}
    modes = extension.solver.system.modes.left.shape[1]
    return found | {"residual_bound": worst, "unconverged": failed, "modes": modes}


def checked(extension: Extension) -> dict[str, Any]:
    """Compute residuals of blocks spread over all columns: by the greatest label, and as Krylov solvers do.

    The latter is the 2-norm of what the equations are off by over that of their right-hand side.
    """
    blocks = list(spread_blocks(extension, CHECKED))
    off = [residuals(extension, extension.extend(block)) for block in blocks]
    by_label, by_norm = (np.concatenate(parts) for parts in zip(*off, strict=True))
    return {
        "checked_columns": len(by_label),
        "residual_of_greatest_label": float(by_label.max()),
        "residual_of_right_side": float(by_norm.max()),
        "residual_of_right_side_median": float(np.median(by_norm)),
    }


def spread_blocks(extension: Extension, most: int) -> Iterator[NDArray[np.int64]]:
    """Yield blocks as the solver makes them, evenly spread over columns of few and of many labels."""
    counts = np.diff(extension.known.indptr)
    ordered = np.argsort(counts, kind="stable")
    ordered = ordered[counts[ordered] > 0]
    starts = range(0, len(ordered), WIDTH)
    for start in starts[:: max(len(starts) // most, 1)]:
        yield ordered[start : start + WIDTH]


def residuals(extension: Extension, part: Extended) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both relative residuals of each column of a block, in double precision."""
    S, x, f = extension.walk.matrix(), part.x.astype(np.float64), part.f.astype(np.float64)
    given = np.zeros_like(x)
    known = extension.known
    for b, column in enumerate(part.columns):
        place = slice(known.indptr[column], known.indptr[column + 1])
        given[known.indices[place], b] = extension.solver.mu * known.data[place]
    off, right = f - S @ x, np.linalg.norm(S @ given, axis=0)
    greatest = np.abs(given).max(axis=0)
    by_norm = np.divide(np.linalg.norm(off, axis=0), right, out=np.zeros(len(right)), where=right > 0.0)
    by_label = np.abs(off).max(axis=0) / greatest
    return by_label, by_norm
