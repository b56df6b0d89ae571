"""A stored speed run as Markdown: stages, rates against limits and rivals, growth."""

from typing import Any

from overtone.bench.stages import STAGES
from overtone.bench.tables import markdown

GIGA = 1e9
TOLD = ("first", "median", "p95")


def speed_table(run: dict[str, Any]) -> str:
    """Return all tables of a run, and how to read them."""
    parts = [_stages(run), _peaks(run), _work(run), _limits(run)]
    if any(row.get("answers") for row in run["stages"]):
        parts.append(_answers(run))
    if run["peers"]:
        parts.append(_peers(run))
    if run["growth"]:
        parts.append(_growth(run["growth"]))
    return "\n\n".join([*parts, f"Made by `{run['command']}` on {run['machine']}; {_versions(run)}."])


def _versions(run: dict[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in run["versions"].items())


def _name(row: dict[str, Any]) -> str:
    return f"{row['data']}, N = {row['n']}, `{row['ranker']}`"


def _stages(run: dict[str, Any]) -> str:
    body = [
        [
            _name(row),
            *(f"{row['seconds'][stage]:.3f}" for stage in STAGES),
        ]
        for row in run["stages"]
    ]
    note = (
        "Seconds, warm, medians. read: a CSV file of the training ratings; baseline: offsets; graph:"
        " neighbours and weights; system: walk, stationary weights, slow directions; solve: every column,"
        " nothing kept; rank: everybody's top 100 streamed to Parquet, which solves everything once more."
    )
    return f"{markdown(['', *STAGES], body)}\n\n{note}"


def _peaks(run: dict[str, Any]) -> str:
    body = [[_name(row), *(f"{row['peak_mb'][stage]:.0f}" for stage in STAGES)] for row in run["stages"]]
    note = "Peak memory of the process in each stage, MB, what earlier stages left included."
    return f"{markdown(['', *STAGES], body)}\n\n{note}"


def _answers(run: dict[str, Any]) -> str:
    rows = [row for row in run["stages"] if row.get("answers")]
    body = [
        [
            _name(row),
            f"{row['answers']['load_ms']:.1f}",
            *(f"{row['answers'][who][what]:.2f}" for who in ("known_ms", "new_ms") for what in TOLD),
        ]
        for row in rows
    ]
    header = ["", "load", *(f"{who}, {what}" for who in ("known user", "new person") for what in TOLD)]
    note = (
        "Milliseconds: a model loaded from its file, then the top 10 of 200 known users, and of 200 people"
        " who bring a user's ratings and are not in it."
    )
    return f"{markdown(header, body)}\n\n{note}"


def _work(run: dict[str, Any]) -> str:
    body = []
    for row in run["stages"]:
        work = row["work"]
        body.append(
            [
                _name(row),
                f"{work['columns']:,}",
                f"{work['edges']:,}",
                f"{work['sweeps']:.2f}",
                str(work["modes"]),
                f"{work['multiply_adds'] * 1e-9:.1f}",
                f"{work['multiply_adds'] / row['seconds']['solve'] / GIGA:.1f}",
                f"{work['residual_of_greatest_label']:.0e}",
                f"{work['residual_of_right_side']:.0e}",
                str(work["unconverged"]),
            ]
        )
    header = ["", "columns", "edges", "sweeps", "slow directions", "10^9 multiply-adds", "10^9 a second"]
    header += ["residual / greatest label", "residual / right side", "unconverged"]
    note = (
        "Sweeps: mean over columns. Residuals: the greatest over the columns checked, in double precision;"
        " of the greatest label in the maximum norm, of the right-hand side in the 2-norm."
    )
    return f"{markdown(header, body)}\n\n{note}"


def _limits(run: dict[str, Any]) -> str:
    body = []
    for row in run["stages"]:
        rates, each = row["rates"], row["one_by_one"]
        solve = row["work"]["multiply_adds"] / row["seconds"]["solve"]
        body.append(
            [
                _name(row),
                f"{rates['first_cache'] / GIGA:.1f}",
                f"{rates['bare'] / GIGA:.1f}",
                f"{rates['bare'] * 4 / GIGA:.0f} GB/s",
                f"{rates['sweep_over_bare']:.2f}",
                f"{solve / rates['bare']:.2f}",
                f"{rates['sweep_one_over_scipy']:.1f}",
                f"{rates['sweep_over_scipy']:.1f}",
                f"{each['seconds_all']:.1f} s",
                f"{each['seconds_all'] / row['seconds']['solve']:.0f}",
                f"{each['failed']} of {each['sample']}",
            ]
        )
    header = [
        "",
        "first cache",
        "bare",
        "that reads",
        "sweep / bare",
        "solve / bare",
        "one thread's sweep / SciPy",
    ]
    header += ["sweep / SciPy", "BiCGSTAB, all", "BiCGSTAB / solve", "BiCGSTAB failed"]
    note = (
        "10^9 multiply-adds a second. bare: a loop that only gathers rows of the block, multiplies and adds,"
        " on as many threads; first cache: the same with all rows in the first cache, which leaves"
        " arithmetic; sweep: one Gauss-Seidel sweep with labels and bookkeeping; solve: everything; SciPy:"
        " `csr @ dense` in float32, which has one thread; BiCGSTAB: SciPy's, float64, one thread, item by"
        " item, to 1e-4 of the right-hand side, from a sample."
    )
    return f"{markdown(header, body)}\n\n{note}"


def _peers(run: dict[str, Any]) -> str:
    body = []
    for row in run["peers"]:
        cells = [f"{row['data']}, N = {row['n']}, {row['peer']}"]
        if "absent" in row:
            body.append([*cells, "absent", "", "", "", row["absent"]])
            continue
        whole = _whole(run, row["data"], row["n"])
        settings = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
        times = [f"{row['fit']:.3f} s", f"{row['fit'] + row['score_all']:.3f} s"]
        ratios = [f"{row['fit'] / whole:.2f}", f"{(row['fit'] + row['score_all']) / whole:.2f}"]
        body.append([*cells, *times, *ratios, settings])
    header = ["", "fit", "fit + every score", "fit / LDM", "(fit + every score) / LDM", "settings"]
    note = "LDM: baseline, graph, system and solve of the first LDM above on that data; it scores every pair."
    return f"{markdown(header, body)}\n\n{note}"


def _whole(run: dict[str, Any], data: str, n: int) -> float:
    row = next(row for row in run["stages"] if (row["data"], row["n"]) == (data, n))
    return sum(float(row["seconds"][stage]) for stage in STAGES if stage not in ("read", "rank"))


def _growth(growth: dict[str, Any]) -> str:
    measures = list(next(iter(growth["exponents"].values())))
    body = [
        [axis, *(f"{slopes[measure]:.2f}" for measure in measures)]
        for axis, slopes in growth["exponents"].items()
    ]
    base = ", ".join(f"{value:,} {axis}" for axis, value in growth["base"].items())
    note = (
        f"Exponents of growth, from synthetic ratings about {base} (ratings: a user's), one changed at a"
        f" time; `{growth['ranker']}`; total: baseline, graph, system and solve."
    )
    return f"{markdown(['', *measures], body)}\n\n{note}"
