"""The rankers: each a frozen set of settings whose `fit` returns a model."""

from overtone.rankers.altsvm import AltSVM
from overtone.rankers.bias import Bias
from overtone.rankers.itemwise import ItemMean, Popularity
from overtone.rankers.ldm import LDM
from overtone.rankers.ranker import Ranker
from overtone.rankers.registry import PRESETS, make_ranker
from overtone.rankers.uniform import Random

__all__ = ["LDM", "PRESETS", "AltSVM", "Bias", "ItemMean", "Popularity", "Random", "Ranker", "make_ranker"]
