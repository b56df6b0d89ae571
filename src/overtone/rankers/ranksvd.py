"""RankSVD, as the PREA toolkit has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from overtone.errors import require_choice, require_count, require_real, require_share
from overtone.factors.descent import Learned, Scale, Slice, Sorted, Step, guarded, rounds_that_help
from overtone.factors.losses import LOSSES
from overtone.factors.ranksvd import learn, losses
from overtone.factors.rows import Factors
from overtone.kernels import Floats
from overtone.models.ranksvd import RankSVDModel
from overtone.parallel import Progress, quiet, thread_count
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSVD:
    """Descend a pairwise `loss` user by user: the mean over the user's pairs, over the number of users.

    That number is at least 250. The step is `rate / sqrt(round)`; factors start uniform in
    [0, start / rank). Rounds, at most `rounds`, end when the loss over pairs with one of a `hold` share
    of the training ratings rises, and are then run on all of them; a rate at which the first does not
    help is halved. The defaults are the toolkit's.
    """

    rank: int = 5
    loss: str = "exp_add"
    rate: float = 25.0
    rounds: int = 20
    l2: float = 1e-6
    start: float = 1.0
    hold: float = 0.1
    seed: int = 0
    name: ClassVar[str] = "ranksvd"

    def __post_init__(self) -> None:
        """Check the bounds."""
        require_count("rank", self.rank, 1, 10_000)
        require_choice("loss", self.loss, LOSSES)
        require_real("rate", self.rate, 0.0, open_below=True)
        require_count("rounds", self.rounds, 1, 10**6)
        require_real("l2", self.l2, 0.0)
        require_real("start", self.start, 0.0, open_below=True)
        require_share("hold", self.hold)
        require_count("seed", self.seed, 0)

    def fit(
        self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet
    ) -> RankSVDModel:
        """Find how many rounds help, then run them on all ratings."""
        thread_count(threads)
        scale = Scale.of(require_ratings(ratings).by_user.data)
        table = ratings.by_user._replace(data=scale.put(ratings.by_user.data))
        cut = Slice.of(table, ratings.user_rows, self.hold, self.seed)

        def turn_at(rate: float) -> Callable[[Factors, Sorted, int], None]:
            def turn(factors: Factors, rows: Sorted, number: int) -> None:
                learn(factors, rows, Step.of(self.loss, rate / number**0.5, self.l2, ratings.n_users))

            return turn

        def loss(factors: Factors, rows: Sorted) -> Floats:
            found: Floats = losses(factors, rows, LOSSES.index(self.loss))
            return found

        def attempt(rate: float) -> int:
            return rounds_that_help(cut, self._start(ratings), turn_at(rate), loss, self.rounds, progress)

        ran, rate = guarded(attempt, self.rate) if self.hold > 0.0 else (self.rounds, self.rate)
        factors = self._start(ratings)
        for number in range(1, ran + 1):
            turn_at(rate)(factors, cut.whole, number)
            progress("rounds", number, ran)
        fields = common(self, ratings) | {"learned": Learned(scale, ran, rate)}
        return RankSVDModel.of(fields, factors, loss(factors, cut.whole)[1], self.start / self.rank / 2.0)

    def _start(self, ratings: Ratings) -> Factors:
        rng = np.random.default_rng(self.seed)
        sizes, most = (ratings.n_users, ratings.n_items), self.start / self.rank
        return Factors(*(rng.random((size, self.rank)) * most for size in sizes))
