"""Where ratings for a benchmark come from, and where it runs."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from overtone.datasets import movielens, synthetic
from overtone.errors import SettingError
from overtone.ratings import Ratings
from overtone.splits import MARGIN

VERSIONS = ("overtone", "numpy", "scipy", "numba", "polars")


SHAPES = {
    10: (69_878, 10_677, 10_000_054),
    20: (57_534, 10_675, 9_704_223),
    50: (38_604, 10_672, 8_897_688),
    100: (24_328, 10_666, 7_730_011),
}
"""Users, items and ratings of MovieLens-10M after the preparation for given-N (the paper's Table 1)."""


def ratings_of(data: str, n: int | None = None) -> Ratings:
    """Read `ml-100k` and its kin, `synthetic`, a file, or make `synthetic-10m`, whose shape depends on N."""
    if data == "synthetic":
        return synthetic()
    if data == "synthetic-10m":
        if n not in SHAPES:
            raise SettingError(f"synthetic-10m has a shape for n of {', '.join(map(str, SHAPES))}, not {n}")
        return synthetic(*SHAPES[n], least=n + MARGIN)
    if data.startswith("ml-") and not Path(data).suffix:
        return movielens(data.removeprefix("ml-"))
    return Ratings.read(data)


def circumstances(command: str) -> dict[str, Any]:
    """Return the command, the machine and the versions, to be kept with the numbers."""
    return {
        "command": command,
        "machine": f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {platform.system()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in VERSIONS},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
