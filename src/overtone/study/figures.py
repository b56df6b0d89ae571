"""Figure 1, quality over K and D of the kd-tree, and Figure 2, quality against time."""

from pathlib import Path
from typing import Any

from overtone.bench.plots import require_plots
from overtone.files import replacing
from overtone.study.results import Job, Results
from overtone.study.tables import title_of

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F", "#5D3A9B")
MARKS = "os^Dv<>PX"
"""Told apart by shape too, for those who see colours otherwise, and in print."""


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw what the run has rows for, each as SVG and PNG; return the SVGs."""
    require_plots()
    drawn = []
    for name, specs, panel in (
        ("neighbours", results.plan["curve"], _neighbours),
        ("time", results.plan["cloud"], _time),
    ):
        jobs = [job for job in results.jobs if any(results.of_case(job, spec) for spec in specs)]
        if specs and jobs:
            drawn.append(_save(_panels(results, jobs, specs, panel), folder / f"{name}.svg"))
    return drawn


def _panels(results: Results, jobs: list[Job], specs: list[str], panel: Any) -> Any:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    columns = min(len(jobs), 3)
    lines = -(-len(jobs) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.6 * lines), layout="constrained")
    for place, job in enumerate(jobs):
        plot = figure.add_subplot(lines, columns, place + 1)
        panel(plot, results, job, specs)
        plot.set_title(title_of(job), fontsize=10)
        plot.set_ylabel("NDCG@10")
        plot.grid(visible=True, alpha=0.3)
        plot.legend(fontsize=7)
    return figure


def _neighbours(plot: Any, results: Results, job: Job, specs: list[str]) -> None:
    """Draw one line for each bound D over the number of neighbours K."""
    points: dict[int, list[tuple[int, float]]] = {}
    for spec in specs:
        settings = dict(pair.split("=") for pair in spec.partition(":")[2].split(","))
        if found := results.of_case(job, spec):
            points.setdefault(int(settings["comparisons"]), []).append(
                (int(settings["neighbors"]), found[0]["ndcg"])
            )
    for place, (bound, line) in enumerate(sorted(points.items())):
        style = {"color": COLORS[place % 9], "marker": MARKS[place % 9], "markersize": 4}
        plot.plot(*zip(*sorted(line), strict=True), label=f"D = {bound}", **style)
    plot.set(xscale="log", xlabel="neighbours K")
    ticks = sorted({k for line in points.values() for k, _ in line})
    plot.set_xticks(ticks, [str(k) for k in ticks])
    plot.minorticks_off()


def _time(plot: Any, results: Results, job: Job, specs: list[str]) -> None:
    """Draw each method's settings, and the front of those that none is both better and faster than."""
    points: dict[str, list[tuple[float, float]]] = {}
    for spec in specs:
        for row in results.of_case(job, spec)[:1]:
            points.setdefault(spec.partition(":")[0], []).append((sum(row["seconds"].values()), row["ndcg"]))
    for place, (name, cloud) in enumerate(points.items()):
        style = {"color": COLORS[place % 9], "marker": MARKS[place % 9], "s": 22}
        plot.scatter(*zip(*cloud, strict=True), label=name, zorder=3, **style)
    best = front([point for cloud in points.values() for point in cloud])
    plot.plot(*zip(*best, strict=True), color="#444444", linewidth=1, linestyle="--", label="Pareto front")
    plot.set(xscale="log", xlabel="seconds, fit and scores of the test ratings")
    plot.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")


def front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other is faster and at least as good as, the fastest first."""
    found: list[tuple[float, float]] = []
    for seconds, quality in sorted(points, key=lambda point: (point[0], -point[1])):
        if not found or quality > found[-1][1]:
            found.append((seconds, quality))
    return found


def _save(figure: Any, path: Path) -> Path:
    from matplotlib import rc_context  # noqa: PLC0415 - an extra

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "overtone"}), replacing(path) as part:
        figure.savefig(part, format="svg", metadata={"Date": None})
    with replacing(path.with_suffix(".png")) as part:
        figure.savefig(part, format="png", dpi=160)
    return path
