"""Biased matrix factorisation: mean, biases and products of factors."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.factors.als import Ridge, Side, solve_rows
from overtone.kernels import Csr, Floats
from overtone.models.factors import FactorsModel, explain_sum, regression_weights
from overtone.models.person import Person
from overtone.ratings import Ratings


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BiasedMFModel(FactorsModel):
    """Scores are `mean + b_u + b_i + p_u . q_i`; the mean counts to the users' heights."""

    kind = "biased-mf"

    @classmethod
    def of(cls, common: dict[str, Any], mean: float, users: Side, items: Side) -> Self:
        """Add a row of nothing for those not seen."""
        tastes, traits = (
            np.vstack([side.rows, np.zeros((1, side.rows.shape[1]))]) for side in (users, items)
        )
        return cls(
            **common,
            tastes=np.ascontiguousarray(tastes[:, 1:], np.float32),
            traits=np.ascontiguousarray(traits[:, 1:], np.float32),
            heights=mean + tastes[:, 0],
            levels=traits[:, 0],
        )

    def fold(self, person: Person) -> tuple[Floats, float]:
        """Solve the newcomer's own regression."""
        mean = float(self.heights[-1])
        table = person.row._replace(data=person.values - mean)
        items = Side(np.column_stack([self.levels, self.traits.astype(np.float64)]))
        new = Side(np.zeros((1, items.rows.shape[1])))
        solve_rows(table, new, items, ridge_of(self.settings), (0, 1))
        return new.rows[0, 1:].astype(np.float32), mean + float(new.rows[0, 0])

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return mean and item offset, and what each rating counts in the user's regression.

        The items moved once more after the user did: the rest is what that changed.
        """
        mean, features = float(self.heights[-1]), self._features()
        table, ridge = self.ratings.by_user, ridge_of(self.settings)
        rated = slice(table.indptr[user], table.indptr[user + 1])
        items = table.indices[rated]
        penalty = np.diag([ridge.bias, *[ridge.factors] * (features.shape[1] - 1)])
        weights = regression_weights(features[items], features[item], penalty)
        score = float(self.score_rows(np.array([user]), np.array([item]))[0])
        baseline = {"mean rating": mean, "this item's offset": float(self.levels[item])}
        left = table.data[rated] - mean - self.levels[items]
        return explain_sum(self.ratings, user, baseline, score, (weights, left))

    def _features(self) -> NDArray[np.float64]:
        """Return what a user's regression has for each item: 1 for the bias, then the factors."""
        return np.column_stack([np.ones(len(self.traits)), self.traits.astype(np.float64)])


def ridge_of(settings: Any) -> Ridge:
    """Return the costs by the names of the settings."""
    return Ridge(float(settings["bias_l2"]), float(settings["l2"]))


def residual_tables(ratings: Ratings, mean: float) -> tuple[Csr, Csr]:
    """Return `rating - mean` with a row for each user, and with a row for each item."""
    by_user, by_item = ratings.by_user, ratings.by_item()
    return by_user._replace(data=by_user.data - mean), by_item._replace(data=by_item.data - mean)
