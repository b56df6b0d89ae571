"""The one loop that all time goes into: the rows of a block that a node sees, weighted and summed.

A block is `WIDTH` columns wide. Numba keeps a running sum in memory and stores it with every
neighbour; here LLVM is told to hold it in registers, which more than doubles the speed.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from overtone.kernels import Csr, Floats, kernel

WIDTH = 32
"""Columns of a block: two AVX-512 registers, or four of AVX2; a row fills two cache lines."""

CHAINS = 4
"""Running sums side by side, since each waits for its last addition."""

FUSED = ("contract",)
LONG = ir.IntType(64)
ROW = ir.VectorType(ir.FloatType(), WIDTH)
NOTHING = ir.Constant(ROW, [0.0] * WIDTH)


class Arrays:
    """The arrays of one call, and the code that adds one neighbour to a sum."""

    def __init__(self, context: Any, builder: Any, kinds: Any, values: Any) -> None:
        data, indices, x, self.out = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(kinds, values, strict=True)
        )
        self.builder, self.data, self.indices, self.x = builder, data, indices, x

    def term(self, place: Any, total: Any) -> Any:
        """Return `total + data[place] * x[indices[place]]`."""
        builder = self.builder
        weight = builder.load(builder.gep(self.data, [place]))
        row = builder.sext(builder.load(builder.gep(self.indices, [place])), LONG)
        start = builder.gep(self.x, [builder.mul(row, LONG(WIDTH))])
        values = builder.load(builder.bitcast(start, ROW.as_pointer()), align=4)
        one = builder.insert_element(ir.Constant(ROW, ir.Undefined), weight, ir.IntType(32)(0))
        places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        weights = builder.shuffle_vector(one, ir.Constant(ROW, ir.Undefined), places)
        return builder.fadd(total, builder.fmul(weights, values, flags=FUSED), flags=FUSED)

    def loop(self, start: Any, stop: Any, totals: list[Any]) -> tuple[Any, list[Any]]:
        """Add neighbours, as many in a pass as there are totals; return where it ended, and the totals."""
        builder, step = self.builder, LONG(len(totals))
        before = builder.basic_block
        head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        place = builder.phi(LONG)
        sums = [builder.phi(ROW) for _ in totals]
        following = builder.add(place, step)
        builder.cbranch(builder.icmp_signed("<=", following, stop), body, after)
        builder.position_at_end(body)
        added = [self.term(builder.add(place, LONG(k)), total) for k, total in enumerate(sums)]
        builder.branch(head)
        for phi, first, later in zip([place, *sums], [start, *totals], [following, *added], strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, body)
        builder.position_at_end(after)
        return place, sums


def _gather(_typing: Any, data: Any, indices: Any, span: Any, x: Any, out: Any) -> Any:
    """Set `out` to the sum of `data[p] * x[indices[p]]` for p in `span`: row `x` of `S x`.

    `data`, `x` and `out` are float32 and contiguous, `indices` int32, rows `WIDTH` wide; the order
    of the additions is fixed, so that the same input gives the same bytes.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = [signature.args[k] for k in (0, 1, 3, 4)]
        arrays = Arrays(context, builder, kinds, [args[k] for k in (0, 1, 3, 4)])
        start, stop = (builder.extract_value(args[2], k) for k in (0, 1))
        place, totals = arrays.loop(start, stop, [NOTHING] * CHAINS)
        _, (first,) = arrays.loop(place, stop, totals[:1])
        for other in totals[1:]:
            first = builder.fadd(first, other)
        builder.store(first, builder.bitcast(arrays.out, ROW.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(data, indices, span, x, out), generate


gather: Callable[..., None] = intrinsic(_gather)


@kernel
def product(steps: Csr, x: Floats, out: Floats) -> None:
    """Set `out` to `S x` for a block, and nothing else: what a sweep is measured against."""
    for node in range(x.shape[0]):
        gather(steps.data, steps.indices, (steps.indptr[node], steps.indptr[node + 1]), x, out[node])
