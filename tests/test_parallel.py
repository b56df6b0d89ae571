import threading
import time

import pytest
from hypothesis import given, strategies as st

from overtone.errors import SettingError
from overtone.parallel import in_order, spans, thread_count


@given(st.integers(0, 200), st.integers(1, 50))
def test_spans_cover_the_range_once_and_in_order(size, width):
    blocks = spans(size, width)
    assert [k for block in blocks for k in range(size)[block]] == list(range(size))
    assert all(1 <= block.stop - block.start <= width for block in blocks)


@given(st.integers(0, 40), st.integers(1, 7), st.integers(1, 5))
def test_results_come_in_the_order_of_the_blocks_for_any_number_of_threads(size, width, threads):
    blocks = spans(size, width)
    assert list(in_order(lambda block: block.start, blocks, threads)) == [block.start for block in blocks]


def test_a_slow_first_block_does_not_lose_its_place():
    def work(block):
        time.sleep(0.05 if block.start == 0 else 0.0)
        return block.start

    assert list(in_order(work, spans(6, 1), 3)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_work_runs_at_most_two_blocks_a_thread_ahead_of_the_reader(threads):
    begun = []
    for read, _ in enumerate(in_order(lambda block: begun.append(block.start), spans(60, 1), threads), 1):
        time.sleep(0.002)
        assert len(begun) <= read + 2 * threads
    assert sorted(begun) == list(range(60))


def test_work_is_done_by_as_many_threads_as_asked():
    together = threading.Barrier(3, timeout=10)
    assert len(list(in_order(lambda _: together.wait(), spans(3, 1), 3))) == 3


def test_an_error_in_a_block_reaches_the_reader_and_stops_the_rest():
    begun = []

    def work(block):
        begun.append(block.start)
        if block.start == 3:
            raise ZeroDivisionError("block 3")
        return block.start

    seen = []
    with pytest.raises(ZeroDivisionError, match="block 3"):
        seen.extend(in_order(work, spans(1000, 1), 2))
    assert seen == [0, 1, 2]
    assert len(begun) <= 3 + 1 + 2 * 2


def test_a_reader_who_leaves_stops_the_work():
    begun = []
    results = in_order(lambda block: begun.append(block.start), spans(1000, 1), 2)
    next(results)
    results.close()
    stopped = len(begun)
    time.sleep(0.02)
    assert len(begun) == stopped <= 1 + 2 * 2


def test_work_that_has_not_begun_when_the_reader_leaves_never_does():
    begun, go_on = [], threading.Event()

    def work(block):
        begun.append(block.start)
        if block.start == 1:
            go_on.wait(timeout=10)

    results = in_order(work, spans(9, 1), 1)
    next(results)
    threading.Timer(0.05, go_on.set).start()
    results.close()
    assert set(begun) <= {0, 1}


def test_progress_counts_every_block_once():
    told = []
    list(in_order(lambda _: None, spans(10, 4), 2, lambda *what: told.append(what), "solve"))
    assert told == [("solve", 1, 3), ("solve", 2, 3), ("solve", 3, 3)]


def test_the_number_of_threads_is_checked_and_has_a_default():
    assert thread_count(3) == 3
    assert thread_count(None) >= 1
    for wrong in (0, -1, 1025, 1.5):
        with pytest.raises(SettingError, match=r"^threads must be "):
            thread_count(wrong)
