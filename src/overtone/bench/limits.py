"""What the machine could do: the solver's multiply-adds a second beside loops that do nothing else."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from overtone.harmonic.extension import Extension
from overtone.harmonic.kernels import sweep
from overtone.harmonic.labels import State, block_of
from overtone.harmonic.leap import CYCLE
from overtone.harmonic.rows import WIDTH, block_like, product, room
from overtone.kernels import Csr
from overtone.parallel import in_order, spans

TURNS = 9
LONG = 1e9
"""Multiply-adds that a timed run of a loop has at the least, a thread."""

NEAR = 32
"""Rows that fit into the first cache beside everything else."""


def limits(extension: Extension, threads: int) -> dict[str, Any]:
    """Time, by turns, the bare product, the same with all rows in the first cache, the sweep, and SciPy.

    Rates are in multiply-adds a second over all threads, but for `scipy`, and `sweep_one` beside it, on
    one. Ratios are taken within a turn, since a machine's speed may change from one to the next.
    """
    steps = extension.walk.steps
    near = Csr(steps.indptr, steps.indices % NEAR, steps.data)
    loops: dict[str, tuple[Callable[[], Callable[[], None]], int]] = {
        "first_cache": (lambda: _product(near), threads),
        "bare": (lambda: _product(steps), threads),
        "sweep": (lambda: _sweep(extension), threads),
        "sweep_one": (lambda: _sweep(extension), 1),
        "scipy": (lambda: _scipy(steps), 1),
    }
    work = len(steps.indices) * WIDTH
    repeats = max(int(LONG / work), 1)
    turns: list[dict[str, float]] = []
    for _ in range(TURNS):
        turns.append({})
        for name, (loop, count) in loops.items():
            turns[-1][name] = count * repeats * work / _seconds([loop() for _ in range(count)], repeats)
    ratios = {"sweep_over_bare": ("sweep", "bare"), "sweep_one_over_scipy": ("sweep_one", "scipy")}
    ratios["sweep_over_scipy"] = ("sweep", "scipy")
    found = {name: median(turn[a] / turn[b] for turn in turns) for name, (a, b) in ratios.items()}
    return found | {name: median(turn[name] for turn in turns) for name in loops}


def _seconds(runs: list[Callable[[], None]], repeats: int) -> float:
    """Run each on a thread of its own, some times; the first time does not count."""

    def work(block: slice) -> float:
        run = runs[block.start]
        run()
        start = perf_counter()
        for _ in range(repeats):
            run()
        return perf_counter() - start

    return max(in_order(work, spans(len(runs), 1), len(runs)))


def _block(size: int) -> NDArray[np.float32]:
    return block_like(np.random.default_rng(0).random((size, WIDTH), np.float32))


def _product(steps: Csr) -> Callable[[], None]:
    x = _block(len(steps.indptr) - 1)
    out = room(len(x))
    return lambda: product(steps, x, out)


def _sweep(extension: Extension) -> Callable[[], None]:
    """One sweep with its labels, steps and bookkeeping."""
    size = extension.walk.size
    counts = np.diff(extension.known.indptr)
    columns = np.argsort(counts, kind="stable")[len(counts) // 2 :][:WIDTH]
    labels = block_of(extension.known, columns, size).labels
    x, moved = _block(size), np.zeros(WIDTH, np.float32)
    count = len(labels.pull)
    state = State(x, np.zeros(count), room(CYCLE, size), np.zeros((CYCLE, count)))
    return lambda: sweep(extension.solver.system, labels, state, moved, 0)


def _scipy(steps: Csr) -> Callable[[], None]:
    size = len(steps.indptr) - 1
    matrix = csr_array((steps.data, steps.indices, steps.indptr), shape=(size, size))
    x = _block(size)

    def run() -> None:
        matrix @ x

    return run
