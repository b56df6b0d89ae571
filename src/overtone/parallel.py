"""Independent blocks of work on threads; nothing here knows what the work is."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from overtone.errors import require_count

T = TypeVar("T")

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much of it is done, and how much there is."""


def quiet(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def thread_count(threads: int | None) -> int:
    """Return `threads`, or as many as this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return require_count("threads", threads, 1, 1024)


def spans(size: int, width: int) -> list[slice]:
    """Cut `range(size)` into slices of at most `width`."""
    return [slice(start, min(start + width, size)) for start in range(0, size, width)]


def in_order(
    work: Callable[[slice], T],
    blocks: list[slice],
    threads: int | None,
    progress: Progress = quiet,
    stage: str = "",
) -> Iterator[T]:
    """Yield `work(block)` for each block, in order, at most two blocks a thread ahead of the reader."""
    workers = min(thread_count(threads), max(len(blocks), 1))
    waiting = iter(blocks)
    with ThreadPoolExecutor(workers) as pool:
        running: list[Future[T]] = [pool.submit(work, block) for block in islice(waiting, 2 * workers)]
        done = 0
        try:
            while running:
                result = running.pop(0).result()
                running.extend(pool.submit(work, block) for block in islice(waiting, 1))
                done += 1
                progress(stage, done, len(blocks))
                yield result
        finally:
            for future in running:
                future.cancel()
