import json
import sys

import numpy as np
import pytest

import oracles
import overtone as ot
from overtone.bench import draw_growth, growth, speed_table
from overtone.bench.cost import fit_here
from overtone.bench.growth import exponents, measure_growth
from overtone.bench.origin import SHAPES, ratings_of
from overtone.bench.process import alone, forget_peak, peak_mb
from overtone.bench.stages import STAGES, checked, residuals
from overtone.peers import peer_of
from overtone.rankers import LDM
from tables import long_ratings

SPEC = "ldm-paper:search=exact,tolerance=1e-6,neighbors=8"


def test_a_run_names_every_stage_its_work_and_its_limits(run_bench, tmp_path):
    words = ("speed", "--data", "ratings.csv", "--n", 5, "--ranker", SPEC, "--repeats", 1, "--no-growth")
    code, out, _ = run_bench(*words, "--peer", "libmf", "-o", "run.json")
    assert code == 0
    stored = json.loads((tmp_path / "run.json").read_text())
    assert speed_table(stored) in out
    (row,), (peer,) = stored["stages"], stored["peers"]
    assert set(row["seconds"]) == set(row["peak_mb"]) == set(STAGES)
    assert all(value > 0.0 for value in row["seconds"].values())
    train, _ = ot.given_n(ot.Ratings.read("ratings.csv"), 5, seed=0)
    model = ot.make_ranker("ldm-paper", dict(search="exact", tolerance=1e-6, neighbors=8, keep="yes")).fit(
        train
    )
    work = row["work"]
    assert work["columns"] == train.n_items
    assert work["edges"] == len(model.weights.data)
    assert work["multiply_adds"] == pytest.approx(work["edges"] * model.report.sweeps.sum())
    assert work["unconverged"] == 0
    assert row["one_by_one"]["failed"] == 0
    for who in ("known_ms", "new_ms"):
        assert 0.0 < row["answers"][who]["median"] <= row["answers"][who]["p95"] < 5000.0
    assert 0.05 < row["rates"]["sweep_over_bare"] < 1.5
    assert ("absent" in peer) == (peer_of("libmf").absent is not None)
    code, out, _ = run_bench("table", "run.json")
    assert speed_table(stored) in out


def test_residuals_are_those_of_the_dense_equations():
    train, _ = ot.given_n(long_ratings(), 5, seed=0)
    extension = (
        LDM(**{**LDM.paper_settings(), "neighbors": 8, "tolerance": 1e-4, "keep": "no"}).fit(train).extension
    )
    part = extension.extend(np.arange(4))
    by_label, by_norm = residuals(extension, part)
    S = oracles.dense(extension.walk.steps._replace(data=extension.walk.exact), train.n_users)
    known = oracles.dense(extension.known, train.n_users)
    for b, column in enumerate(part.columns):
        labelled = known[column] != 0
        seen = np.where(labelled, known[column], part.f[:, b])
        off = part.f[:, b] - S @ seen
        np.testing.assert_allclose(by_label[b], np.abs(off).max() / np.abs(known[column]).max(), atol=1e-7)
        np.testing.assert_allclose(
            by_norm[b], np.linalg.norm(off) / np.linalg.norm(S @ known[column]), atol=1e-6
        )
    assert checked(extension)["residual_of_greatest_label"] <= 1e-4


def test_a_power_law_has_its_exponent():
    rows = [
        {"axis": axis, axis: value} | dict.fromkeys(growth.MEASURES, 3.0 * value**1.5)
        for axis, values in growth.AXES.items()
        for value in values
    ]
    for slopes in exponents(rows).values():
        np.testing.assert_allclose(list(slopes.values()), 1.5)


