"""LDM: collaborative ranking by harmonic extension (Algorithms 1 and 2)."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from overtone.errors import SettingError, require_choice, require_count, require_flag, require_real
from overtone.graph.neighbors import Neighbors
from overtone.graph.weights import dense_cosines, weight_matrix
from overtone.graph.wiring import Wiring
from overtone.kernels import Csr, Floats
from overtone.models.completion import Completion, Kept, OnDemand, Report, keep
from overtone.models.emphasis import Emphasis
from overtone.models.item_prior import ItemPrior
from overtone.models.ldm import WIRING, LDMModel, extension_of, points_of
from overtone.models.offsets import Offsets
from overtone.parallel import Progress, quiet
from overtone.rankers.ranker import common
from overtone.ratings import Ratings, require_ratings

KEEP_LIMIT = 2**30
"""Bytes of the completed matrix up to which keep="auto" keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LDM:
    """Extend known ratings harmonically: a user's over similar items, or an item's over similar users.

    Ratings count by their `emphasis`. Graph: `nodes` items or users, `neighbors` (K) by `search`
    exact, kdtree with `comparisons` (D) or agreement, `symmetric`, weights on ratings or residuals
    (`weigh`), `damping`, `overlapping`: see `Wiring`.
    Baseline, which is also the prior: `centre` both, item, mean or none (0), damped, an item's
    offset towards its `item_prior`, similar or zero.
    Extension: `mu`, `grounding` to the baseline as a share of a node's degree, `strength` times
    what is extended, at most `inner` Bregman steps until no label is off by `misfit`, at most
    `outer` estimates of the graph until nothing moves by `settle`, `hard` labels, solver
    `tolerance` and `max_sweeps`.
    `keep` holds the completed matrix: yes, no, or auto (up to 1 GiB).
    """

    nodes: str = "items"
    neighbors: int = 64
    search: str = "agreement"
    comparisons: int = 256
    symmetric: bool = False
    weigh: str = "residuals"
    damping: float = 20.0
    overlapping: bool = True
    emphasis: float = 1.0
    centre: str = "both"
    item_damping: float = 10.0
    user_damping: float = 10.0
    item_prior: str = "similar"
    mu: float = 1.0
    grounding: float = 0.1
    strength: float = 2.0
    inner: int = 1
    misfit: float = 1e-3
    outer: int = 1
    settle: float = 1e-3
    hard: bool = False
    tolerance: float = 2e-6
    max_sweeps: int = 300
    keep: str = "auto"
    name: ClassVar[str] = "ldm"

    def __post_init__(self) -> None:
        """Check the bounds."""
        self.wiring  # noqa: B018 - it checks its own part of the settings
        require_choice("weigh", self.weigh, ("residuals", "ratings"))
        require_choice("nodes", self.nodes, ("users", "items"))
        require_choice("centre", self.centre, ("both", "item", "mean", "none"))
        require_choice("item_prior", self.item_prior, ("similar", "zero"))
        require_choice("keep", self.keep, ("auto", "yes", "no"))
        for name in ("emphasis", "item_damping", "user_damping", "grounding"):
            require_real(name, getattr(self, name), 0.0)
        for name in ("mu", "strength", "misfit", "settle", "tolerance"):
            require_real(name, getattr(self, name), 0.0, open_below=True)
        for name in ("inner", "outer", "max_sweeps"):
            require_count(name, getattr(self, name), 1)
        require_flag("hard", self.hard)
        if self.outer > 1 and self.keep == "no":
            raise SettingError(
                f"outer {self.outer} re-estimates the graph from the completed matrix: keep must not be no"
            )
        if self.hard and (self.mu != 1.0 or self.inner != 1):
            raise SettingError(f"hard labels need mu 1 and inner 1, not {self.mu:g} and {self.inner}")

    @staticmethod
    def paper_settings() -> dict[str, Any]:
        """Return what the paper sets, or leaves unsaid, where it differs from the defaults."""
        return dict(
            nodes="users",
            search="kdtree",
            weigh="ratings",
            damping=0.0,
            overlapping=False,
            emphasis=0.0,
            centre="none",
            grounding=0.003,
            strength=1.0,
        )

    @classmethod
    def paper(cls) -> "LDM":
        """Return the ranker at the paper's own settings."""
        return cls(**cls.paper_settings())

    @property
    def wiring(self) -> Wiring:
        """The settings of the graph."""
        return Wiring(**{name: getattr(self, name) for name in WIRING})

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> LDMModel:
        """Learn offsets, graph and, where it is kept, the completed matrix."""
        require_ratings(ratings)
        progress("baseline", 0, 1)
        heard = Emphasis.of(ratings, self.emphasis).heard(ratings)
        offsets = self._offsets(heard)
        points = points_of(asdict(self), heard, offsets)
        progress("baseline", 1, 1)
        progress("graph", 0, 1)
        near, weights = self.wiring.connect(points, self._size(ratings, nodes=False), threads)
        progress("graph", 1, 1)
        progress("system", 0, 1)
        system = self._system(heard, offsets, weights, threads)
        progress("system", 1, 1)
        completion: Completion = system
        if self._keeps(ratings):
            kept = keep(system, ratings, progress)
            for _ in range(1, self.outer):
                weights = self._reweigh(near, kept, offsets)
                before, system = kept, self._system(heard, offsets, weights, threads)
                kept = keep(system, ratings, progress)
                if _moved(before, kept) <= self.settle:
                    break
            completion = kept
        return LDMModel(
            **common(self, ratings, "ldm-paper" if self == self.paper() else self.name),
            offsets=offsets,
            weights=weights,
            completion=completion,
            report=system.report,
        )

    def _offsets(self, ratings: Ratings) -> Offsets:
        """Return what is expected of a rating: the labels' baseline, and the prior where none is reached."""
        mean = 0.0 if self.centre == "none" else float(ratings.by_user.data.mean())
        user = self.user_damping if self.centre == "both" else np.inf
        item = self.item_damping if self.centre in ("both", "item") else np.inf
        prior = ItemPrior.of(ratings) if self.item_prior == "similar" and np.isfinite(item) else None
        return Offsets.fit(ratings, mean=mean, user_damping=user, item_damping=item, prior=prior)

    def _system(self, ratings: Ratings, offsets: Offsets, weights: Csr, threads: int | None) -> OnDemand:
        extension = extension_of(asdict(self), ratings, offsets, weights)
        report = Report.empty(self._size(ratings, nodes=False))
        return OnDemand(extension, self.nodes, report, threads)

    def _size(self, ratings: Ratings, *, nodes: bool) -> int:
        return ratings.n_users if nodes == (self.nodes == "users") else ratings.n_items

    def _keeps(self, ratings: Ratings) -> bool:
        return self.keep == "yes" or (
            self.keep == "auto" and 4 * ratings.n_users * ratings.n_items <= KEEP_LIMIT
        )

    def _reweigh(self, near: Neighbors, kept: Kept, offsets: Offsets) -> Csr:
        """Tie the same neighbours by the cosine of their completed rows (Algorithm 1, line 3)."""
        rows: Floats = kept.f if self.weigh == "residuals" else kept.f + offsets.block(np.arange(len(kept.f)))
        points = np.ascontiguousarray(rows if self.nodes == "users" else rows.T)
        return weight_matrix(near, dense_cosines(points, near), symmetric=self.symmetric)


def _moved(before: Kept, after: Kept) -> float:
    """Return how far the completed matrix went, over its size."""
    size = float(np.linalg.norm(before.f))
    return float(np.linalg.norm(after.f - before.f)) / size if size > 0.0 else 0.0
