"""A run: a folder with a line of JSON for each case that is done, and each user's number beside it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from re import sub
from statistics import mean
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overtone.bench.origin import circumstances, ratings_of
from overtone.errors import DataError
from overtone.files import Journal, make_folder, read_journal, replacing
from overtone.splits import given_n
from overtone.study.measure import measure, splits_of, warm
from overtone.study.plan import Case, Plan

Told = Callable[[Case, int, int, float | None], None]
"""Called before a case: which, how many are done, how many there are, and the seconds that may be left."""


@dataclass(frozen=True)
class Run:
    """What was planned and what is done."""

    folder: Path
    plan: dict[str, Any]
    rows: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a run, finished or not."""
        path = Path(folder) / "cases.jsonl"
        if not path.exists():
            raise DataError(f"{folder} is no run of overtone bench paper or all: it has no cases.jsonl")
        head, *rows = read_journal(path, "run") or [{"run": {}}]
        return cls(Path(folder), head["run"], _each_once(rows))

    @property
    def left(self) -> int:
        """How many planned cases are not done."""
        names = {field.name for field in fields(Plan)}
        plan = Plan(**{name: value for name, value in self.plan.items() if name in names})
        return len(plan.cases()) - len(self.rows)

    def values(self, row: dict[str, Any]) -> NDArray[np.float32] | None:
        """Return each user's number, None where it was not kept."""
        path = self.folder / "users" / name_of(Case(*(row[key] for key in Case._fields)))
        return np.load(path) if path.exists() else None


def carry_out(plan: Plan, folder: str | Path, command: str, told: Told) -> Run:
    """Measure every case that is not done yet; each is kept as it is done, its users' numbers first."""
    prints = {f"{data} {n}": _checked(data, n) for data, n in plan.jobs}
    place = make_folder(Path(folder))
    make_folder(place / "users")
    journal = Journal(place / "cases.jsonl", asdict(plan) | {"ratings": prints}, "run")
    rows = _each_once(journal.entries())
    done = {Case(*(row[key] for key in Case._fields)) for row in rows}
    where = circumstances(command)
    split, warmed = splits_of(ratings_of), set[str]()
    cases = plan.cases()
    for case in cases:
        if case in done:
            continue
        told(case, len(done), len(cases), _left(rows, [one for one in cases if one not in done]))
        if case.spec not in warmed:
            warm(case.spec)
            warmed.add(case.spec)
        row, values = measure(case, split(case))
        with replacing(place / "users" / name_of(case)) as part, part.open("wb") as file:
            np.save(file, values)
        journal.add(row | where)
        rows.append(row)
        done.add(case)
    return Run.read(place)


def _checked(data: str, n: int) -> str:
    """Return the fingerprint of ratings that can be split; refuse others before anything is written."""
    ratings = ratings_of(data, n)
    given_n(ratings, n)
    return ratings.fingerprint()


def name_of(case: Case) -> str:
    """Return the name of the file with a case's numbers."""
    return sub(r"[^A-Za-z0-9.=,-]+", "_", f"{case.data}-{case.n}-{case.seed}-{case.spec}") + ".npy"


def _each_once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({Case(*(row[key] for key in Case._fields)): row for row in rows}.values())


def _left(rows: list[dict[str, Any]], cases: list[Case]) -> float | None:
    """Estimate the seconds of some cases from those of the same method, with the same data and N if any."""
    if not rows:
        return None
    total = 0.0
    for case in cases:
        alike = [row for row in rows if row["spec"] == case.spec] or rows
        closest = [row for row in alike if (row["data"], row["n"]) == (case.data, case.n)] or alike
        total += mean(sum(row["seconds"].values()) for row in closest)
    return total
