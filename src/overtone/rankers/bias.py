"""The bar that any personal ranker has to pass: mean, user and item offsets, damped."""

from dataclasses import dataclass
from typing import ClassVar

from overtone.errors import require_real
from overtone.models.offsets import Offsets, OffsetsModel
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """Expect `mean + user + item`; a damping counts as so many ratings that say nothing."""

    item_damping: float = 10.0
    user_damping: float = 10.0
    name: ClassVar[str] = "bias"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_real("item_damping", self.item_damping, 0.0)
        require_real("user_damping", self.user_damping, 0.0)

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> OffsetsModel:
        """Fit the offsets."""
        mean = float(require_ratings(ratings).by_user.data.mean())
        offsets = Offsets.fit(
            ratings, mean=mean, user_damping=self.user_damping, item_damping=self.item_damping
        )
        return OffsetsModel(**common(self, ratings), offsets=offsets)
