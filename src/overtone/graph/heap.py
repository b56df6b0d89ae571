"""A heap over two arrays: the least key on top, of equal keys the one with the least tag."""

from overtone.kernels import Floats, Ints, kernel


@kernel
def push(keys: Floats, tags: Ints, size: int, key: float, tag: int) -> None:
    """Add an entry to a heap of this size; there must be room."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if keys[above] < key or (keys[above] == key and tags[above] < tag):
            break
        keys[place], tags[place] = keys[above], tags[above]
        place = above
    keys[place], tags[place] = key, tag


@kernel
def replace(keys: Floats, tags: Ints, size: int, key: float, tag: int) -> None:
    """Put an entry in the place of the least."""
    place, below = 0, 1
    while below < size:
        other = below + 1
        if other < size and (
            keys[other] < keys[below] or (keys[other] == keys[below] and tags[other] < tags[below])
        ):
            below = other
        if key < keys[below] or (key == keys[below] and tag < tags[below]):
            break
        keys[place], tags[place] = keys[below], tags[below]
        place, below = below, 2 * below + 1
    keys[place], tags[place] = key, tag


@kernel
def keep(near: Floats, rows: Ints, kept: int, nearness: float, row: int) -> int:
    """Offer a row to the nearest kept so far, of equally near ones the lower rows; return how many are kept.

    Rows are tagged by their complement, so that of equals the highest row is on top, to go first.
    """
    if kept < len(rows):
        push(near, rows, kept, nearness, ~row)
        return kept + 1
    if nearness > near[0] or (nearness == near[0] and ~row > rows[0]):
        replace(near, rows, kept, nearness, ~row)
    return kept


@kernel
def arrange(near: Floats, rows: Ints, kept: int) -> None:
    """Turn what `keep` kept into a list, nearest first."""
    for size in range(kept - 1, -1, -1):
        nearness, tag = near[0], rows[0]
        replace(near, rows, size, near[size], rows[size])
        near[size], rows[size] = nearness, ~tag
