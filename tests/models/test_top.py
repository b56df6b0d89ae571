import numpy as np
from hypothesis import given, strategies as st

from overtone.kernels import Csr
from overtone.models.top import Top


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_best_are_kept_whatever_the_order_of_the_blocks(seed, n):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (3, 20)).astype(float)
    allowed = rng.random(20) < 0.8
    owned = [np.sort(rng.permutation(20)[: rng.integers(0, 6)]) for _ in range(3)]
    indptr = np.concatenate([[0], np.cumsum([len(one) for one in owned])])
    skip = Csr(indptr, np.concatenate(owned).astype(np.int32), np.empty(0))
    top = Top.empty(3, n)
    for block in np.array_split(rng.permutation(20), 4):
        top.offer(scores[:, block], block, skip, allowed)
    for user in range(3):
        left = [item for item in range(20) if allowed[item] and item not in owned[user]]
        expected = sorted(left, key=lambda item: (-scores[user, item], item))[:n]
        kept = top.items[user] >= 0
        assert top.items[user][kept].tolist() == expected
        assert top.scores[user][kept].tolist() == scores[user, expected].tolist()
