"""Two steps along weighted links: what is reached, and how strongly."""

from overtone.kernels import Csr, Floats, kernel


@kernel
def two_steps(first: Csr, row: int, second: Csr, weighs: bool, sums: Floats) -> None:  # noqa: FBT001 - a kernel's arguments have places
    """Add up, for each column two steps away, the products on the way there, and the weights.

    The weight is the number of the first step where that `weighs`, else that of the second.
    """
    for place in range(first.indptr[row], first.indptr[row + 1]):
        middle, before = first.indices[place], first.data[place]
        for onward in range(second.indptr[middle], second.indptr[middle + 1]):
            column, after = second.indices[onward], second.data[onward]
            sums[0, column] += before * after
            sums[1, column] += before if weighs else after
