"""Building and searching a kd-tree whose points are sparse rows; no row is ever made dense.

Row j stands for the unit vector with `1 / sqrt(its length)` at each of its columns. Coordinates
are read by bisection; a query's columns are marked in an array, so that distances need no merge.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from overtone.graph.heap import arrange, keep, push, replace
from overtone.graph.neighbors import Neighbors
from overtone.kernels import Bools, Csr, Floats, Ints, kernel

FLAT = 1e-12
"""Variance below which the rows of a node are taken to be the same."""


class Nodes(NamedTuple):
    """The tree as flat arrays: node 0 is the root, children come after their parent.

    A leaf has column -1 and holds `order[left:right]`; an inner node has its children at `left`
    (at or below `cut`) and `right`, and its region spans `low` to `high` in its own column.
    """

    column: Ints
    cut: Floats
    left: Ints
    right: Ints
    order: Ints
    low: Floats
    high: Floats


class Tree(NamedTuple):
    """What a search reads: the rows, how many columns they have, the tree, and how many it may measure."""

    points: Csr
    columns: int
    nodes: Nodes
    comparisons: int


class Desk(NamedTuple):
    """What a search works with: the query's columns marked, and a heap of bins by their least distance."""

    marked: Bools
    bounds: Floats
    tags: Ints
    bins: Ints


@kernel
def coordinate(rows: Csr, row: int, column: int) -> float:
    """Value of a row in a column, 0 where it has none."""
    start, stop = rows.indptr[row], rows.indptr[row + 1]
    place = start + np.searchsorted(rows.indices[start:stop], column)
    return 1.0 / sqrt(stop - start) if place < stop and rows.indices[place] == column else 0.0


@kernel
def marked_overlap(marked: Bools, size: float, points: Csr, row: int) -> float:
    """Cosine of two binary rows, one marked: what they share over the root of their lengths."""
    start, stop = points.indptr[row], points.indptr[row + 1]
    shared = 0
    for column in points.indices[start:stop]:
        shared += marked[column]
    return shared / sqrt(size * (stop - start)) if shared > 0 else 0.0


@kernel
def most_varying(points: Csr, members: Ints, total: Floats, square: Floats) -> tuple[int, float, float]:
    """Column of greatest variance among some rows (the lowest of equals), its mean and variance.

    `total` and `square` are zeroed scratch, one entry a column, and are left zeroed.
    """
    column, mean, variance = -1, 0.0, 0.0
    for row in members:
        start, stop = points.indptr[row], points.indptr[row + 1]
        for c in points.indices[start:stop]:
            total[c] += 1.0 / sqrt(stop - start)
            square[c] += 1.0 / (stop - start)
    for row in members:
        for c in points.indices[points.indptr[row] : points.indptr[row + 1]]:
            if square[c] > 0.0:
                m = total[c] / len(members)
                v = square[c] / len(members) - m * m
                if v > variance or (v == variance and c < column):
                    column, mean, variance = c, m, v
                total[c] = square[c] = 0.0
    return column, mean, variance


@kernel
def build(points: Csr, n_columns: int) -> Nodes:
    """Split until a node has one row, or rows that are the same."""
    size = len(points.indptr) - 1
    room = 2 * size + 1
    column, cut = np.full(room, -1, np.int32), np.zeros(room)
    left, right = np.zeros(room, np.int64), np.zeros(room, np.int64)
    order = np.arange(size).astype(np.int32)
    total, square, values = np.zeros(n_columns), np.zeros(n_columns), np.zeros(size)
    right[0], made, pending = size, 1, [0]
    while len(pending) > 0:
        node = pending.pop()
        start, stop = left[node], right[node]
        if stop - start <= 1:
            continue
        best, mean, variance = most_varying(points, order[start:stop], total, square)
        if variance <= FLAT:
            continue
        for place in range(start, stop):
            values[place] = coordinate(points, order[place], best)
        middle = start + np.sum(values[start:stop] <= mean)
        sides = np.argsort(values[start:stop] > mean, kind="mergesort")
        order[start:stop] = order[start:stop][sides]
        column[node], cut[node] = best, mean
        left[node], right[node] = made, made + 1
        left[made], right[made] = start, middle
        left[made + 1], right[made + 1] = middle, stop
        pending.append(made + 1)
        pending.append(made)
        made += 2
    none = np.zeros(0)
    return Nodes(column[:made], cut[:made], left[:made], right[:made], order, none, none)


