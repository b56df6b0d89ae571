"""The steps that all time goes into, on whole rows of a block: weigh and sum, settle, move.

A block is `WIDTH` columns wide. Numba keeps a running sum in memory and stores it with every
neighbour; here LLVM is told to hold rows in registers, which doubles the speed of a sweep and more.
Rows are float32 and contiguous, indices int32. Arrays are named whole, with the number of a row:
a view of a row would cost Numba two counts of references. The order of the additions is fixed,
so that the same input gives the same bytes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from overtone.kernels import Csr, Floats, kernel

WIDTH = 32
"""Columns of a block: two AVX-512 registers, or four of AVX2; a row fills two cache lines."""

LINE = 64
"""Bytes of a cache line."""

CHAINS = 4
"""Running sums side by side, since each waits for its last addition."""

FUSED = ("contract",)
LONG, SHORT = ir.IntType(64), ir.IntType(32)
ROW = ir.VectorType(ir.FloatType(), WIDTH)
BITS = ir.VectorType(SHORT, WIDTH)
NOTHING = ir.Constant(ROW, [0.0] * WIDTH)
UNSIGNED = ir.Constant(BITS, [0x7FFFFFFF] * WIDTH)


class Code:
    """Instructions on whole rows."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def start(self, kind: Any, value: Any) -> Any:
        """Return where the numbers of an array begin."""
        return self.context.make_array(kind)(self.context, self.builder, value).data

    def load(self, start: Any) -> Any:
        """Read a row."""
        return self.builder.load(self.builder.bitcast(start, ROW.as_pointer()), align=4)

    def row(self, start: Any, number: Any) -> Any:
        """Return where a row begins."""
        return self.builder.gep(start, [self.builder.mul(self.builder.sext(number, LONG), LONG(WIDTH))])

    def store(self, value: Any, start: Any) -> None:
        """Write a row."""
        self.builder.store(value, self.builder.bitcast(start, ROW.as_pointer()), align=4)

    def spread(self, number: Any) -> Any:
        """Return a number in every column."""
        builder, undefined = self.builder, ir.Constant(ROW, ir.Undefined)
        one = builder.insert_element(undefined, number, SHORT(0))
        return builder.shuffle_vector(one, undefined, ir.Constant(BITS, [0] * WIDTH))

    def size(self, value: Any) -> Any:
        """Return a row without its signs."""
        builder = self.builder
        return builder.bitcast(builder.and_(builder.bitcast(value, BITS), UNSIGNED), ROW)

    def greater(self, a: Any, b: Any) -> Any:
        """Return the greater of two rows, column by column; `a` where either is not a number."""
        return self.builder.select(self.builder.fcmp_unordered("ugt", a, b), a, b)

    def sums(self, span: tuple[Any, Any], totals: list[Any], term: Callable[[Any, Any], Any]) -> Any:
        """Run `total = term(place, total)` over a span, as many places in a pass as there are totals.

        Return the place where it ended, and the totals.
        """
        builder, step = self.builder, LONG(len(totals))
        before = builder.basic_block
        head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        place, sums = builder.phi(LONG), [builder.phi(ROW) for _ in totals]
        following = builder.add(place, step)
        builder.cbranch(builder.icmp_signed("<=", following, span[1]), body, after)
        builder.position_at_end(body)
        added = [term(builder.add(place, LONG(k)), total) for k, total in enumerate(sums)]
        builder.branch(head)
        for phi, first, later in zip([place, *sums], [span[0], *totals], [following, *added], strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, body)
        builder.position_at_end(after)
        return place, sums


def _gather(_typing: Any, data: Any, indices: Any, span: Any, x: Any, out: Any) -> Any:
    """Set `out` to the sum of `data[p] * x[indices[p]]` for p in `span`: a row of `S x`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code, kinds = Code(context, builder), signature.args
        weights, nodes, rows, target = (code.start(kinds[k], args[k]) for k in (0, 1, 3, 4))
        first, last = (builder.extract_value(args[2], k) for k in (0, 1))

        def term(place: Any, total: Any) -> Any:
            row = code.load(code.row(rows, builder.load(builder.gep(nodes, [place]))))
            weight = code.spread(builder.load(builder.gep(weights, [place])))
            return builder.fadd(total, builder.fmul(weight, row, flags=FUSED), flags=FUSED)

        place, totals = code.sums((first, last), [NOTHING] * CHAINS, term)
        _, (total,) = code.sums((place, last), totals[:1], term)
        for other in totals[1:]:
            total = builder.fadd(total, other)
        code.store(total, target)
        return context.get_dummy_value()

    return types.void(data, indices, span, x, out), generate


def _settle(_typing: Any, new: Any, x: Any, step: Any, node: Any, change: Any) -> Any:
    """Set a node's row of `x` to `new` and that of `step` to how far it went; raise `change` to its size."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Code(context, builder)
        news, rows, steps, changes = (code.start(signature.args[k], args[k]) for k in (0, 1, 2, 4))
        row, value = code.row(rows, args[3]), code.load(news)
        moved = builder.fsub(value, code.load(row))
        code.store(value, row)
        code.store(moved, code.row(steps, args[3]))
        code.store(code.greater(code.size(moved), code.load(changes)), changes)
        return context.get_dummy_value()

    return types.void(new, x, step, node, change), generate


def _advance(_typing: Any, x: Any, node: Any, step: Any, share: Any) -> Any:
    """Add to a node's row of `x` the product of its row of `step` with a row of shares."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Code(context, builder)
        rows, steps, shares = (code.start(signature.args[k], args[k]) for k in (0, 2, 3))
        row, step = code.row(rows, args[1]), code.load(code.row(steps, args[1]))
        ahead = builder.fmul(code.load(shares), step, flags=FUSED)
        code.store(builder.fadd(code.load(row), ahead, flags=FUSED), row)
        return context.get_dummy_value()

    return types.void(x, node, step, share), generate


def _add(_typing: Any, x: Any, node: Any, shifts: Any, which: Any) -> Any:
    """Add one row of `shifts` to a node's row of `x`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Code(context, builder)
        rows, others = (code.start(signature.args[k], args[k]) for k in (0, 2))
        row, other = code.row(rows, args[1]), code.row(others, args[3])
        code.store(builder.fadd(code.load(row), code.load(other)), row)
        return context.get_dummy_value()

    return types.void(x, node, shifts, which), generate


gather: Callable[..., None] = intrinsic(_gather)
settle: Callable[..., None] = intrinsic(_settle)
advance: Callable[..., None] = intrinsic(_advance)
add: Callable[..., None] = intrinsic(_add)


def room(*sizes: int) -> NDArray[np.float32]:
    """Make room, not filled, for rows (the last of `sizes` is how many), or for several such blocks.

    A row begins with a cache line: where it does not, each of its two loads touches two lines, and a
    sweep runs at two thirds of its speed.
    """
    count = int(np.prod(sizes)) * WIDTH
    spare = LINE // 4
    some = np.empty(count + spare, np.float32)
    start = -some.ctypes.data // 4 % spare
    block: NDArray[np.float32] = some[start : start + count].reshape(*sizes, WIDTH)
    return block


def block_like(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Copy a block to where its rows begin with cache lines."""
    copy = room(*values.shape[:-1])
    copy[:] = values
    return copy


@kernel
def product(steps: Csr, x: Floats, out: Floats) -> None:
    """Set `out` to `S x` for a block, and nothing else: what a sweep is measured against."""
    for node in range(out.shape[0]):
        gather(steps.data, steps.indices, (steps.indptr[node], steps.indptr[node + 1]), x, out[node])
