import numpy as np
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from overtone.harmonic.rows import CHAINS, LINE, WIDTH, block_like, product, room
from overtone.kernels import Csr


def walk_of(rng, size, most, columns=None):
    counts = rng.integers(0, most + 1, size)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    indices = rng.integers(0, columns or size, indptr[-1]).astype(np.int32)
    return Csr(indptr, indices, rng.uniform(-1, 1, indptr[-1]).astype(np.float32))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 3 * CHAINS), st.integers(1, 40))
def test_it_is_the_sparse_times_dense_product(seed, size, most, columns):
    rng = np.random.default_rng(seed)
    steps = walk_of(rng, size, most, columns)
    x = rng.uniform(-1, 1, (columns, WIDTH)).astype(np.float32)
    out = np.full((size, WIDTH), np.nan, np.float32)
    product(steps, x, out)
    matrix = csr_array((steps.data.astype(float), steps.indices, steps.indptr), shape=(size, columns))
    np.testing.assert_allclose(out, matrix @ x, atol=1e-5)


def test_the_same_rows_give_the_same_bytes_wherever_they_lie():
    rng = np.random.default_rng(3)
    steps = walk_of(rng, 50, 9)
    outs = []
    for shift in range(3):
        room = np.empty(50 * WIDTH + shift, np.float32)[shift:]
        x = room.reshape(50, WIDTH)
        x[:] = np.random.default_rng(4).random((50, WIDTH), np.float32)
        out = np.empty_like(x)
        product(steps, x, out)
        outs.append(out.tobytes())
    assert len(set(outs)) == 1


@given(st.integers(1, 300), st.integers(1, 4))
def test_rows_begin_with_cache_lines(size, blocks):
    made = room(blocks, size)
    assert made.shape == (blocks, size, WIDTH)
    assert made.flags.c_contiguous
    assert made.dtype == np.float32
    assert made.ctypes.data % LINE == 0
    values = np.random.default_rng(size).random((size, WIDTH), np.float32)
    np.testing.assert_array_equal(block_like(values), values)
