"""Measurements that are kept: what was run, on what, and what came out."""

from overtone.bench.cost import measure_cost
from overtone.bench.plots import draw_growth, require_plots
from overtone.bench.quality import measure_quality
from overtone.bench.speed import Plan, measure_speed
from overtone.bench.speed_tables import speed_table
from overtone.bench.tables import cost_table, quality_table

TABLES = {"quality": quality_table, "cost": cost_table, "speed": speed_table}
"""How a stored run of each kind is shown."""

__all__ = [
    "TABLES",
    "Plan",
    "cost_table",
    "draw_growth",
    "measure_cost",
    "measure_quality",
    "measure_speed",
    "quality_table",
    "require_plots",
    "speed_table",
]
