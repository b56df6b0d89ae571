"""How time and memory grow with users, items, ratings, neighbours and threads, on synthetic ratings."""

from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from overtone.bench.process import alone, peak_mb
from overtone.bench.stages import Watch, require_ldm, solve_all
from overtone.datasets import synthetic
from overtone.parallel import Progress, quiet
from overtone.splits import MARGIN, given_n

BASE = {"users": 8000, "items": 2000, "ratings": 20, "neighbors": 64, "threads": 2}
AXES = {
    "users": (2000, 4000, 8000, 16000, 32000),
    "items": (500, 1000, 2000, 4000, 8000),
    "ratings": (10, 20, 40, 80),
    "neighbors": (16, 32, 64, 128),
    "threads": (1, 2),
}
"""One is changed at a time; `ratings` are those that a user has in training."""

MEASURES = ("graph", "solve", "total", "peak_mb")
REPEATS = 3
PARTS = ("baseline", "graph", "system", "solve")


def measure_growth(spec: str, progress: Progress = quiet) -> dict[str, Any]:
    """Measure every point of every axis, each in a process of its own, and fit the exponents."""
    points = [(axis, value) for axis, values in AXES.items() for value in values]
    rows = []
    for done, (axis, value) in enumerate(points, 1):
        where = BASE | {axis: value}
        rows.append({"axis": axis} | where | alone(growth_here, spec, *where.values()))
        progress("growth", done, len(points))
    return {"ranker": spec, "base": BASE, "points": rows, "exponents": exponents(rows)}


def growth_here(
    spec: str, users: int, items: int, ratings: int, neighbors: int, threads: int
) -> dict[str, float]:
    """Make ratings, fit and solve everything; return seconds by stage and the peak memory."""
    least = ratings + MARGIN
    table = synthetic(users, items, users * (least + MARGIN), least=least)
    train, _ = given_n(table, ratings, seed=0)
    del table
    ranker, runs = replace(require_ldm(spec), neighbors=neighbors), []
    for _ in range(REPEATS + 1):
        watch = Watch()
        model = ranker.fit(train, threads=threads, progress=watch.progress)
        with watch("solve"):
            solve_all(model.extension, threads)
        runs.append(watch.seconds | {"total": sum(watch.seconds[part] for part in PARTS)})
    seconds = {name: median(run[name] for run in runs[1:]) for name in runs[0]}
    return seconds | {"peak_mb": peak_mb()}


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return, for each axis and measure, the slope of a line through the logarithms."""
    found: dict[str, dict[str, float]] = {}
    for axis in AXES:
        points = [row for row in rows if row["axis"] == axis]
        where = np.log([row[axis] for row in points])
        slopes = {
            name: float(np.polyfit(where, np.log([row[name] for row in points]), 1)[0]) for name in MEASURES
        }
        found[axis] = slopes
    return found
