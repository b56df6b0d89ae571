"""The floor: a list by chance."""

from dataclasses import dataclass
from typing import ClassVar

from overtone.errors import require_count
from overtone.models.chance import ChanceModel
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Random:
    """Rank by a uniform number for each user and item."""

    seed: int = 0
    name: ClassVar[str] = "random"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("seed", self.seed, 0)

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> ChanceModel:
        """Keep the seed."""
        return ChanceModel(**common(self, require_ratings(ratings)), seed=self.seed)