def test_growth_is_measured_and_drawn(monkeypatch, tmp_path):
    monkeypatch.setattr(
        growth, "BASE", {"users": 60, "items": 50, "ratings": 5, "neighbors": 4, "threads": 1}
    )
    monkeypatch.setattr(growth, "AXES", {"users": (60, 120), "neighbors": (4, 8)})
    found = measure_growth("ldm-paper:search=exact")
    assert [(row["axis"], row["users"], row["neighbors"]) for row in found["points"]] == [
        ("users", 60, 4),
        ("users", 120, 4),
        ("neighbors", 60, 4),
        ("neighbors", 60, 8),
    ]
    assert all(10 < row["peak_mb"] < 4000 and row["total"] > row["solve"] > 0 for row in found["points"])
    draw_growth(found, tmp_path / "growth.svg")
    picture = (tmp_path / "growth.svg").read_text()
    for text in (
        "seconds",
        "peak memory, MB",
        "neighbours (K)",
        f"exponent {found['exponents']['users']['peak_mb']:.2f}",
    ):
        assert text in picture
    draw_growth(found, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == picture


def test_the_shape_of_movielens_10m_is_that_of_the_paper(monkeypatch):
    made = []
    monkeypatch.setattr("overtone.bench.origin.synthetic", lambda *sizes, least: made.append((*sizes, least)))
    for n in SHAPES:
        ratings_of("synthetic-10m", n)
    assert made[0] == (69_878, 10_677, 10_000_054, 20)
    assert made[-1] == (24_328, 10_666, 7_730_011, 110)


def test_a_peer_that_is_not_installed_says_so(monkeypatch):
    peer = peer_of("libmf")
    monkeypatch.setattr(sys.modules[peer.fit.__module__], "NEEDS", "no_such_library")
    assert "no_such_library cannot be imported" in peer_of("libmf").absent
    assert "install overtone[bench]" in peer_of("libmf").absent


def scores_by(name, ratings):
    peer = peer_of(name)
    if peer.absent:
        pytest.skip(peer.absent)
    factors = peer.fit(ratings, 1)
    scores = factors.users @ factors.items.T
    assert scores.shape == (ratings.n_users, ratings.n_items)
    assert np.isfinite(scores).all()
    return scores, scores[ratings.user_rows, ratings.by_user.indices]


def test_libmf_learns_what_ratings_say():
    ratings = ot.datasets.synthetic(users=300, items=120, ratings=9_000, seed=1)
    _, rated = scores_by("libmf", ratings)
    assert np.corrcoef(rated, ratings.by_user.data)[0, 1] > 0.5


def test_implicit_learns_who_rates_what():
    scores, rated = scores_by(
        "implicit-als", ot.datasets.synthetic(users=300, items=120, ratings=9_000, seed=1)
    )
    assert rated.mean() > scores.mean() + scores.std()


def test_a_peak_is_that_of_what_came_since():
    room = np.ones(2**25)
    high = peak_mb()
    del room
    forget_peak()
    assert peak_mb() < high - 200


def test_what_goes_wrong_in_a_measurement_is_one_sentence():
    with pytest.raises(ot.OvertoneError, match=r"there is no file none\.csv"):
        alone(fit_here, "none.csv", 10, "bias")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--ranker", "bias"), "stages are those of ldm and ldm-paper, not of 'bias'"),
        (("--data", "synthetic-10m", "--n", 7), "synthetic-10m has a shape for n of 10, 20, 50, 100, not 7"),
        (
            ("--peer", "svd"),
            "peer must be one of implicit-als, libmf, myfm, surprise-svd, cornac-mf, not 'svd'",
        ),
        (("--peer", "myfm"), "myfm has no factors to score every pair with; compare it by bench quality"),
        (("--repeats", 0), "repeats must be at least 1, not 0"),
    ],
)
def test_mistakes_are_one_sentence(run_bench, tmp_path, words, sentence):
    code, _, err = run_bench("speed", *words, "-o", "r.json")
    assert code == 1
    assert sentence in err
    assert err.count("\n") == 1
    assert not (tmp_path / "r.json").exists()


def test_a_run_without_growth_cannot_be_drawn(run_bench, tmp_path):
    (tmp_path / "r.json").write_text('{"kind": "speed", "growth": null}')
    code, _, err = run_bench("plot", "r.json", "-o", "g.svg")
    assert code == 1
    assert "r.json holds no growth" in err


def test_what_cannot_be_written_or_drawn_is_said_before_the_work(run_bench, monkeypatch):
    code, _, err = run_bench("speed", "-o", "nowhere/r.json")
    assert code == 1
    assert "there is no folder nowhere" in err
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, _, err = run_bench("speed", "-o", "r.json")
    assert code == 1
    assert "drawing needs matplotlib; install overtone[plot]" in err
