"""How a hot loop is compiled, and the arrays that every loop takes."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


def kernel(function: F) -> F:
    """Compile a loop over arrays: cached on disk, without the interpreter lock.

    Kernels are single-threaded; `overtone.parallel` runs them on disjoint blocks, so that
    results cannot depend on the number of threads. `contract` alone of the fast-math flags
    is on: it lets a product and a sum fuse, and never reorders a sum.
    """
    return cast("F", njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function))


def summing(function: F) -> F:
    """Compile a loop whose sums may be taken in lanes: it runs over short rows of factors.

    Reordering a sum lets a dot product use vector registers, 3-4 times as fast. The order is
    fixed when the kernel is compiled, so that the bytes are still the same for any threads.
    Infinities and NaN keep their meaning.
    """
    flags = {"contract", "reassoc", "nsz"}
    return cast("F", njit(cache=True, nogil=True, error_model="numpy", fastmath=flags)(function))


class Csr(NamedTuple):
    """Compressed sparse rows; columns ascend within a row."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: Floats

    def named(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays under names, to be stored."""
        return {f"{prefix}.{name}": getattr(self, name) for name in self._fields}

    @classmethod
    def from_named(cls, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> "Csr":
        """Rebuild from `named()`."""
        return cls(*(arrays[f"{prefix}.{name}"] for name in cls._fields))


def csr(rows: Ints, columns: Ints, data: NDArray[Any], n_rows: int) -> Csr:
    """Compress triples that are sorted by row, then column."""
    indptr = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
    return Csr(indptr, columns.astype(np.int32, copy=False), data)


def transpose(matrix: Csr, n_columns: int) -> Csr:
    """Swap rows and columns."""
    indptr = np.zeros(n_columns + 1, np.int64)
    np.cumsum(np.bincount(matrix.indices, minlength=n_columns), out=indptr[1:])
    other = Csr(indptr, np.empty(len(matrix.indices), np.int32), np.empty_like(matrix.data))
    swap(matrix, indptr[:-1].copy(), other)
    return other


@kernel
def swap(matrix: Csr, free: Ints, other: Csr) -> None:
    """Put each entry where its column has room next; `free` says where that is."""
    for row in range(len(matrix.indptr) - 1):
        for place in range(matrix.indptr[row], matrix.indptr[row + 1]):
            column = matrix.indices[place]
            other.indices[free[column]], other.data[free[column]] = row, matrix.data[place]
            free[column] += 1


def row_of_each(matrix: Csr) -> NDArray[np.int32]:
    """Return the row of every stored entry."""
    n_rows = len(matrix.indptr) - 1
    return np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(matrix.indptr))
