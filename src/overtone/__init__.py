"""Explicit ratings into ranked lists, by harmonic extension on the graph of similar users.

>>> import overtone as ot
>>> ratings = ot.datasets.synthetic(users=300, items=120, ratings=9_000, seed=1)
>>> train, test = ot.given_n(ratings, n=10, seed=7)
>>> model = ot.LDM().fit(train)
>>> model.recommend(train.users.values[0], n=3).columns
['rank', 'item', 'score']
>>> bool(float(ot.ndcg(model, test)) > float(ot.ndcg(ot.rankers.Random().fit(train), test)))
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overtone import datasets as datasets, rankers as rankers
    from overtone.errors import OvertoneError as OvertoneError
    from overtone.metrics import (
        Measure as Measure,
        auc as auc,
        evaluate as evaluate,
        mrr as mrr,
        ndcg as ndcg,
        precision as precision,
        recall as recall,
    )
    from overtone.models import Model as Model, load as load
    from overtone.rankers import LDM as LDM, make_ranker as make_ranker, tune as tune
    from overtone.ratings import Ratings as Ratings, read_pairs as read_pairs
    from overtone.splits import Split as Split, by_time as by_time, given_n as given_n, holdout as holdout

# Each name is imported when it is first used: `import overtone` alone costs no NumPy, Numba or Polars.
_HOMES = {
    "overtone.errors": ("OvertoneError",),
    "overtone.metrics": ("Measure", "auc", "evaluate", "mrr", "ndcg", "precision", "recall"),
    "overtone.models": ("Model", "load"),
    "overtone.rankers": ("LDM", "make_ranker", "tune"),
    "overtone.ratings": ("Ratings", "read_pairs"),
    "overtone.splits": ("Split", "by_time", "given_n", "holdout"),
}
_ROOMS = ("datasets", "rankers")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: PLE0604 - the table above is what is public
    *_ROOMS,
    *_HOME_OF,
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home; the version comes from the installed package."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - only where it is asked for

        return version("overtone")
    if name in _ROOMS:
        return import_module(f"overtone.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'overtone' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