@kernel
def intervals(nodes: Nodes, n_columns: int) -> tuple[Floats, Floats]:
    """For every inner node the span of its own column that the cuts above it leave.

    The tree is walked depth first; `at_least` and `at_most` hold the spans on the way down.
    """
    low, high = np.full(len(nodes.column), -np.inf), np.full(len(nodes.column), np.inf)
    at_least, at_most = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
    pending, turn = [0], [0]
    while len(pending) > 0:
        node, visits = pending[-1], turn[-1]
        column = nodes.column[node]
        if column < 0 or visits == 2:
            if column >= 0:
                at_least[column] = low[node]
            pending.pop()
            turn.pop()
            continue
        turn[-1] = visits + 1
        if visits == 0:
            low[node], high[node] = at_least[column], at_most[column]
            at_most[column] = nodes.cut[node]
        else:
            at_most[column] = high[node]
            at_least[column] = nodes.cut[node]
        pending.append(nodes.left[node] if visits == 0 else nodes.right[node])
        turn.append(0)
    return low, high


@kernel
def far_side(bound: float, x: float, low: float, cut: float, high: float) -> float:
    """Least squared distance to the child across the cut, given that to the node itself.

    Where x lies outside the node's span, the way to the span is in `bound` already.
    """
    outside = low - x if x < low else (x - high if x > high else 0.0)
    return bound - outside**2 + (x - cut) ** 2


@kernel
def search(tree: Tree, size: float, itself: int, desk: Desk, found: Neighbors, query: int) -> None:
    """Measure the rows of the most promising bins until the budget is spent or no bin can be nearer.

    The query has `size` columns, those marked on the desk. Equally promising bins are opened last
    in, first out. A squared distance of 2 - 2 s belongs to an overlap of s.
    """
    nodes, left, kept, pushed, waiting = tree.nodes, tree.comparisons, 0, 0, 0
    near, rows = found.overlap[query], found.rows[query]
    node, bound = 0, 0.0
    while left > 0 and not (kept == len(rows) and 2.0 - 2.0 * near[0] < bound):
        while nodes.column[node] >= 0:
            x = 1.0 / sqrt(size) if desk.marked[nodes.column[node]] else 0.0
            cut, near_side, far = nodes.cut[node], nodes.left[node], nodes.right[node]
            if x > cut:
                near_side, far = far, near_side
            desk.bins[pushed] = far
            away = far_side(bound, x, nodes.low[node], cut, nodes.high[node])
            push(desk.bounds, desk.tags, waiting, away, -pushed)
            pushed, waiting, node = pushed + 1, waiting + 1, near_side
        for point in nodes.order[nodes.left[node] : nodes.right[node]]:
            if left == 0:
                break
            left -= 1
            shared = marked_overlap(desk.marked, size, tree.points, point)
            if shared > 0.0 and point != itself:
                kept = keep(near, rows, kept, shared, point)
        if waiting == 0:
            break
        node, bound, waiting = desk.bins[-desk.tags[0]], desk.bounds[0], waiting - 1
        replace(desk.bounds, desk.tags, waiting, desk.bounds[waiting], desk.tags[waiting])
    arrange(near, rows, kept)


@kernel
def nearest(queries: Csr, tree: Tree, span: tuple[int, int], itself: bool, found: Neighbors) -> None:  # noqa: FBT001 - a kernel's arguments have places
    """Search for each query of the span; one that is itself a point is not its own neighbour."""
    room = len(tree.nodes.column)
    desk = Desk(
        np.zeros(tree.columns, np.bool_), np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
    )
    for query in range(span[0], span[1]):
        own = queries.indices[queries.indptr[query] : queries.indptr[query + 1]]
        desk.marked[own] = True
        search(tree, float(len(own)), query if itself else -1, desk, found, query)
        desk.marked[own] = False
