import os
import stat
from pathlib import Path

import pytest

from overtone.errors import DataError, DatasetError
from overtone.files import make_folder, replacing


def half_write(target, error):
    with replacing(target) as part:
        part.write_text("half of")
        raise error


def test_the_file_appears_whole_when_the_block_ends(tmp_path):
    with replacing(tmp_path / "out.txt") as part:
        part.write_text("whole")
        assert not (tmp_path / "out.txt").exists()
    assert (tmp_path / "out.txt").read_text() == "whole"
    assert [found.name for found in tmp_path.iterdir()] == ["out.txt"]


def test_a_file_that_was_there_survives_a_failed_write(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")
    with pytest.raises(RuntimeError, match="in the middle"):
        half_write(target, RuntimeError("in the middle"))
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_is_left_where_nothing_was_and_the_write_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        half_write(tmp_path / "out.txt", KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_is_replaced(tmp_path):
    (tmp_path / "out.txt").write_text("before")
    with replacing(tmp_path / "out.txt") as part:
        part.write_text("after")
    assert (tmp_path / "out.txt").read_text() == "after"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_follow_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "out.txt") as part:
            part.write_text("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o666 & ~mask


def test_a_file_keeps_its_permissions(tmp_path):
    (tmp_path / "out.txt").touch()
    (tmp_path / "out.txt").chmod(0o640)
    with replacing(tmp_path / "out.txt") as part:
        part.write_text("x")
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


def test_a_link_stays_a_link_to_what_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "out.txt").symlink_to(tmp_path / "there" / "real.txt")
    with replacing(tmp_path / "out.txt") as part:
        part.write_text("x")
    assert (tmp_path / "out.txt").is_symlink()
    assert (tmp_path / "there" / "real.txt").read_text() == "x"


def test_a_pipe_is_no_target(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="is a device or a pipe"), replacing(tmp_path / "pipe"):
        pytest.fail("the block ran")


def test_a_folder_is_no_target(tmp_path):
    with (
        pytest.raises(DataError, match=r"is a folder; give the path of a file to write"),
        replacing(tmp_path),
    ):
        pytest.fail("the block ran")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named_and_not_made(tmp_path):
    with (
        pytest.raises(DataError, match=r"there is no folder .*a/b; make it first"),
        replacing(tmp_path / "a" / "b" / "out.txt"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_made_with_those_on_the_way(tmp_path):
    assert make_folder(tmp_path / "a" / "b").is_dir()
    assert make_folder(tmp_path / "a" / "b").is_dir()


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(DataError, match=r"^cannot write .*file/out.txt: "),
        replacing(tmp_path / "file" / "out.txt"),
    ):
        pytest.fail("the block ran")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(tmp_path):
    (tmp_path / "out.txt").write_text("before")

    def fill_the_disk():
        with replacing(tmp_path / "out.txt") as part:
            part.unlink()
            part.symlink_to("/dev/full")
            part.write_text("x")

    with pytest.raises(DataError, match=r"^cannot write .*out\.txt: No space left on device$"):
        fill_the_disk()
    assert (tmp_path / "out.txt").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_an_error_of_our_own_goes_through_as_it_is(tmp_path):
    with pytest.raises(DatasetError, match=r"^not here$"), replacing(tmp_path / "out.txt"):
        raise DatasetError("not here")
