"""Somebody who was not there at training time: a row of ratings over the items of a model."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.errors import SettingError, require_real
from overtone.ids import Id, Ids
from overtone.kernels import Csr, Floats
from overtone.ratings.columns import LARGEST


class Person(NamedTuple):
    """One sparse row: the items rated, ascending, and their ratings."""

    row: Csr

    @classmethod
    def of(cls, ratings: Mapping[Id, float], items: Ids, *, lenient: bool) -> tuple["Person", bool]:
        """Take ratings by item id; say whether any was left out because its item is unknown."""
        if not isinstance(ratings, Mapping):
            raise SettingError(f"ratings must map item ids to numbers, not be a {type(ratings).__name__}")
        known = {item: rating for item, rating in ratings.items() if not lenient or item in items}
        rows = items.rows_of(known)
        values = np.array([_rating(item, value) for item, value in known.items()])
        order = np.argsort(rows)
        indptr = np.array([0, len(rows)], np.int64)
        return cls(Csr(indptr, rows[order], values[order])), len(known) < len(ratings) or not known

    @property
    def items(self) -> NDArray[np.int32]:
        """The item rows rated."""
        return self.row.indices

    @property
    def values(self) -> Floats:
        """The ratings of those items."""
        return self.row.data


def _rating(item: Id, value: float) -> float:
    """Return a rating within the bounds of those in a table."""
    number = require_real(f"the rating of {item!r}", value, -np.inf)
    if abs(number) > LARGEST:
        raise SettingError(f"the rating of {item!r} must be within {LARGEST:g} of 0, not {number:g}")
    return number
