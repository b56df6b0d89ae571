"""A run's tables, as cells that Markdown and HTML both show."""

from typing import NamedTuple

import numpy as np

from overtone.study.printed import METHODS, RESULTS, SIZES
from overtone.study.results import Figure, Job, Results


class Table(NamedTuple):
    """A heading, a row of column names, the rows below it, and what must be said of them.

    A cell between two asterisks is bold. The first column is text, the others are numbers.
    """

    title: str
    header: list[str]
    body: list[list[str]]
    note: str


def tables(results: Results) -> dict[str, Table]:
    """Return all that the run has rows for, by a short name each."""
    found = {"data": sizes(results)}
    if any((*job, spec) in RESULTS for job in results.jobs for spec in results.methods(job)):
        found["paper"] = beside_the_paper(results)
    return found | {"quality": quality(results), "cost": cost(results), "undecided": undecided(results)}


def sizes(results: Results) -> Table:
    """Return Table 1: the data after the preparation, and whether the paper has the same numbers."""
    body = []
    for job in results.jobs:
        found = tuple(next(row["sizes"] for row in results.rows if (row["data"], row["n"]) == job))
        printed = SIZES.get(job)
        same = (
            "" if printed is None else "the same" if printed == found else f"{printed[0]:,} x {printed[1]:,}"
        )
        body.append([title_of(job), *(f"{size:,}" for size in found), same])
    note = "Users with fewer than N + 10 ratings are dropped; N random ratings of each user train."
    header = ["", "users", "items", "ratings", "the paper's Table 1"]
    if not any(row[-1] for row in body):
        header, body = header[:-1], [row[:-1] for row in body]
    return Table("Data", header, body, note)


def beside_the_paper(results: Results) -> Table:
    """Return Table 2: our figures and the paper's, for the paper's methods."""
    body = []
    for job in results.jobs:
        for spec in METHODS:
            figure, printed = results.figure(job, spec), RESULTS.get((*job, spec))
            if figure is not None:
                theirs = ["", ""] if printed is None else [f"{printed.ndcg:.4f}", f"{printed.seconds:.1f}"]
                name = f"{title_of(job)}, {METHODS[spec]} (`{spec}`)"
                body.append([name, shown(figure), theirs[0], f"{figure.seconds:.2f}", theirs[1]])
    header = ["", "NDCG@10", "the paper", "seconds", "the paper, seconds"]
    note = "The paper's settings as docs/method.md reads them; its times are of other machines and programs."
    return Table("The paper's methods", header, body, note)


def quality(results: Results) -> Table:
    """Return NDCG@10 of every method; bold where it is better than each other one."""
    jobs = results.jobs
    best = {job: results.best(job) for job in jobs}
    body = []
    for spec in results.ranked():
        cells = []
        for job in jobs:
            figure = results.figure(job, spec)
            text = "" if figure is None else shown(figure)
            cells.append(f"**{text}**" if figure is not None and best[job] == spec else text)
        if any(cells):
            body.append([f"`{spec}`", *cells])
    note = (
        "Mean ± standard error over the splits. Bold: better than every other method, each difference "
        "holding at the 5 % level (Wilcoxon's signed ranks over users, Holm's correction)."
    )
    return Table("NDCG@10", ["", *(title_of(job) for job in jobs)], body, note)


def cost(results: Results) -> Table:
    """Return seconds and memory of every method."""
    body = []
    for spec in results.ranked():
        figures = [results.figure(job, spec) for job in results.jobs]
        if any(figures):
            body.append(
                [
                    f"`{spec}`",
                    *("" if one is None else f"{one.seconds:.2f} s, {one.peak_mb:.0f} MB" for one in figures),
                ]
            )
    note = (
        "Fit and scores of the test ratings, kernels compiled before; the most memory that the process held "
        "meanwhile, what earlier methods left included. Medians over the splits."
    )
    return Table("What it costs", ["", *(title_of(job) for job in results.jobs)], body, note)


def undecided(results: Results) -> Table:
    """Return, for each method, those that it cannot be told from."""
    body = []
    for spec in results.ranked():
        cells = []
        for job in results.jobs:
            near = [
                one.second if one.first == spec else one.first
                for one in results.comparisons[job]
                if spec in (one.first, one.second) and not one.holds
            ]
            cells.append(", ".join(near))
        if any(cells):
            body.append([f"`{spec}`", *cells])
    note = "Methods whose difference over users does not hold at the 5 % level after Holm's correction."
    return Table("Not told apart", ["", *(title_of(job) for job in results.jobs)], body, note)


def shown(figure: Figure) -> str:
    """Write a mean with its error."""
    return f"{figure.mean:.4f}" if np.isnan(figure.error) else f"{figure.mean:.4f} ± {figure.error:.4f}"


def title_of(job: Job) -> str:
    """Name data and N; made data is marked as such."""
    data, n = job
    made = (
        " ratings" if data == "synthetic" else " (synthetic ratings)" if data.startswith("synthetic") else ""
    )
    return f"{data}{made}, N = {n}"
