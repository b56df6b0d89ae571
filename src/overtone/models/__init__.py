"""What a fit returns: a frozen model that scores, ranks, explains and is saved."""

from overtone.models.base import Model
from overtone.models.files import load

__all__ = ["Model", "load"]
