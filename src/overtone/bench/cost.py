"""What a fit costs: seconds when warm, and the memory of a process that does nothing else."""

import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Any

from overtone.bench.origin import circumstances, ratings_of
from overtone.bench.process import alone, peak_mb
from overtone.parallel import Progress, quiet
from overtone.rankers import make_ranker
from overtone.splits import given_n

REPEATS = 5
STARTS = {"import overtone": ["-c", "import overtone"], "overtone --help": ["-m", "overtone", "--help"]}


def measure_cost(
    data: str, ns: list[int], rankers: list[str], command: str, progress: Progress = quiet
) -> dict[str, Any]:
    """Fit each ranker for each N in a process of its own; also time the start of the program."""
    jobs = [(data, n, name) for n in ns for name in rankers]
    rows = []
    for done, job in enumerate(jobs, 1):
        rows.append(alone(fit_here, *job))
        progress(f"{data} given {job[1]}", done, len(jobs))
    starts = {name: _median_seconds(words) for name, words in STARTS.items()}
    return circumstances(command) | {"kind": "cost", "rows": rows, "starts": starts}


def fit_here(data: str, n: int, name: str) -> dict[str, Any]:
    """Fit once to compile or load kernels, then some times more; say the median and the peak memory."""
    train, _ = given_n(ratings_of(data, n), n, seed=0)
    before = peak_mb()
    seconds = []
    for _ in range(REPEATS + 1):
        start = perf_counter()
        make_ranker(name).fit(train)
        seconds.append(perf_counter() - start)
    row: dict[str, Any] = {"data": data, "n": n, "ranker": name, "first_seconds": seconds[0]}
    row |= {"warm_seconds": median(seconds[1:]), "warm_runs": seconds[1:]}
    return row | {"peak_mb_before": before, "peak_mb": peak_mb()}


def _median_seconds(words: list[str]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = perf_counter()
        subprocess.run([sys.executable, *words], capture_output=True, check=True)  # noqa: S603 - our own interpreter
        seconds.append(perf_counter() - start)
    return median(seconds)
