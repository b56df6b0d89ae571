"""Measurements that are kept: what was run, on what, and what came out."""

from overtone.bench.cost import measure_cost
from overtone.bench.quality import measure_quality
from overtone.bench.tables import cost_table, quality_table

__all__ = ["cost_table", "measure_cost", "measure_quality", "quality_table"]
