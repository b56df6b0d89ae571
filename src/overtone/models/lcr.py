"""The LCR model: local factor models, each strong around its anchor."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.factors.anchors import Anchors, nearness
from overtone.factors.descent import Learned, Sorted, Step, while_it_helps
from overtone.factors.lcr import Local, Rated, descend, losses, score_pairs, share
from overtone.factors.losses import LOSSES
from overtone.kernels import Floats, Ints
from overtone.models.base import Model
from overtone.models.factors import explain_product, require_numbers, with_mean_row
from overtone.models.person import Person


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LCRModel(Model):
    """Scores are means of local products, weighted by how near user and item are to the anchors.

    The last row of each array is for those not seen. An item in no pair has the middle of the start.
    """

    local: Local = field(repr=False)
    anchors: Anchors = field(repr=False)
    learned: Learned
    kind = "lcr"

    def __post_init__(self) -> None:
        """Refuse numbers that are none."""
        require_numbers(*self.local)

    @classmethod
    def of(cls, common: dict[str, Any], local: Local, pairs: Ints, middle: float) -> Self:
        """Fill in users and items without a pair; `pairs` counts those of each user."""
        table = common["ratings"].by_user
        paired, rated = np.zeros((2, len(local.items)), np.bool_)
        paired[table.indices[np.repeat(pairs > 0, np.diff(table.indptr))]] = True
        rated[table.indices] = True
        n, models, rank = local.users.shape
        users = with_mean_row(local.users.reshape(n, -1), pairs > 0).reshape(-1, models, rank)
        items = np.concatenate(
            [np.where(paired[:, None, None], local.items, middle), np.full((1, models, rank), middle)]
        )
        near_users = with_mean_row(local.near_users, np.diff(table.indptr) > 0)
        return cls(**common, local=Local(users, items, near_users, with_mean_row(local.near_items, rated)))

    def score_rows(self, users: Ints, items: Ints) -> NDArray[np.float64]:
        """Score pairs of rows."""
        scores = np.empty(len(users))
        score_pairs(self.local, np.asarray(users), np.asarray(items), scores)
        return scores

    def score_block(self, users: Ints) -> NDArray[np.float64]:
        """Score every item for some users."""
        return _block(self.local, np.asarray(users), len(self.items))

    def score_person(self, person: Person) -> NDArray[np.float64]:
        """Score every item for somebody new: the mean taste, moved by the same rounds."""
        values = self.learned.scale.put(person.values)
        near = self.local.near_users[-1:]
        if len(values):
            vector = self.anchors.of_person(person.row._replace(data=values))
            width, floor = float(self.settings["width"]), float(self.settings["floor"])
            near = nearness(vector[None, :], self.anchors.user_anchors, width, floor)
        local = self.local._replace(users=self.local.users[-1:], near_users=near)
        rated = Rated.of(Sorted.of(person.row._replace(data=values), np.zeros(len(values), np.int64)), local)
        loss, l2 = str(self.settings["loss"]), float(self.settings["l2"])
        step = Step.of(loss, self.learned.rate, l2, len(self.users))._replace(items=0.0)

        def turn(state: Local, _: int) -> Local:
            moved = state._replace(users=state.users.copy())
            descend(moved, rated, step, 1)
            return moved

        def own_loss(state: Local) -> Floats:
            found: Floats = losses(state, rated, LOSSES.index(loss))
            return found

        local = while_it_helps(local, turn, own_loss, self.learned.ran)
        return _block(local, np.zeros(1, np.int64), len(self.items)).ravel()

    def explain_rows(self, user: int, item: int) -> pl.DataFrame:
        """Say how the traits of what the user rated, as this user sees them, make up the taste."""
        table = self.ratings.by_user
        items = np.append(table.indices[table.indptr[user] : table.indptr[user + 1]], item)
        shares = np.empty((len(items), self.local.near_users.shape[1]))
        share(self.local, np.full(len(items), user), items, shares)
        traits = (shares[:, :, None] * self.local.items[items]).reshape(len(items), -1)
        score = float(self.score_rows(np.array([user]), np.array([item]))[0])
        product = (self.local.users[user].ravel(), traits[:-1], traits[-1])
        return explain_product(self.ratings, user, {}, score, product)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned."""
        found = {f"local.{name}": part for name, part in self.local._asdict().items()}
        found |= {f"anchors.{name}": part for name, part in self.anchors._asdict().items()}
        return found | {"lcr.learned": self.learned.array}

    @classmethod
    def from_arrays(cls, common: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Rebuild the model."""
        local = Local(*(arrays[f"local.{name}"] for name in Local._fields))
        anchors = Anchors(*(arrays[f"anchors.{name}"] for name in Anchors._fields))
        return cls(**common, local=local, anchors=anchors, learned=Learned.from_array(arrays["lcr.learned"]))


def _block(local: Local, users: Ints, n_items: int) -> NDArray[np.float64]:
    scores = np.empty((len(users), n_items))
    for place, user in enumerate(users):
        score_pairs(local, np.full(n_items, user), np.arange(n_items), scores[place])
    return scores
