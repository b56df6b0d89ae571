"""Bayesian factorisation with implicit features on both sides, by Gibbs sampling."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from overtone.errors import SettingError, require_count, require_real
from overtone.factors.gaussian import Draw, Gaussian, combined_scores
from overtone.factors.gibbs import Side, Tables, chain
from overtone.kernels import Floats, transpose
from overtone.models.bayesian import BayesianModel, Standard
from overtone.parallel import Progress, in_order, quiet, spans
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings

DRAWS = 100
"""Draws of a chain that are kept, evenly spaced after its burn-in."""

STEP = 10
"""Sweeps that are made between two reports of progress."""

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
        for name, most in (("rank", 1_000), ("sweeps", 10**6), ("chains", 1_000), ("width", 1_000)):
            require_count(name, getattr(self, name), 1, most)
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

        every = self._every(ratings.n_items + 1)
        chains = [Sampler.of(tables, self, number) for number in range(self.chains)]
        # A few sweeps at a time, so that whoever stops a fit is not kept waiting.
        for block in spans(self.sweeps, STEP):

            def work(which: slice, block: slice = block) -> None:
                chains[which.start].advance(range(block.start, block.stop), self.burn, every)

            for _ in in_order(work, spans(self.chains, 1), threads):
                pass
            progress("sweeps", block.stop, self.sweeps)
        draws = [draw for one in chains for draw in one.kept]
        gaussian = Gaussian.of(draws, np.hstack([one.rows for one in chains]), self.width)
        return BayesianModel.of(common(self, ratings), gaussian, standard, threads)

    def _every(self, items: int) -> int:
        """Return how many sweeps lie between two draws that are kept."""
        bytes_each = 8 * items * (self.rank + 1)
        most = min(DRAWS, max(MEMORY // bytes_each, 10))
        return max(-(-(self.sweeps - self.burn) // most), 1)


@dataclass(frozen=True, slots=True)
class Sampler:
    """A chain, the draws kept of it, and the sum of random combinations of its users' scores."""

    sampled: Iterator[tuple[Side, Side]]
    combinations: Floats
    kept: list[Draw]
    rows: Floats
    last: int

    @classmethod
    def of(cls, tables: Tables, settings: Bayesian, number: int) -> Self:
        """Start a chain of its own seed."""
        rng = np.random.default_rng([settings.seed, number])
        users, items = (len(table.indptr) - 1 for table in tables)
        combinations = rng.standard_normal((users, 2 * settings.width))
        combinations -= combinations.mean(axis=0)
        sampled = chain(tables, settings.rank, settings.noise, rng)
        return cls(sampled, combinations, [], np.zeros((items, 2 * settings.width)), settings.sweeps - 1)

    def advance(self, sweeps: range, burn: int, every: int) -> None:
        """Make these sweeps, and keep every so-manieth draw after the burn-in, the last one always."""
        for sweep, (users, items) in zip(sweeps, self.sampled, strict=False):
            if sweep >= burn and (self.last - sweep) % every == 0:
                self.kept.append(Draw.of(users, items))
                self.rows[:] += combined_scores(self.kept[-1], users, self.combinations)
