"""Data to try things on: synthetic ratings at once, MovieLens from a local file or by download."""

from overtone.datasets.movielens import movielens, movielens_titles
from overtone.datasets.synthetic import synthetic

__all__ = ["movielens", "movielens_titles", "synthetic"]
