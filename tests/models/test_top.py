import numpy as np
from hypothesis import given, strategies as st

from overtone.kernels import Csr
from overtone.models.top import Baseline, Collector


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_best_are_kept_whatever_the_order_of_the_blocks(seed, n):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (3, 20)).astype(float)
    allowed = rng.random(20) < 0.8
    owned = [np.sort(rng.permutation(20)[: rng.integers(0, 6)]) for _ in range(3)]
    indptr = np.concatenate([[0], np.cumsum([len(one) for one in owned])])
    skip = Csr(indptr, np.concatenate(owned).astype(np.int32), np.empty(0))
    collector = Collector.of(3, n, skip, allowed)
    for block in np.array_split(rng.permutation(20), 4):
        collector.offer(scores[:, block], block)
        collector.ranked()
    top = collector.ranked()
    for user in range(3):
        left = [item for item in range(20) if allowed[item] and item not in owned[user]]
        expected = sorted(left, key=lambda item: (-scores[user, item], item))[:n]
        kept = top.items[user] >= 0
        assert top.items[user][kept].tolist() == expected
        assert top.scores[user][kept].tolist() == scores[user, expected].tolist()


@given(st.integers(0, 2**32 - 1))
def test_a_baseline_makes_the_scores_that_numpy_makes(seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((4, 9)).astype(np.float32)
    user, item, strength = rng.standard_normal(4), rng.standard_normal(9), float(rng.uniform(0.1, 3.0))
    collector = Collector.of(4, 9, None, np.ones(9, np.bool_))
    collector.offer(values[:, ::-1], np.arange(9)[::-1], Baseline(user, item, strength))
    scores = (user[:, None] + item) + strength * values
    for one, kept in zip(scores, collector.ranked().scores, strict=True):
        assert kept.tolist() == sorted(one, reverse=True)
