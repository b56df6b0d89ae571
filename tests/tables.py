"""Small tables of ratings and sparse matrices for tests."""

import numpy as np
from hypothesis import strategies as st

from overtone import Ratings
from overtone.kernels import csr


def random_ratings(seed, users=30, items=20, each=6, low=1, high=5):
    """Every user rates between 1 and 2 * each items; ids are texts."""
    rng = np.random.default_rng(seed)
    rows = [(u, i) for u in range(users) for i in rng.permutation(items)[: rng.integers(1, 2 * each)]]
    user, item = np.array(rows).T
    value = rng.integers(low, high + 1, len(rows)).astype(float)
    return Ratings.from_arrays([f"u{u:03}" for u in user], [f"i{i:03}" for i in item], value)


def long_ratings(users=30, items=40, each=20):
    """Every user but the last rates `each` items; the last rates two."""
    rng = np.random.default_rng(0)
    rows = [(u, i) for u in range(users) for i in rng.permutation(items)[: each if u < users - 1 else 2]]
    value = rng.integers(1, 6, len(rows)).astype(float)
    return Ratings.from_arrays([f"u{u:03}" for u, _ in rows], [f"i{i:03}" for _, i in rows], value)


def checkerboard(users=24, items=16, share=0.6, seed=0):
    """Two tastes: even users love even items and loathe odd ones, odd users the reverse."""
    rng = np.random.default_rng(seed)
    user, item = np.nonzero(rng.random((users, items)) < share)
    value = np.where((user + item) % 2 == 0, 5.0, 1.0)
    return Ratings.from_arrays([f"u{u:02}" for u in user], [f"i{i:02}" for i in item], value)


def sparse(array):
    """A full matrix as sparse rows."""
    rows, columns = np.nonzero(array)
    return csr(rows, columns.astype(np.int32), np.asarray(array, float)[rows, columns], len(array))


@st.composite
def weight_matrices(draw, symmetric=False, largest=24):
    """Non-negative weights without a diagonal; sparse enough to fall apart now and then."""
    size = draw(st.integers(2, largest))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    density = draw(st.sampled_from([0.05, 0.15, 0.5]))
    W = np.where(rng.random((size, size)) < density, rng.uniform(0.05, 1.0, (size, size)), 0.0)
    np.fill_diagonal(W, 0.0)
    return (W + W.T) / 2 if symmetric else W


@st.composite
def binary_rows(draw, most=40, columns=25):
    """Sparse rows of ratings; a row may be empty, rows may repeat."""
    size = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.05, 0.2, 0.6]))
    full = np.where(rng.random((size, columns)) < density, rng.integers(1, 6, (size, columns)), 0)
    return sparse(full), columns


def known_of(labels):
    """One {node: value} for each column."""
    rows = [column for column, some in enumerate(labels) for _ in some]
    nodes = [node for some in labels for node in sorted(some)]
    values = [some[node] for some in labels for node in sorted(some)]
    return csr(np.array(rows, int), np.array(nodes, np.int32), np.array(values, float), len(labels))
