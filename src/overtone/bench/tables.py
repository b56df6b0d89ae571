"""Stored measurements as Markdown."""

from collections.abc import Iterable
from typing import Any

import numpy as np

SEVERAL = 2


def quality_table(run: dict[str, Any]) -> str:
    """Return NDCG@10 by ranker and N: mean over seeds, and its standard error."""
    rows = run["rows"]
    columns = list(dict.fromkeys((row["data"], row["n"]) for row in rows))
    body = []
    for ranker in dict.fromkeys(row["ranker"] for row in rows):
        cells = [
            _mean_and_error(
                [row["ndcg"] for row in rows if (row["data"], row["n"], row["ranker"]) == (*column, ranker)]
            )
            for column in columns
        ]
        body.append([f"`{ranker}`", *cells])
    seeds = sorted({row["seed"] for row in rows})
    splits = f"{len(seeds)} splits (seeds {seeds[0]}-{seeds[-1]})"
    notes = f"{rows[0]['definition']}; mean ± standard error over {splits}."
    return markdown(["", *(f"{data}, N = {n}" for data, n in columns)], body) + f"\n\n{notes}"


def cost_table(run: dict[str, Any]) -> str:
    """Return seconds and memory by ranker and N."""
    body = [
        [
            f"`{row['ranker']}`",
            row["data"],
            str(row["n"]),
            f"{row['warm_seconds']:.2f} s",
            f"{row['peak_mb']:.0f} MB",
        ]
        for row in run["rows"]
    ]
    table = markdown(["", "data", "N", "fit, warm (median of 5)", "peak memory of the process"], body)
    starts = ", ".join(f"`{name}` {seconds:.2f} s" for name, seconds in run["starts"].items())
    return f"{table}\n\nStart: {starts}. Machine: {run['machine']}."


def _mean_and_error(values: list[float]) -> str:
    mean = f"{np.mean(values):.4f}"
    return f"{mean} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}" if len(values) >= SEVERAL else mean


def markdown(header: list[str], body: Iterable[list[str]]) -> str:
    """Return a table, all columns but the first to the right."""
    rule = ["---" if k == 0 else "--:" for k in range(len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *body])
