"""The contract of a ranker: a frozen dataclass of settings, and `fit`."""

from dataclasses import asdict
from typing import Any, ClassVar, Protocol

from overtone.models.base import Model
from overtone.parallel import Progress, quiet
from overtone.ratings import Ratings


class Ranker(Protocol):
    """Settings, and how a model is learned with them."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def fit(self, ratings: Ratings, *, threads: int | None = None, progress: Progress = quiet) -> Model:
        """Learn a model; the ranker stays as it is."""
        ...


def common(ranker: Ranker, ratings: Ratings, name: str | None = None) -> dict[str, Any]:
    """Return the fields that every model has."""
    settings = {key: plain(value) for key, value in asdict(ranker).items()}
    return {"ranker": name or ranker.name, "settings": settings, "ratings": ratings}


def plain(value: Any) -> Any:
    """Return a setting as Python's own kind of number, which a file can hold."""
    return value.item() if hasattr(value, "item") else value
