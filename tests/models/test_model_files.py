import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import overtone as ot
from overtone.errors import DataError, ModelFileError
from overtone.models.files import header_of
from tables import random_ratings


@pytest.fixture
def path(tmp_path):
    ot.LDM(neighbors=5).fit(random_ratings(1)).save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(path, change):
    """Write the file again with its JSON changed."""
    with safe_open(path, framework="numpy") as tensors:
        about = json.loads(tensors.metadata()["overtone"])
    arrays = load_file(path)
    change(about, arrays)
    save_file(arrays, path, metadata=header_of(about))


def test_every_kind_of_id_survives(tmp_path):
    for users, items in (([3, 1, 2**60], ["é", "a,b", '"q"\n']), (["007", "7", ""[:0] + "x"], [-5, 0, 9])):
        model = ot.rankers.Bias().fit(ot.Ratings.from_arrays(users, items, [1.0, 2.0, 3.0]))
        model.save(tmp_path / "model")
        loaded = ot.load(tmp_path / "model")
        assert loaded.users.values.equals(model.users.values)
        assert loaded.items.values.equals(model.items.values)
        assert loaded.ratings.table().equals(model.ratings.table())


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999])
def test_a_file_cut_short_is_refused(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ModelFileError, match="cut short"):
        ot.load(path)


def test_a_flipped_byte_anywhere_in_the_arrays_is_noticed(path):
    whole = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(whole[:8], "little")
    for place in np.linspace(start, len(whole) - 1, 25).astype(int):
        damaged = whole.copy()
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match="is damaged: the array"):
            ot.load(path)


def test_a_flipped_bit_anywhere_in_the_header_is_noticed_or_harmless(path):
    whole = bytearray(path.read_bytes())
    before = ot.load(path).score_block(np.arange(30)).tobytes()
    length = int.from_bytes(whole[:8], "little")
    for place in np.random.default_rng(0).integers(8, 8 + length, 150):
        damaged = whole.copy()
        damaged[place] ^= 1 << int(place % 8)
        path.write_bytes(damaged)
        try:
            same = ot.load(path).score_block(np.arange(30)).tobytes()
        except ModelFileError:
            continue
        assert same == before


def test_a_newer_schema_is_refused_by_name(path):
    rewrite(path, lambda about, _: about.update(schema=99, version="9.0"))
    with pytest.raises(
        ModelFileError, match=r"has schema 99, this version of overtone reads 1.*overtone 9\.0"
    ):
        ot.load(path)


def test_an_unknown_kind_is_refused(path):
    rewrite(path, lambda about, _: about.update(kind="oracle"))
    with pytest.raises(ModelFileError, match="kind 'oracle'"):
        ot.load(path)


def test_a_missing_array_is_refused(path):
    rewrite(path, lambda _, arrays: arrays.pop("offsets.user"))
    with pytest.raises(ModelFileError, match=r"the array offsets\.user"):
        ot.load(path)


@pytest.mark.parametrize("change", [lambda found: found | {"lcr.learned": np.zeros(3)}, lambda _: {}])
def test_a_model_of_an_earlier_form_is_refused(tmp_path, monkeypatch, change):
    model = ot.make_ranker("lcr", {"rounds": 2}).fit(random_ratings(1))
    whole = model.arrays()
    monkeypatch.setattr(type(model), "arrays", lambda _: change(whole))
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="of another form than this version's; fit it again"):
        ot.load(tmp_path / "model")


def test_other_files_are_refused(tmp_path, path):
    with pytest.raises(ModelFileError, match="there is no model file"):
        ot.load(tmp_path / "none")
    with pytest.raises(ModelFileError, match="there is no model file"):
        ot.load(tmp_path)
    (tmp_path / "text").write_text("user,item,rating\n")
    with pytest.raises(ModelFileError, match="is not a model"):
        ot.load(tmp_path / "text")
    save_file({"a": np.zeros(3)}, tmp_path / "foreign")
    with pytest.raises(ModelFileError, match="not of overtone"):
        ot.load(tmp_path / "foreign")
    assert ot.load(path).ranker == "ldm"


def test_saving_over_a_model_replaces_it_whole_and_a_loaded_one_goes_on(path):
    loaded = ot.load(path)
    before = loaded.score_block(np.arange(30)).copy()
    ot.rankers.Bias().fit(random_ratings(2)).save(path)
    assert ot.load(path).ranker == "bias"
    np.testing.assert_array_equal(loaded.score_block(np.arange(30)), before)
    assert [one.name for one in path.parent.iterdir()] == ["model"]


def test_a_model_file_has_the_permissions_that_the_umask_leaves(path):
    path.parent.joinpath("other").touch()
    assert path.stat().st_mode == path.parent.joinpath("other").stat().st_mode


def test_a_folder_is_not_overwritten(tmp_path):
    (tmp_path / "model").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        ot.rankers.Bias().fit(random_ratings(1)).save(tmp_path / "model")


def test_a_model_is_mapped_not_read(path):
    model = ot.load(path, verify=False)
    f = model.completion.f
    assert isinstance(f.base.base if f.base.base is not None else f.base, np.memmap) or isinstance(
        f.base, np.memmap
    )


def test_killed_while_saving_leaves_the_old_model(path):
    """A process that dies between writing and renaming leaves what was there."""
    program = (
        "import sys, os, overtone as ot; from pathlib import Path\n"
        "Path.replace = lambda *_: os._exit(9)\n"
        "ot.rankers.Bias().fit(ot.Ratings.from_arrays(['a'], ['x'], [3.0])).save(sys.argv[1])\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 9
    assert ot.load(path).ranker == "ldm"
