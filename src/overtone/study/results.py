"""What a run found, by data and N and method: means over splits, and which differences hold."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from overtone.errors import DataError
from overtone.files import replacing
from overtone.study.run import Run
from overtone.study.statistics import Comparison, best, compare

Job = tuple[str, int]
SEVERAL = 2
COMPARISONS = "comparisons.json"


class Figure(NamedTuple):
    """A mean over splits and its standard error, NaN where there is but one; seconds and memory medians."""

    mean: float
    error: float
    seeds: int
    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Results:
    """All rows of some runs, their plan, the comparisons of the table's methods, and the fits that failed."""

    plan: dict[str, Any]
    rows: list[dict[str, Any]]
    comparisons: dict[Job, list[Comparison]]
    failures: list[dict[str, Any]]
    left: int

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Self:
        """Merge runs; the same case in two of them is taken from the first."""
        rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        where: dict[tuple[Any, ...], Run] = {}
        for run in runs:
            for row in run.rows:
                key = (row["data"], row["n"], row["seed"], row["spec"])
                if key not in rows:
                    rows[key], where[key] = row, run
        measured = [row for row in rows.values() if "failed" not in row]
        if not measured:
            raise DataError("there is nothing to report yet: no case of the run is done")
        plan = _merged([run.plan for run in runs])
        left = sum(run.left for run in runs)
        found = cls(plan, measured, {}, [row for row in rows.values() if "failed" in row], left)
        stored = _stored(runs[0].folder) if len(runs) == 1 else {}
        for job in found.jobs:
            values = {spec: found._by_user(job, spec, where) for spec in found.methods(job)}
            known = {spec: one for spec, one in values.items() if one is not None}
            found.comparisons[job] = compare(known) if known else stored.get(title(job), [])
        return found

    def keep_comparisons(self, folder: Path) -> None:
        """Write the comparisons beside the cases, so that they outlive the users' numbers."""
        text = json.dumps({title(job): pairs for job, pairs in self.comparisons.items()}, indent=0)
        with replacing(folder / COMPARISONS) as part:
            part.write_text(text + "\n", encoding="utf-8")

    @property
    def jobs(self) -> list[Job]:
        """Pairs of data and N in the order of the plan."""
        return list(dict.fromkeys((row["data"], row["n"]) for row in self.rows))

    def methods(self, job: Job) -> list[str]:
        """Return the table's methods that have a row for this job."""
        there = {row["spec"] for row in self.rows if (row["data"], row["n"]) == job}
        return [spec for spec in self.plan["table"] if spec in there]

    def ranked(self) -> list[str]:
        """Return the table's methods, the best on the mean over all jobs that it has first."""

        def mean(spec: str) -> float:
            found = [figure.mean for job in self.jobs if (figure := self.figure(job, spec))]
            return sum(found) / len(found) if found else 0.0

        return sorted(self.plan["table"], key=mean, reverse=True)

    def of_case(self, job: Job, spec: str) -> list[dict[str, Any]]:
        """Return the rows of one method, a row a split."""
        return [row for row in self.rows if (row["data"], row["n"], row["spec"]) == (*job, spec)]

    def figure(self, job: Job, spec: str) -> Figure | None:
        """Return one method's figures, None where it was not measured."""
        rows = self.of_case(job, spec)
        if not rows:
            return None
        values = np.array([row["ndcg"] for row in rows])
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) >= SEVERAL else float("nan")
        seconds = float(np.median([sum(row["seconds"].values()) for row in rows]))
        peak = float(np.median([row["peak_mb"] for row in rows]))
        return Figure(float(values.mean()), error, len(values), seconds, peak)

    def best(self, job: Job) -> str | None:
        """Return the method that is better than all others, where each of these differences holds."""
        means = {spec: figure.mean for spec in self.methods(job) if (figure := self.figure(job, spec))}
        judged = {one.first for one in self.comparisons[job]} | {one.second for one in self.comparisons[job]}
        return best(means, self.comparisons[job]) if set(means) == judged else None

    def _by_user(self, job: Job, spec: str, where: dict[tuple[Any, ...], Run]) -> Any:
        """Return each user's mean over the splits, None where numbers of users were not kept."""
        found = []
        for row in self.of_case(job, spec):
            values = where[row["data"], row["n"], row["seed"], row["spec"]].values(row)
            if values is None:
                return None
            found.append(values)
        return np.mean(found, axis=0, dtype=np.float64)


def title(job: Job) -> str:
    """Return the key of a job in a file."""
    return f"{job[0]} {job[1]}"


def _stored(folder: Path) -> dict[str, list[Comparison]]:
    """Read comparisons that were kept."""
    path = folder / COMPARISONS
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {job: [Comparison(*pair) for pair in pairs] for job, pairs in stored.items()}


def _merged(plans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Join the methods of several plans, each once."""
    merged = dict(plans[0])
    for name in ("table", "curve", "cloud"):
        merged[name] = list(dict.fromkeys(spec for plan in plans for spec in plan.get(name, ())))
    merged["absent"] = {name: why for plan in plans for name, why in plan.get("absent", {}).items()}
    return merged
