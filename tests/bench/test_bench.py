import json

import numpy as np
import pytest

import overtone as ot
from overtone.bench import cost_table, quality_table
from overtone.peers import PEERS, peer_of
from tables import random_ratings


def test_quality_measures_every_ranker_on_the_same_splits(run_bench, tmp_path):
    chosen = ("--ranker", "bias", "--ranker", "bias:item_damping=0,user_damping=1")
    words = ("quality", "--data", "ratings.csv", "--n", 5, "--n", 8, "--seeds", 2, *chosen, "-o", "run.json")
    code, out, _ = run_bench(*words)
    stored = json.loads((tmp_path / "run.json").read_text())
    assert code == 0
    assert stored["command"] == "overtone bench " + " ".join(map(str, words))
    assert len(stored["rows"]) == 8
    for row in stored["rows"]:
        train, test = ot.given_n(ot.Ratings.read("ratings.csv"), row["n"], seed=row["seed"])
        assert row["ndcg"] == ot.ndcg(ot.rankers.Bias(**row["settings"]).fit(train), test).mean
    assert quality_table(stored) in out
    values = [row["ndcg"] for row in stored["rows"] if (row["n"], row["ranker"]) == (5, "bias")]
    assert f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(2):.4f}" in out
    assert quality_table(stored) in run_bench("table", "run.json")[1]


@pytest.mark.parametrize("name", ["libmf", "myfm", "surprise-svd", "cornac-mf"])
def test_a_peer_is_judged_beside_the_rankers(run_bench, tmp_path, name):
    words = (
        "quality",
        "--data",
        "ratings.csv",
        "--n",
        8,
        "--seeds",
        1,
        "--ranker",
        "random",
        "--ranker",
        name,
    )
    code, out, err = run_bench(*words, "-o", "run.json")
    if peer_of(name).absent:
        assert (code, "install overtone[bench]" in err) == (1, True)
        return
    chance, peer = json.loads((tmp_path / "run.json").read_text())["rows"]
    assert (peer["ranker"], peer["settings"]) == (name, peer_of(name).settings)
    assert peer["users"] == chance["users"]
    assert peer["ndcg"] != chance["ndcg"]
    assert f"`{name}`" in out


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_scores_users_and_items_without_training_ratings(name):
    peer = peer_of(name)
    if peer.absent:
        pytest.skip(peer.absent)
    ratings = random_ratings(4, users=60, items=20, each=7)
    kept = ratings.keep((ratings.by_user.indices < 17) & (ratings.user_rows < 57))
    assert np.isfinite(peer.fit(kept, 1).score_ratings(ratings)).all()


def test_cost_measures_each_fit_in_its_own_process(run_bench, tmp_path):
    code, out, _ = run_bench("cost", "--data", "ratings.csv", "--n", 5, "--ranker", "bias", "-o", "run.json")
    stored = json.loads((tmp_path / "run.json").read_text())
    assert code == 0
    assert cost_table(stored) in out
    row = stored["rows"][0]
    assert len(row["warm_runs"]) == 5
    assert 0 < row["warm_seconds"] < 60
    assert 10 < row["peak_mb"] < 4000
    assert set(stored["starts"]) == {"import overtone", "overtone --help"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("table", "ratings.csv"), "ratings.csv is not a stored run"),
        (("table", "none.json"), "none.json: No such file"),
        (("quality", "--data", "none.csv", "-o", "r.json"), "there is no file none.csv"),
        (("quality", "--data", "ml-2m", "-o", "r.json"), "2m"),
        (
            ("quality", "--data", "ratings.csv", "--seeds", 0, "-o", "r.json"),
            "seeds must be at least 1, not 0",
        ),
        (
            ("quality", "--data", "ratings.csv", "--ranker", "best", "-o", "r.json"),
            "there is no ranker 'best'",
        ),
    ],
)
def test_mistakes_are_one_sentence(run_bench, tmp_path, words, sentence):
    code, _, err = run_bench(*words)
    assert code == 1
    assert sentence in err
    assert err.count("\n") == 1
    assert not (tmp_path / "r.json").exists()
