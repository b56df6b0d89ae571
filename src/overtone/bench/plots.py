"""Growth as a picture: time and memory over each axis, on logarithmic scales."""

from importlib import import_module
from pathlib import Path
from typing import Any

from overtone.errors import OvertoneError
from overtone.files import replacing

LABELS = {
    "users": "users",
    "items": "items",
    "ratings": "training ratings of a user",
    "neighbors": "neighbours (K)",
    "threads": "threads",
}
LINES = {"total": ("o-", "#0072B2"), "solve": ("s--", "#D55E00"), "graph": ("^:", "#009E73")}
"""Marks, lines and colours that differ in each of the three."""


def require_plots() -> None:
    """Say what is missing where pictures cannot be drawn."""
    try:
        import_module("matplotlib.figure")
    except ImportError as error:
        raise OvertoneError("drawing needs matplotlib; install overtone[plot]") from error


def draw_growth(growth: dict[str, Any], path: Path) -> None:
    """Draw time above and memory below, one column an axis."""
    require_plots()
    from matplotlib import rc_context  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import NullFormatter  # noqa: PLC0415

    axes = list(growth["exponents"])
    figure = Figure(figsize=(2.7 * len(axes), 5.4), layout="constrained")
    grid = figure.subplots(2, len(axes), sharey="row")
    for column, axis in enumerate(axes):
        rows = [row for row in growth["points"] if row["axis"] == axis]
        where = [row[axis] for row in rows]
        slopes = growth["exponents"][axis]
        time, memory = grid[0][column], grid[1][column]
        for name, (style, color) in LINES.items():
            label = f"{name}, exponent {slopes[name]:.2f}"
            time.plot(where, [row[name] for row in rows], style, color=color, label=label)
        label = f"exponent {slopes['peak_mb']:.2f}"
        memory.plot(where, [row["peak_mb"] for row in rows], "D-", color="#CC79A7", label=label)
        for plot in (time, memory):
            plot.set(xscale="log", yscale="log", xticks=where, xticklabels=[f"{value:,}" for value in where])
            plot.xaxis.set_minor_formatter(NullFormatter())
            plot.tick_params(axis="x", labelrotation=45)
            plot.grid(visible=True, alpha=0.3)
            plot.legend(fontsize=7)
        memory.set_xlabel(LABELS[axis])
    grid[0][0].set_ylabel("seconds")
    grid[1][0].set_ylabel("peak memory, MB")
    figure.suptitle(f"How {growth['ranker']} grows (synthetic ratings, two cores)", fontsize=10)
    # Text stays text, and the same run gives the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "overtone"}), replacing(path) as part:
        about = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(part, format=path.suffix[1:], metadata=about)
