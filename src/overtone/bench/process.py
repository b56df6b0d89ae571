"""A measurement in a process of its own: nothing else in its memory, nothing warmed by others."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from overtone.errors import DataError, OvertoneError

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def alone(measure: Callable[..., dict[str, Any]], *values: Any) -> dict[str, Any]:
    """Call a function of a module with plain values in a new process, and return what it returns."""
    program = "from overtone.bench.process import report; "
    program += f"from {measure.__module__} import {measure.__name__} as measure; report(measure, {values!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter and program
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it was ended from outside"])[-1]
        raise DataError(f"measuring {', '.join(map(str, values[:2]))} failed: {last}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "error" in answer:
        raise DataError(answer["error"])
    return answer


def report(measure: Callable[..., dict[str, Any]], values: tuple[Any, ...]) -> None:
    """Write what a measurement returns as the last line of the output, or what the caller did wrong."""
    try:
        answer = measure(*values)
    except OvertoneError as error:
        answer = {"error": str(error)}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


def forget_peak() -> None:
    """Let the next `peak_mb` speak of what comes after this, where the system can do that."""
    try:
        RESET.write_text("5", encoding="ascii")
    except OSError:
        return


def peak_mb() -> float:
    """Return the most memory that this process has held, in megabytes."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
    except (OSError, StopIteration):
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
