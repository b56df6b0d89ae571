"""Biases and factors that a peer learned, in our order of users and items."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overtone.kernels import Floats
from overtone.ratings import Ratings


class Biased(NamedTuple):
    """A score is the sum of both biases and the product of the factors; the mean is the same for all."""

    user_bias: NDArray[np.float64]
    item_bias: NDArray[np.float64]
    users: NDArray[np.float64]
    items: NDArray[np.float64]

    def score_ratings(self, ratings: Ratings) -> NDArray[np.float64]:
        """Score ratings of a table with the same users and items, as the sides of a split are."""
        user, item = ratings.user_rows, ratings.by_user.indices
        product = np.einsum("ij,ij->i", self.users[user], self.items[item])
        return np.asarray(product + self.user_bias[user] + self.item_bias[item])


def spread(rows: Floats, places: Sequence[int], size: int) -> NDArray[np.float64]:
    """Put rows where they belong; one that a peer has not seen is 0."""
    whole = np.zeros((size, *rows.shape[1:]))
    whole[np.asarray(places)] = rows
    return whole
