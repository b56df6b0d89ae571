"""The rankers by name: what each is, the settings it has under that name, and what tuning tries."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from overtone.rankers.altsvm import AltSVM
from overtone.rankers.bayesian import Bayesian
from overtone.rankers.bias import Bias
from overtone.rankers.biased_mf import BiasedMF
from overtone.rankers.itemwise import ItemMean, Popularity
from overtone.rankers.knn import KNN
from overtone.rankers.lcr import LCR
from overtone.rankers.ldm import LDM
from overtone.rankers.ranksvd import RankSVD
from overtone.rankers.tuned import Tuned
from overtone.rankers.uniform import Random


@dataclass(frozen=True, slots=True)
class Preset:
    """A ranker under a name, with the settings that differ from its own defaults."""

    ranker: type[Any]
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """What tuning tries unless told otherwise."""

    def defaults(self) -> dict[str, Any]:
        """Return every setting and its value."""
        return {one.name: one.default for one in fields(self.ranker)} | dict(self.settings)


LDM_GRID = {"strength": (1.5, 2.0, 3.0), "damping": (10.0, 20.0, 40.0)}
ALTSVM_GRID = {"rank": (10, 40), "l2": (0.6, 1.2, 2.4), "relative": (True,), "rounds": (0.5, 20.0)}
RANKSVD_GRID = {
    "loss": ("exp_mult",),
    "rank": (40,),
    "rate": (60.0, 130.0, 260.0),
    "start": (4.0,),
    "rounds": (20, 50),
    "hold": (0.0,),
}
LCR_GRID = {
    "models": (20,),
    "rank": (10,),
    "rate": (60.0, 220.0),
    "start": (0.5,),
    "width": (0.5, 0.8),
    "floor": (0.1,),
    "rounds": (25, 50),
    "hold": (0.0,),
}
BAYESIAN_GRID = {"rank": (10, 20), "noise": (1.2, 1.6, 2.0)}
KNN_GRID = {"neighbors": (64, 256), "damping": (30.0, 100.0), "shrink": (1.0, 3.0)}
MF_GRID = {"rank": (4, 12), "l2": (8.0, 12.0, 20.0), "bias_l2": (3.0, 8.0)}

BY_HAND = {
    "ldm": Preset(
        LDM,
        "harmonic extension of each user's surplus over similar items: the best settings found",
        grid=LDM_GRID,
    ),
    "ldm-paper": Preset(
        LDM,
        "the paper's settings: raw ratings over similar users found by a kd-tree, mu 1",
        LDM.paper_settings(),
    ),
    "altsvm": Preset(
        AltSVM, "pairwise support vector machines by turns, the authors' settings", grid=ALTSVM_GRID
    ),
    "lcr": Preset(LCR, "local factor models around anchors, the toolkit's settings", grid=LCR_GRID),
    "ranksvd": Preset(
        RankSVD, "factors by descent on a pairwise loss, the toolkit's settings", grid=RANKSVD_GRID
    ),
    "bayesian": Preset(
        Bayesian, "factors and who rated what on both sides, Gibbs sampling", grid=BAYESIAN_GRID
    ),
    "biased-mf": Preset(BiasedMF, "biases and factors, least squares by turns", grid=MF_GRID),
    "item-knn": Preset(KNN, "the nearest items, centred and shrunk", grid=KNN_GRID),
    "user-knn": Preset(KNN, "the nearest users, centred and shrunk", {"nodes": "users"}, KNN_GRID),
    "bias": Preset(Bias, "mean, user offset and item offset, damped: the bar to pass"),
    "item-mean": Preset(ItemMean, "the mean of an item's ratings"),
    "popularity": Preset(Popularity, "the number of an item's ratings"),
    "random": Preset(Random, "chance"),
}
TUNED = {
    f"{name}-tuned": Preset(Tuned, f"{name}, its settings chosen inside the ratings", {"ranker": name})
    for name, preset in BY_HAND.items()
    if preset.grid
}
PRESETS: Mapping[str, Preset] = MappingProxyType(BY_HAND | TUNED)
