"""The LDM model: expected ratings plus what similar users' ratings, extended to everybody, add."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.graph.neighbors import Search
from overtone.graph.walk import Walk
from overtone.graph.wiring import Wiring
from overtone.harmonic.extension import Extension
from overtone.harmonic.solver import Solver
from overtone.kernels import Bools, Csr, Floats, Ints, transpose
from overtone.models.base import CHUNK, Model
from overtone.models.completion import Completion, Kept, OnDemand, Report
from overtone.models.emphasis import Emphasis
from overtone.models.explanation import Carriers, explanation
from overtone.models.offsets import Offsets
from overtone.models.person import Person
from overtone.models.top import Baseline, Collector, Top
from overtone.ratings import Ratings

WIRING = ("neighbors", "search", "comparisons", "symmetric", "damping", "overlapping")
SOLVER = ("mu", "tolerance", "max_sweeps")
EXTENSION = ("inner", "misfit", "hard")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LDMModel(Model):
    """Scores are `offsets + strength f`, with f harmonic on the graph `weights` of users (or of items)."""

    offsets: Offsets
    weights: Csr = field(repr=False)
    completion: Completion = field(repr=False)
    report: Report = field(repr=False)
    kind = "ldm"

    @property
    def nodes(self) -> str:
        """What the nodes of the graph are: users or items."""
        return str(self.settings["nodes"])

    @property
    def strength(self) -> float:
        """What f is multiplied by before the offsets are added."""
        return float(self.settings["strength"])

    @property
    def converged(self) -> bool:
        """Whether every solve that was made met the tolerance."""
        return len(self.unconverged) == 0

    @property
    def unconverged(self) -> pl.DataFrame:
        """The items (or users, where the items are the nodes) whose solve did not, and their residuals."""
        ids = self.items if self.nodes == "users" else self.users
        rows = np.flatnonzero(self.report.residuals > self.settings["tolerance"]).astype(np.int32)
        return pl.DataFrame({ids.noun: ids.take(rows), "residual": self.report.residuals[rows]})

    @cached_property
    def emphasis(self) -> Emphasis:
        """What ratings are mapped by before anything is learned."""
        return Emphasis.of(self.ratings, self.settings["emphasis"])

    @cached_property
    def heard(self) -> Ratings:
        """The training ratings, mapped."""
        return self.emphasis.heard(self.ratings)

    @cached_property
    def wiring(self) -> Wiring:
        """How the graph was made."""
        return Wiring(**{name: self.settings[name] for name in WIRING})

    @cached_property
    def extension(self) -> Extension:
        """The system that was solved."""
        if isinstance(self.completion, OnDemand):
            return self.completion.extension
        return extension_of(self.settings, self.heard, self.offsets, self.weights)

    @cached_property
    def points(self) -> Csr:
        """The rows that the graph compares."""
        return points_of(self.settings, self.heard, self.offsets)

    @cached_property
    def _index(self) -> Search:
        return self.wiring.index(self.points, len(self.items))

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        scores = self.offsets.at(users, items)
        known = (users >= 0) & (items >= 0)
        if known.any():
            scores[known] += self.strength * self.completion.pairs(users[known], items[known])
        return scores

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        scores = self.offsets.block(users)
        for items, values in self.completion.blocks(users):
            scores[:, items] += self.strength * values
        return scores

    def top(self, users: Ints, n: int, skip: Csr | None, allowed: Bools) -> Top:
        """Return the best items of some users, as the blocks come."""
        best = Collector.of(len(users), n, skip, allowed)
        baseline = Baseline(
            self.offsets.mean + self.offsets.user[users], self.offsets.item[:-1], self.strength
        )
        for items, values in self.completion.blocks(users):
            best.offer(values, items, baseline)
        return best.ranked()

    def chunk(self) -> int:
        """Return how many users are ranked together: all, where each pass solves every item."""
        one_pass = isinstance(self.completion, OnDemand) and self.nodes == "users"
        return max(len(self.users), 1) if one_pass else CHUNK

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new: as a refit would in which nobody links to that person.

        The items' offsets stay as they are. With the items as nodes the graph stays too, and the
        person is one more column.
        """
        person = Person(person.row._replace(data=self.emphasis(person.values)))
        expected = self.offsets.for_person(person)
        values = person.values - expected[person.items]
        if not len(values):
            return expected
        if self.nodes == "items":
            column = person.row._replace(data=values)
            one = replace(self.extension, known=column).extend(np.array([0]))
            return np.asarray(expected + self.strength * one.f[:, 0])
        query = person.row._replace(data=values) if self.settings["weigh"] == "residuals" else person.row
        near = self._index.nearest(query, self.settings["neighbors"])
        weights = self.wiring.weigh(query, self.points, near)[0]
        tied = weights > 0.0
        if not tied.any():
            return expected
        steps = weights[tied] / weights[tied].sum() / (1.0 + self.settings["grounding"])
        return np.asarray(expected + self.strength * steps @ self.completion.seen(near.rows[0][tied]))

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Return the offsets, then each rating with its weight in f, which weighs its surplus."""
        node, column = (user, item) if self.nodes == "users" else (item, user)
        labelled, weights = self.extension.carriers(node, column)
        users, items = (labelled, item) if self.nodes == "users" else (user, labelled)
        users, items = np.broadcast_arrays(users, items)
        place = _places(self.ratings, users, items)
        ratings = self.ratings.by_user.data[place]
        values = self.heard.by_user.data[place] - self.offsets.at(users, items)
        carriers = Carriers(users, items, ratings, self.strength * weights, values)
        return explanation(self.ratings, self._baseline(user, item), carriers)

    def _baseline(self, user: int, item: int) -> dict[str, float]:
        """Return the parts of the baseline that the settings have."""
        if self.settings["centre"] == "none":
            return {"prior": 0.0}
        parts = self.offsets.parts(user, item)
        if self.settings["emphasis"] > 0.0:
            parts = {"mean rating, emphasised": parts.pop("mean rating")} | parts
        if self.settings["centre"] != "both":
            parts.pop("this user's offset")
        if self.settings["centre"] == "mean":
            parts.pop("this item's offset")
        return parts

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return offsets, graph, residuals, and the completed matrix where it is kept."""
        arrays = self.offsets.arrays() | self.weights.named("weights")
        arrays |= {"report.residuals": self.report.residuals, "report.sweeps": self.report.sweeps}
        if isinstance(self.completion, Kept):
            arrays |= {"completion.f": self.completion.f, "completion.at_ratings": self.completion.at_ratings}
        return arrays

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "LDMModel":
        """Rebuild the model."""
        settings, ratings = common["settings"], common["ratings"]
        offsets = Offsets.from_arrays(arrays)
        weights = Csr.from_named("weights", arrays)
        report = Report(arrays["report.residuals"], arrays["report.sweeps"])
        completion: Completion
        if "completion.f" in arrays:
            completion = Kept(arrays["completion.f"], arrays["completion.at_ratings"], ratings)
        else:
            heard = Emphasis.of(ratings, settings["emphasis"]).heard(ratings)
            extension = extension_of(settings, heard, offsets, weights)
            completion = OnDemand(extension, settings["nodes"], report)
        return cls(**common, offsets=offsets, weights=weights, completion=completion, report=report)


