"""Explicit ratings: what they are, and how they are read."""

from overtone.ratings.pairs import read_pairs
from overtone.ratings.table import Ratings, require_ratings

__all__ = ["Ratings", "read_pairs", "require_ratings"]
