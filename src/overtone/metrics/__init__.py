"""How good a ranking is, against ratings that the model has not seen."""

from overtone.metrics.judged import Judged, Scorer
from overtone.metrics.measure import Measure
from overtone.metrics.ranking import auc, evaluate, mrr, ndcg, ndcg_of, precision, recall

__all__ = ["Judged", "Measure", "Scorer", "auc", "evaluate", "mrr", "ndcg", "ndcg_of", "precision", "recall"]
