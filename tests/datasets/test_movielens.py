from dataclasses import replace

import pytest
from small_movielens import (
    NAMES,
    TITLES,
    extract,
    files_under,
    is_the_small_table,
    movies_text,
    packed,
    publish,
    save_arrays,
)

from overtone.datasets import movielens, movielens_titles
from overtone.datasets.archive import ARCHIVES
from overtone.errors import DatasetError, SettingError


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_in_the_folder_is_read_as_it_is(name, tmp_path):
    (tmp_path / f"ml-{name}.zip").write_bytes(packed(name))
    assert is_the_small_table(movielens(name, folder=tmp_path))
    assert len(files_under(tmp_path)) == 1
    assert movielens_titles(name, folder=tmp_path) == TITLES


@pytest.mark.parametrize("name", NAMES)
def test_an_extracted_archive_is_read(name, tmp_path):
    extract(name, tmp_path)
    assert is_the_small_table(movielens(name, folder=str(tmp_path)))
    assert movielens_titles(name, folder=str(tmp_path)) == TITLES


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_read_with_their_own_ids(name, tmp_path):
    save_arrays(name, tmp_path)
    assert is_the_small_table(movielens(name, folder=tmp_path))


def test_titles_may_lie_alone_in_the_folder(tmp_path):
    (tmp_path / "ml-1m-movies.dat").write_bytes(movies_text("movies.dat").encode("latin-1"))
    assert movielens_titles("1m", folder=tmp_path) == TITLES


def test_the_places_are_the_folder_then_the_environment_then_the_cache(tmp_path, monkeypatch, cache):
    places = [tmp_path / "folder", tmp_path / "environment", cache]
    monkeypatch.setenv("OVERTONE_DATA", str(places[1]))
    for place in reversed(places):
        place.mkdir(parents=True)
        save_arrays("1m", place)
    for place in places:
        damaged = place / "ml-1m.npz"
        assert is_the_small_table(movielens("1m", folder=places[0]))
        damaged.write_bytes(b"damaged")
        with pytest.raises(DatasetError, match="does not hold the ratings of MovieLens 1m") as fault:
            movielens("1m", folder=places[0])
        assert str(fault.value).count(str(damaged)) == 1
        damaged.unlink()


def test_without_an_environment_the_cache_is_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / ".cache" / "overtone"
    place.mkdir(parents=True)
    save_arrays("100k", place)
    assert is_the_small_table(movielens("100k"))


def test_a_file_of_other_size_than_the_published_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(ARCHIVES, "1m", replace(ARCHIVES["1m"], counts=(6040, 3706, 1000209)))
    save_arrays("1m", tmp_path)
    with pytest.raises(DatasetError, match="damaged or another file") as fault:
        movielens("1m", folder=tmp_path)
    for part in (str(tmp_path / "ml-1m.npz"), "(3, 3, 4)", "(6040, 3706, 1000209)", "ml-1m.zip"):
        assert part in str(fault.value)


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ("ml-1m/ratings.dat", b""),
        ("ml-1m/ratings.dat", b"1::2::five::978300760\n"),
        ("ml-1m/ratings.dat", b"1::2::5::1\n1::2::4::2\n"),
        ("ml-25m/ratings.csv", b"userId,movieId,rating,timestamp\n"),
        ("ml-100k/u.data", b"1\t2\n"),
    ],
)
def test_a_damaged_table_is_named(member, text, tmp_path):
    path = tmp_path / member
    path.parent.mkdir()
    path.write_bytes(text)
    name = path.parent.name.removeprefix("ml-")
    with pytest.raises(DatasetError, match="does not hold the ratings") as fault:
        movielens(name, folder=tmp_path)
    assert str(path) in str(fault.value)
    assert "\n" not in str(fault.value)
    assert ".;" not in str(fault.value)


def test_a_damaged_archive_is_named(tmp_path):
    path = tmp_path / "ml-1m.zip"
    for body in (b"", b"not a zip", packed("1m")[:-40], packed("100k")):
        path.write_bytes(body)
        with pytest.raises(DatasetError, match=r"ml-1m\.zip .*replace it|ml-1m\.zip: .*replace it"):
            movielens("1m", folder=tmp_path)


def test_an_archive_with_a_flipped_byte_is_damaged(tmp_path):
    body = bytearray(packed("1m"))
    body[60] ^= 0xFF
    (tmp_path / "ml-1m.zip").write_bytes(body)
    with pytest.raises(DatasetError, match="cannot read"):
        movielens("1m", folder=tmp_path)


@pytest.mark.parametrize("text", [b"not a number::Title::Drama\n", b"12\n", b"\xff\xfe"])
def test_damaged_titles_are_named(text, tmp_path):
    extract("10m", tmp_path)
    path = tmp_path / ARCHIVES["10m"].movies
    path.write_bytes(text)
    with pytest.raises(DatasetError, match="does not hold the titles of MovieLens 10m") as fault:
        movielens_titles("10m", folder=tmp_path)
    assert str(path) in str(fault.value)


def test_unknown_names_are_answered_with_the_choices():
    for read in (movielens, movielens_titles):
        with pytest.raises(
            SettingError, match="name must be one of 100k, 1m, 10m, 25m, latest-small, not '2m'"
        ):
            read("2m")


def test_without_download_the_error_says_what_to_put_where(tmp_path, site, cache):
    publish(site, "1m")
    asks = (
        lambda: movielens("1m", folder=tmp_path, download=False),
        lambda: movielens_titles("1m", folder=tmp_path),
    )
    for ask in asks:
        with pytest.raises(DatasetError) as fault:
            ask()
        for part in (f"ml-1m.zip into {tmp_path}", str(cache), "terms forbid redistribution"):
            assert part in str(fault.value)
    assert not cache.exists()
