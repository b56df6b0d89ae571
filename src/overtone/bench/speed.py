"""The speed benchmark: stages, rates and rivals for each data set and N, and how all grows."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from overtone.bench.growth import measure_growth
from overtone.bench.origin import circumstances
from overtone.bench.process import alone
from overtone.bench.rivals import rival_here
from overtone.bench.stages import require_ldm, stages_here
from overtone.errors import SettingError, require_count
from overtone.parallel import Progress, quiet
from overtone.peers import peer_of


class Plan(NamedTuple):
    """What to measure: pairs of data and N, the LDMs and peers on each, and whose growth, if any."""

    jobs: list[tuple[str, int]]
    specs: list[str]
    peers: list[str]
    growth: str | None
    repeats: int
    threads: int | None


def measure_speed(plan: Plan, command: str, progress: Progress = quiet) -> Iterator[dict[str, Any]]:
    """Yield the run after each measurement, so that what is done can be kept."""
    require_count("repeats", plan.repeats, 1)
    for spec in [*plan.specs, *([plan.growth] if plan.growth else [])]:
        require_ldm(spec)
    for name in plan.peers:
        if not peer_of(name).factors:
            raise SettingError(f"{name} has no factors to score every pair with; compare it by bench quality")
    work: list[tuple[str, Callable[..., dict[str, Any]], tuple[Any, ...]]] = []
    for job in plan.jobs:
        work += [("stages", stages_here, (*job, spec, plan.repeats, plan.threads)) for spec in plan.specs]
        work += [("peers", rival_here, (*job, name, plan.repeats, plan.threads)) for name in plan.peers]
    run: dict[str, Any] = circumstances(command) | {
        "kind": "speed",
        "stages": [],
        "peers": [],
        "growth": None,
    }
    for done, (kind, measure, values) in enumerate(work, 1):
        row = alone(measure, *values)
        run[kind].append({"data": values[0], "n": values[1]} | row)
        progress(f"{values[0]} given {values[1]}", done, len(work))
        yield run
    if plan.growth:
        run["growth"] = measure_growth(plan.growth, progress)
        yield run
