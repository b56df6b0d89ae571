"""Bayesian factorisation with implicit features on both sides, by Gibbs sampling."""

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from overtone.errors import SettingError, require_count, require_real
from overtone.factors.gaussian import Draw, Gaussian, combined_scores
from overtone.factors.gibbs import Tables, chain
from overtone.kernels import Floats, transpose
from overtone.models.bayesian import BayesianModel, Standard
from overtone.parallel import Progress, in_order, quiet, spans
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings

DRAWS = 100
"""Draws of a chain that are kept, evenly spaced after its burn-in."""

MEMORY = 2**28
"""Bytes that a chain's draws may take; where the items are many, fewer draws are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bayesian:
    """Sample factors whose features are also which items a user rated, and which users rated an item.

    `chains` chains of `sweeps` sweeps, after `burn` of which draws are kept, `noise` being the precision
    of a rating's noise in units of the ratings' variance. All draws together are kept as one normal
    distribution of `width` dimensions.
    """

    rank: int = 20
    sweeps: int = 250
    burn: int = 50
    chains: int = 2
    width: int = 33
    noise: float = 1.6
    seed: int = 0
    name: ClassVar[str] = "bayesian"

    def __post_init__(self) -> None:
        """Check the bounds."""
        for name in ("rank", "sweeps", "chains", "width"):
            require_count(name, getattr(self, name), 1)
        if require_count("burn", self.burn, 0) >= self.sweeps:
            raise SettingError(f"burn must be below sweeps ({self.sweeps}), not {self.burn}")
        require_real("noise", self.noise, 0.0, open_below=True)
        require_count("seed", self.seed, 0)

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> BayesianModel:
        """Run the chains side by side, then put their draws together in their order."""
        standard = Standard.of(require_ratings(ratings).by_user.data)
        by_user = standard.put(ratings.by_user)
        # One item more than there are: it has no ratings, and is what is expected of an unknown one.
        tables = Tables(by_user, transpose(by_user, ratings.n_items + 1))

        def work(block: slice) -> tuple[list[Draw], Floats]:
            return self._run(tables, block.start, progress)

        found = list(in_order(work, spans(self.chains, 1), threads))
        draws = [draw for kept, _ in found for draw in kept]
        gaussian = Gaussian.of(draws, np.hstack([rows for _, rows in found]), self.width)
        return BayesianModel.of(common(self, ratings), gaussian, standard, threads)

    def _run(self, tables: Tables, number: int, progress: Progress) -> tuple[list[Draw], Floats]:
        """Run one chain; return its draws, and the sum of random combinations of its users' scores."""
        rng = np.random.default_rng([self.seed, number])
        users, items = (len(table.indptr) - 1 for table in tables)
        combinations = rng.standard_normal((users, 2 * self.width))
        combinations -= combinations.mean(axis=0)
        every = self._every(items)
        kept: list[Draw] = []
        rows = np.zeros((items, 2 * self.width))
        sampled = chain(tables, self.rank, self.noise, rng)
        for sweep, sides in enumerate(islice(sampled, self.sweeps)):
            progress(f"chain {number + 1}", sweep + 1, self.sweeps)
            if sweep >= self.burn and (self.sweeps - 1 - sweep) % every == 0:
                kept.append(Draw.of(*sides))
                rows += combined_scores(kept[-1], sides[0], combinations)
        return kept, rows

    def _every(self, items: int) -> int:
        """Return how many sweeps lie between two draws that are kept."""
        bytes_each = 8 * items * (self.rank + 1)
        most = min(DRAWS, max(MEMORY // bytes_each, 10))
        return max(-(-(self.sweeps - self.burn) // most), 1)
