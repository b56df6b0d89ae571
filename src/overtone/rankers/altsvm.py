"""AltSVM (Park et al., Preference Completion, ICML 2015)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from overtone.errors import SettingError, require_count, require_flag, require_real
from overtone.factors.altsvm import Problem, objective, rounds
from overtone.factors.pairs import Pairs
from overtone.factors.rows import Factors
from overtone.models.altsvm import AltSVMModel
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class AltSVM:
    """Minimise `sum max(0, 1 - u . (v_i - v_j))^2 + l2/2 (|U|^2 + |V|^2)` over each user's pairs i above j.

    By turns over the items' factors and the users', until a round gains less than `tolerance` of the
    objective; `rounds` may end on a half, after the items' turn. With `relative` l2 is multiplied by the
    mean number of pairs of a user, so that it means the same for few ratings as for many. The defaults
    are the authors'.
    """

    rank: int = 100
    l2: float = 1000.0
    relative: bool = False
    rounds: float = 20.0
    tolerance: float = 1e-5
    seed: int = 0
    name: ClassVar[str] = "altsvm"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("rank", self.rank, 1, 10_000)
        require_real("l2", self.l2, 0.0, open_below=True)
        require_flag("relative", self.relative)
        if require_real("rounds", self.rounds, 0.5) % 0.5 != 0.0:
            raise SettingError(f"rounds must be whole, or a half more, not {self.rounds}")
        require_real("tolerance", self.tolerance, 0.0)
        require_count("seed", self.seed, 0)

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> AltSVMModel:
        """Learn by turns."""
        table = require_ratings(ratings).by_user
        progress("pairs", 0, 1)
        pairs = Pairs.of(table)
        scale = max(pairs.total / ratings.n_users, 1.0) if self.relative else 1.0
        problem = Problem(table, pairs, self.l2 * scale / 2.0)
        progress("pairs", 1, 1)
        rng = np.random.default_rng(self.seed)
        sizes = ratings.n_users, ratings.n_items
        factors = Factors.uniform(sizes, self.rank, 1.0 / self.rank**0.5, rng)
        halves = int(2 * self.rounds)
        before = objective(problem, factors)
        for half, now in enumerate(rounds(problem, factors, rng, threads), 1):
            progress("half rounds", half, halves)
            if half == halves or (half % 2 == 0 and before - now < self.tolerance * before):
                break
            before = now if half % 2 == 0 else before
        return AltSVMModel.of(common(self, ratings), problem, factors)
