"""Nearest neighbours, of users or of items: what most people try first."""

from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from overtone.errors import require_choice, require_real
from overtone.kernels import transpose
from overtone.models.knn import KNNModel, surplus_of, wiring_of
from overtone.models.offsets import Offsets
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class KNN:
    """Add to the offsets the mean surplus of the nearest `nodes`, users or items, weighted by likeness.

    Likeness is the cosine of surpluses over what both have, its denominator enlarged by `damping`; the
    mean's denominator is enlarged by `shrink`. Only positive likeness counts.
    """

    nodes: str = "items"
    neighbors: int = 128
    damping: float = 50.0
    shrink: float = 1.0
    item_damping: float = 10.0
    user_damping: float = 10.0
    name: ClassVar[str] = "item-knn"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_choice("nodes", self.nodes, ("users", "items"))
        wiring_of(asdict(self))
        for name in ("shrink", "item_damping", "user_damping"):
            require_real(name, getattr(self, name), 0.0)

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> KNNModel:
        """Take the offsets off, then find everybody's neighbours."""
        mean = float(require_ratings(ratings).by_user.data.mean())
        offsets = Offsets.fit(
            ratings, mean=mean, user_damping=self.user_damping, item_damping=self.item_damping
        )
        points, columns = surplus_of(ratings, offsets), ratings.n_items
        if self.nodes == "items":
            points, columns = transpose(points, columns), ratings.n_users
        progress("neighbours", 0, 1)
        _, weights = wiring_of(asdict(self)).connect(points, columns, threads)
        progress("neighbours", 1, 1)
        name = "user-knn" if self.nodes == "users" else self.name
        return KNNModel(
            **common(self, ratings, name),
            offsets=offsets,
            weights=weights._replace(data=np.ascontiguousarray(weights.data)),
        )
