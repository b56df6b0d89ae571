"""The nearest others of one row, as a table."""

import numpy as np
import polars as pl

from overtone.errors import require_count
from overtone.graph.exact import ExactSearch
from overtone.graph.weights import agreement
from overtone.ids import Ids
from overtone.kernels import Csr


def nearest_table(points: Csr, ids: Ids, columns: Ids, row: int, n: int) -> pl.DataFrame:
    """Rank the other rows by the cosine of the binary rows; beside it the cosine over what both have."""
    require_count("n", n, 1)
    span = slice(points.indptr[row], points.indptr[row + 1])
    query = Csr(np.array([0, span.stop - span.start]), points.indices[span], points.data[span])
    found = ExactSearch.build(points, len(columns)).nearest(query, min(n + 1, len(ids)))
    agrees = agreement(query, points, found)
    other = np.flatnonzero((found.rows[0] >= 0) & (found.rows[0] != row))[:n]
    return pl.DataFrame(
        {
            "rank": np.arange(1, len(other) + 1),
            ids.noun: ids.take(found.rows[0][other]),
            "overlap": found.overlap[0][other],
            "agreement": agrees.cosine[0][other],
            "shared": agrees.shared[0][other],
        }
    )
