"""The rankers: each a frozen set of settings whose `fit` returns a model."""

from overtone.rankers.altsvm import AltSVM
from overtone.rankers.bayesian import Bayesian
from overtone.rankers.bias import Bias
from overtone.rankers.biased_mf import BiasedMF
from overtone.rankers.itemwise import ItemMean, Popularity
from overtone.rankers.knn import KNN
from overtone.rankers.lcr import LCR
from overtone.rankers.ldm import LDM
from overtone.rankers.presets import PRESETS
from overtone.rankers.ranker import Ranker
from overtone.rankers.ranksvd import RankSVD
from overtone.rankers.registry import make_ranker
from overtone.rankers.tuned import Tuned
from overtone.rankers.tuning import Tuning, tune
from overtone.rankers.uniform import Random

__all__ = [
    "KNN",
    "LCR",
    "LDM",
    "PRESETS",
    "AltSVM",
    "Bayesian",
    "Bias",
    "BiasedMF",
    "ItemMean",
    "Popularity",
    "Random",
    "RankSVD",
    "Ranker",
    "Tuned",
    "Tuning",
    "make_ranker",
    "tune",
]
