"""LCR (Lee et al., Local Collaborative Ranking, WWW 2014)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from overtone.errors import require_choice, require_count, require_real, require_share
from overtone.factors.anchors import Anchors, nearness
from overtone.factors.descent import Learned, Scale, Slice, Step, guarded, rounds_that_help
from overtone.factors.lcr import Local, Rated, descend, losses
from overtone.factors.losses import LOSSES
from overtone.kernels import Floats
from overtone.models.lcr import LCRModel
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class LCR:
    """Learn `models` local factor models of one `rank` around random anchors, on their weighted mean.

    How near users and items are to an anchor comes from a global factorisation of `svd_rank`, through
    an Epanechnikov kernel of `width`, nowhere below `floor`. The loss is that of RankSVD, its step
    `rate` over the number of users (at least 250); factors start uniform in [0, start). Rounds, at most
    `rounds`, end when the loss over pairs with one of a `hold` share of the training ratings rises, and
    are then run on all; a rate at which the first does not help is halved.
    The defaults are the toolkit's.
    """

    models: int = 5
    rank: int = 5
    loss: str = "exp_add"
    rate: float = 13.0
    rounds: int = 100
    l2: float = 1e-8
    width: float = 0.8
    floor: float = 0.0
    start: float = 1.0
    svd_rank: int = 10
    hold: float = 0.1
    seed: int = 0
    name: ClassVar[str] = "lcr"

    def __post_init__(self) -> None:
        """Check the bounds."""
        for name, most in (("models", 1_000), ("rank", 1_000), ("rounds", 10**6), ("svd_rank", 1_000)):
            require_count(name, getattr(self, name), 1, most)
        require_choice("loss", self.loss, LOSSES)
        for name in ("rate", "start"):
            require_real(name, getattr(self, name), 0.0, open_below=True)
        require_real("width", self.width, 0.01)
        require_real("l2", self.l2, 0.0)
        require_real("floor", self.floor, 0.0)
        require_share("hold", self.hold)
        require_count("seed", self.seed, 0)

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> LCRModel:
        """Place the anchors, find how many rounds help, then run them on all ratings."""
        scale = Scale.of(require_ratings(ratings).by_user.data)
        table = ratings.by_user._replace(data=scale.put(ratings.by_user.data))
        progress("anchors", 0, 1)
        anchors = Anchors.of(table, ratings.n_items, self.svd_rank, self.models, self.seed)
        progress("anchors", 1, 1)
        cut = Slice.of(table, ratings.user_rows, self.hold, self.seed)
        local = self._start(anchors)
        whole, kept = Rated.of(cut.whole, local), Rated.of(cut.kept, local)
        loss = LOSSES.index(self.loss)

        def turn_at(rate: float) -> Callable[[Local, Rated, int], None]:
            step = Step.of(self.loss, rate, self.l2, ratings.n_users)

            def turn(state: Local, rated: Rated, _: int) -> None:
                descend(state, rated, step, threads)

            return turn

        def each_loss(state: Local, rated: Rated) -> Floats:
            found: Floats = losses(state, rated, loss)
            return found

        def attempt(rate: float) -> int:
            start = self._start(anchors)
            return rounds_that_help((whole, kept), start, turn_at(rate), each_loss, self.rounds, progress)

        ran, rate = guarded(attempt, self.rate) if self.hold > 0.0 else (self.rounds, self.rate)
        local = self._start(anchors)
        for number in range(1, ran + 1):
            turn_at(rate)(local, whole, number)
            progress("rounds", number, ran)
        fields = common(self, ratings) | {"anchors": anchors, "learned": Learned(scale, ran, rate)}
        return LCRModel.of(fields, local, each_loss(local, whole)[1], self.start / 2.0)

    def _start(self, anchors: Anchors) -> Local:
        rng = np.random.default_rng([self.seed, 3])
        shape = self.models, self.rank
        users, items = (
            self.start * rng.random((len(rows), *shape)) for rows in (anchors.users, anchors.items)
        )
        near_users = nearness(anchors.users, anchors.user_anchors, self.width, self.floor)
        near_items = nearness(anchors.items, anchors.item_anchors, self.width, self.floor)
        return Local(users, items, near_users, near_items)
