"""What a score is the sum of, as rows of one kind of table."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from overtone.kernels import Floats, Ints
from overtone.ratings import Ratings


class Carriers(NamedTuple):
    """Ratings that carry a score: by whom, of what, how high, with what weight, on what value."""

    users: Ints
    items: Ints
    ratings: Floats
    weights: Floats
    values: Floats

    @classmethod
    def none(cls) -> "Carriers":
        """No rating carries it."""
        return cls(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0))


def explanation(ratings: Ratings, baseline: Mapping[str, float], carriers: Carriers) -> pl.DataFrame:
    """Return columns source, user, item, rating, weight, contribution; the last sums to the score.

    First the parts that are nobody's single rating, then the ratings, the heaviest first.
    """
    order = np.lexsort((carriers.items, carriers.users, -np.abs(carriers.weights)))
    order = order[carriers.weights[order] != 0.0]
    users, items, given, weights, values = (np.asarray(part)[order] for part in carriers)
    first = len(baseline)
    return pl.DataFrame(
        {
            "source": [*baseline, *["rating"] * len(order)],
            "user": _after(first, ratings.users.take(users.astype(np.int32))),
            "item": _after(first, ratings.items.take(items.astype(np.int32))),
            "rating": _after(first, given),
            "weight": _after(first, weights),
            "contribution": [*(float(part) for part in baseline.values()), *(weights * values).tolist()],
        },
        schema_overrides={"source": pl.String, "contribution": pl.Float64},
    )


def _after(missing: int, values: Any) -> pl.Series:
    column = pl.Series(values)
    return pl.concat([pl.Series([None] * missing, dtype=column.dtype), column])
