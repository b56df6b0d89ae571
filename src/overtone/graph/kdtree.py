"""A kd-tree over sparse binary rows, searched best bin first (Algorithm 2, lines 1 to 5)."""

from dataclasses import dataclass
from typing import Self

from overtone.graph import kdtree_kernels as kernels
from overtone.graph.kdtree_kernels import Tree
from overtone.graph.neighbors import Neighbors
from overtone.kernels import Csr
from overtone.parallel import in_order, spans

WIDTH = 256


@dataclass(frozen=True, slots=True, eq=False)
class KDTree:
    """Rows of unit length, split at the mean of their most varying column until one is left a leaf.

    A search measures at most `comparisons` rows, the most promising bins first.
    """

    tree: Tree

    @classmethod
    def build(cls, points: Csr, n_columns: int, comparisons: int) -> Self:
        """Split each node on its most varying column."""
        nodes = kernels.build(points, n_columns)
        low, high = kernels.intervals(nodes, n_columns)
        return cls(Tree(points, n_columns, nodes._replace(low=low, high=high), comparisons))

    def nearest_to_each(self, k: int, threads: int | None = None) -> Neighbors:
        """Return the nearest others that a bounded search finds for every row."""
        points = self.tree.points
        found = Neighbors.empty(len(points.indptr) - 1, k)

        def search(block: slice) -> None:
            kernels.nearest(points, self.tree, (block.start, block.stop), True, found)  # noqa: FBT003 - a kernel's place

        for _ in in_order(search, spans(len(found.rows), WIDTH), threads):
            pass
        return found

    def nearest(self, queries: Csr, k: int) -> Neighbors:
        """Return the nearest rows that a bounded search finds for queries that are none of them."""
        found = Neighbors.empty(len(queries.indptr) - 1, k)
        kernels.nearest(queries, self.tree, (0, len(found.rows)), False, found)  # noqa: FBT003
        return found
