"""Any ranker with settings chosen inside the data that it is fitted on."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from overtone.errors import require_choice, require_count
from overtone.models.base import Model
from overtone.parallel import Progress, quiet
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """Tune `ranker` over its own grid by splits inside the ratings, then fit it on all of them.

    The model carries the settings that were chosen: the ranker's own where nobody has two ratings, so
    that nothing can be held out.
    """

    ranker: str = "altsvm"
    splits: int = 2
    seed: int = 0
    name: ClassVar[str] = "tuned"

    def __post_init__(self) -> None:
        """Check the bounds."""
        from overtone.rankers.presets import PRESETS  # noqa: PLC0415 - it has this ranker too

        tunable = tuple(name for name, preset in PRESETS.items() if preset.grid)
        require_choice("ranker", self.ranker, tunable)
        require_count("splits", self.splits, 1)
        require_count("seed", self.seed, 0)

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> Model:
        """Tune, then fit."""
        from overtone.rankers.presets import PRESETS  # noqa: PLC0415
        from overtone.rankers.registry import make_ranker  # noqa: PLC0415
        from overtone.rankers.tuning import tune  # noqa: PLC0415

        seed = {"seed": self.seed} if "seed" in PRESETS[self.ranker].defaults() else {}
        chosen = make_ranker(self.ranker, seed)
        if np.diff(require_ratings(ratings).by_user.indptr).max() > 1:
            found = tune(
                self.ranker, ratings, splits=self.splits, seed=self.seed, threads=threads, progress=progress
            )
            chosen = make_ranker(self.ranker, found.settings | seed)
        model = chosen.fit(ratings, threads=threads, progress=progress)
        return replace(model, ranker=f"{self.ranker}-tuned")
