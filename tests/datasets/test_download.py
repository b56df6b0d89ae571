import socket
import threading

import pytest
from small_movielens import FIXED, TITLES, files_under, is_the_small_table, md5, packed, publish, publish_md5

from overtone.datasets import movielens, movielens_titles
from overtone.datasets.archive import ARCHIVES
from overtone.datasets.download import GROUPLENS, MIRROR
from overtone.errors import DatasetError, SettingError


@pytest.mark.parametrize("name", FIXED)
def test_a_download_is_verified_kept_and_not_repeated(name, site, cache):
    publish(site, name)
    seen = []
    assert is_the_small_table(movielens(name, progress=lambda *report: seen.append(report)))
    size = len(packed(name))
    assert seen == [(f"download ml-{name}.zip", size, size)]
    assert files_under(cache) == [cache / f"ml-{name}.zip"]
    site.clear()
    assert is_the_small_table(movielens(name))
    assert movielens_titles(name) == TITLES


@pytest.mark.parametrize("form", ["MD5 (ml-latest-small.zip) = {}\n", "{}  ml-latest-small.zip\n"])
def test_the_changing_archive_is_verified_by_the_checksum_beside_it(form, site, cache):
    publish(site, "latest-small")
    publish_md5(site, "latest-small", form.format(md5(packed("latest-small")).upper()))
    assert is_the_small_table(movielens("latest-small"))
    assert files_under(cache) == [cache / "ml-latest-small.zip"]


def test_progress_counts_pieces_and_does_without_a_stated_length(site, monkeypatch):
    monkeypatch.setattr("overtone.datasets.download.PIECE", 100)
    publish(site, "1m", stated=None)
    seen = []
    movielens("1m", progress=lambda *report: seen.append(report))
    size = len(packed("1m"))
    assert [done for _, done, _ in seen] == [*range(100, size, 100), size]
    assert all(total == done for _, done, total in seen)


def test_a_download_goes_to_the_cache_whatever_folder_was_looked_in(site, tmp_path, cache):
    publish(site, "1m")
    movielens("1m", folder=tmp_path / "mine")
    assert files_under(tmp_path) == [cache / "ml-1m.zip"]


def refused(name, tmp_path, **arguments):
    """Return the message of a download that fails and leaves nothing behind."""
    with pytest.raises(DatasetError) as fault:
        movielens(name, **arguments)
    message = str(fault.value)
    assert files_under(tmp_path) == []
    assert "terms forbid redistribution" in message
    assert "\n" not in message
    return message


def test_a_wrong_checksum_is_refused(site, tmp_path, cache):
    publish(site, "1m", packed("1m") + b"!")
    message = refused("1m", tmp_path)
    assert "its MD5 is" in message
    assert ARCHIVES["1m"].md5 in message
    assert f"put ml-1m.zip into {cache} yourself" in message


def test_the_folder_to_put_it_in_is_the_one_that_was_named(site, tmp_path):
    message = refused("1m", tmp_path, folder=tmp_path / "mine")
    assert f"put ml-1m.zip into {tmp_path / 'mine'} yourself" in message


def test_a_transfer_that_ends_early_is_refused(site, tmp_path, cache):
    body = packed("1m")
    publish(site, "1m", body[:100], stated=len(body))
    message = refused("1m", tmp_path)
    assert f"the transfer ended after 100 of {len(body)} bytes" in message
    assert f"put ml-1m.zip into {cache}" in message


def test_an_address_that_is_not_there_is_refused(site, tmp_path, cache):
    message = refused("10m", tmp_path)
    assert "/movielens/ml-10m.zip answered 404 Not Found" in message
    assert f"put ml-10m.zip into {cache}" in message


def test_a_missing_or_empty_checksum_beside_the_changing_archive_is_refused(site, tmp_path, cache):
    publish(site, "latest-small")
    assert "ml-latest-small.zip.md5 answered 404" in refused("latest-small", tmp_path)
    publish_md5(site, "latest-small", "<html>moved</html>")
    message = refused("latest-small", tmp_path)
    assert "ml-latest-small.zip.md5 holds no MD5" in message
    assert f"put ml-latest-small.zip into {cache}" in message


def test_a_refused_connection_is_explained(monkeypatch, tmp_path, cache):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv(MIRROR, f"http://127.0.0.1:{port}")
    message = refused("25m", tmp_path)
    assert "no connection" in message
    assert f"put ml-25m.zip into {cache}" in message


def test_silence_on_the_other_side_ends_at_the_timeout(monkeypatch, tmp_path, cache):
    monkeypatch.setattr("overtone.datasets.download.TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(MIRROR, f"http://127.0.0.1:{silent.getsockname()[1]}")
        message = refused("1m", tmp_path)
    assert "timed out" in message
    assert f"put ml-1m.zip into {cache}" in message


def test_an_answer_that_is_not_http_is_explained(monkeypatch, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as odd:
        odd.settimeout(10)

        def answer():
            connection, _ = odd.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"hello\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        monkeypatch.setenv(MIRROR, f"http://127.0.0.1:{odd.getsockname()[1]}")
        assert "cannot download" in refused("1m", tmp_path)
        thread.join()


def test_a_cache_that_cannot_be_written_is_explained(site, monkeypatch, tmp_path):
    publish(site, "1m")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DatasetError, match="cannot write"):
        movielens("1m")
    assert files_under(tmp_path) == [tmp_path / "file"]


@pytest.mark.parametrize("address", ["file:///etc", "ftp://host/x", "host"])
def test_a_mirror_must_be_an_http_address(address, monkeypatch):
    monkeypatch.setenv(MIRROR, address)
    with pytest.raises(SettingError, match="must begin with https:// or http://"):
        movielens("1m")


def test_grouplens_is_asked_unless_the_environment_names_a_mirror(monkeypatch, tmp_path):
    monkeypatch.delenv(MIRROR)
    with pytest.raises(DatasetError, match=f"put {GROUPLENS}/ml-1m.zip into"):
        movielens("1m", folder=tmp_path, download=False)
