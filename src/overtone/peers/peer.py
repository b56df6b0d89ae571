"""What a peer is asked for: scores of test ratings, and factors where it has them."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.errors import require_choice
from overtone.metrics.judged import Scorer
from overtone.ratings import Ratings

PEERS = {
    "implicit-als": "implicit_als",
    "libmf": "libmf_sgd",
    "myfm": "myfm_gibbs",
    "surprise-svd": "surprise_svd",
    "cornac-mf": "cornac_mf",
}
"""The module of each peer in this folder."""


class Factors(NamedTuple):
    """A score is the product of a user's row and an item's row."""

    users: NDArray[np.float32]
    items: NDArray[np.float32]

    def score_ratings(self, ratings: Ratings) -> NDArray[np.float64]:
        """Score ratings of a table with the same users and items, as the sides of a split are."""
        users, items = self.users[ratings.user_rows], self.items[ratings.by_user.indices]
        return np.asarray(np.einsum("ij,ij->i", users, items, dtype=np.float64))


class Peer(NamedTuple):
    """How a peer is run, with which settings, and why it is absent where it is."""

    name: str
    settings: dict[str, Any]
    fit: Callable[[Ratings, int], Scorer]
    factors: bool
    absent: str | None


def peer_of(name: str) -> Peer:
    """Return a peer by name; one whose library is not installed says so."""
    require_choice("peer", name, tuple(PEERS))
    module = import_module(f"overtone.peers.{PEERS[name]}")
    return Peer(name, dict(module.SETTINGS), module.fit, module.FACTORS, _absence(module))


def _absence(module: ModuleType) -> str | None:
    try:
        import_module(module.NEEDS)
    except (ImportError, OSError) as error:
        return f"{module.NEEDS} cannot be imported ({error}); install overtone[bench]"
    return None
