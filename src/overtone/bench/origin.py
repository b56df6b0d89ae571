"""Where ratings for a benchmark come from, and where it runs."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from overtone.datasets import movielens, synthetic
from overtone.ratings import Ratings

VERSIONS = ("overtone", "numpy", "scipy", "numba", "polars")


def ratings_of(data: str) -> Ratings:
    """Read `ml-100k` and its kin, `synthetic`, or a file."""
    if data == "synthetic":
        return synthetic()
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