def points_of(settings: Mapping[str, Any], ratings: Ratings, offsets: Offsets) -> Csr:
    """Return the rows that the graph compares: users or items, by ratings or by their residuals."""
    values = residuals_of(ratings, offsets) if settings["weigh"] == "residuals" else ratings.by_user.data
    by_user = ratings.by_user._replace(data=values)
    return by_user if settings["nodes"] == "users" else transpose(by_user, ratings.n_items)


def residuals_of(ratings: Ratings, offsets: Offsets) -> Floats:
    """Return what each rating has over its expectation."""
    return ratings.by_user.data - offsets.at(ratings.user_rows, ratings.by_user.indices)


def extension_of(settings: Mapping[str, Any], ratings: Ratings, offsets: Offsets, weights: Csr) -> Extension:
    """Set up the system: one column an item over users, or the other way round."""
    known = ratings.by_user._replace(data=residuals_of(ratings, offsets))
    if settings["nodes"] == "users":
        known = transpose(known, ratings.n_items)
    walk = Walk.of(weights, settings["grounding"])
    solver = Solver.of(walk, **{name: settings[name] for name in SOLVER})
    return Extension(solver, known, **{name: settings[name] for name in EXTENSION})


def _places(ratings: Ratings, users: Ints, items: Ints) -> NDArray[np.int64]:
    """Return the places of known ratings in the arrays of a table."""
    keys = ratings.user_rows * np.int64(ratings.n_items) + ratings.by_user.indices
    return np.searchsorted(keys, users * np.int64(ratings.n_items) + items)
