import json
import sys

import numpy as np
import polars as pl
import pytest

import overtone as ot
from overtone.cli import main
from tables import long_ratings


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the program in this process: exit code, stdout, stderr."""

    def runner(*words):
        monkeypatch.setattr(sys, "argv", ["overtone", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return runner


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long_ratings().write("ratings.csv")
    return tmp_path


@pytest.fixture
def fitted(folder, run):
    assert run("split", "ratings.csv", "--given-n", 5, "--seed", 7, "-o", "cut")[0] == 0
    assert run("fit", "cut/train.csv", "-o", "model")[0] == 0
    return folder


def test_split_writes_what_the_library_splits(folder, run):
    code, out, _ = run("split", "ratings.csv", "--given-n", 5, "--seed", 7, "-o", "cut")
    assert code == 0
    split = ot.given_n(ot.Ratings.read("ratings.csv"), 5, seed=7)
    for name, part in (("train", split.train), ("test", split.test)):
        assert ot.Ratings.read(f"cut/{name}.csv").table().equals(part.table())
        assert f"cut/{name}.csv: {len(part):,} ratings" in out
    assert f"dropped: {split.dropped_users} users" in out


def test_split_by_time_and_holdout(folder, run):
    table = ot.Ratings.read("ratings.csv").table().sample(fraction=1.0, shuffle=True, seed=2)
    table.with_columns(time=pl.Series(np.arange(len(table)))).write_csv("timed.csv")
    assert run("split", "timed.csv", "--by-time", 0.25, "-o", "late")[0] == 0
    assert run("split", "ratings.csv", "--holdout", 0.1, "-o", "some")[0] == 0
    assert len(pl.read_csv("late/train.csv")) == round(0.75 * len(table))
    code, _, err = run("split", "ratings.csv", "--by-time", 0.25, "-o", "none")
    assert (code, "needs times" in err) == (1, True)
    code, _, err = run("split", "ratings.csv", "--given-n", 5, "--holdout", 0.1, "-o", "none")
    assert (code, "ask for one of" in err) == (1, True)


def test_fit_evaluate_score_and_the_library_agree(fitted, run):
    model, test = ot.load("model"), ot.Ratings.read("cut/test.csv")
    code, out, _ = run("evaluate", "model", "cut/test.csv", "-k", 5, "--json")
    measures = {one["name"]: one for one in json.loads(out)["measures"]}
    assert code == 0
    assert measures["NDCG@5"]["mean"] == pytest.approx(ot.ndcg(model, test, k=5).mean)
    assert set(measures) == {"NDCG@5", "NDCG@5 (linear gain)", "precision@5", "recall@5", "MRR@5", "AUC"}
    pairs = test.table().select("user", "item").sample(fraction=1.0, shuffle=True, seed=1)
    pairs.write_csv("pairs.csv")
    code, _, _ = run("score", "model", "pairs.csv", "-o", "scores.csv", "--fallback")
    scores = pl.read_csv("scores.csv")
    assert code == 0
    assert scores.columns == ["user", "item", "score"]
    assert scores.select("user", "item").equals(pairs)
    np.testing.assert_array_equal(
        scores["score"], model.score(pairs["user"], pairs["item"], unknown="fallback")
    )


def test_evaluate_prints_a_table_with_its_definitions(fitted, run):
    code, out, _ = run("evaluate", "model", "cut/test.csv", "--ties", "first")
    assert code == 0
    assert "NDCG@10: gain 2^r - 1, discount log2(rank + 1), tied scores in the order of the rows" in out
    assert f"{float(ot.ndcg(ot.load('model'), ot.Ratings.read('cut/test.csv'), ties='first')):.4f}" in out


def test_evaluate_says_what_the_model_was_fitted_on_and_what_it_never_saw(fitted, run):
    _, out, err = run("evaluate", "model", "cut/train.csv", "--json")
    assert json.loads(out)["training_ratings"] == len(ot.load("model").ratings)
    assert f"warning: the model was fitted on {len(ot.load('model').ratings):,} of these" in err
    table = ot.Ratings.read("cut/test.csv").table()
    strange = pl.DataFrame({"user": ["x", "x"], "item": ["i001", "y"], "rating": [1.0, 2.0]})
    pl.concat([table.drop("time", strict=False), strange]).write_csv("more.csv")
    _, out, err = run("evaluate", "model", "more.csv", "--json")
    told = json.loads(out)
    assert (told["unknown_users"], told["unknown_items"], told["training_ratings"]) == (1, 1, 0)
    assert "scored by the prior: 1 items and 1 users" in err
    assert "warning" not in err


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (
            ["--ranker", "bias", "--set", "item_damping=3"],
            {"item_damping": 3.0, "user_damping": ot.rankers.Bias().user_damping},
        ),
        (["--ranker", "random", "--seed", "9"], {"seed": 9}),
        (["--set", "neighbors=7", "--set", "symmetric=no", "--threads", "1"], None),
    ],
)
def test_fit_takes_rankers_and_settings(fitted, run, words, settings):
    assert run("fit", "cut/train.csv", "-o", "other", *words)[0] == 0
    got = ot.load("other").settings
    assert settings is None or dict(got) == settings
    if settings is None:
        assert (got["neighbors"], got["symmetric"]) == (7, False)


def test_a_seed_that_changes_nothing_is_said(fitted, run):
    _, _, err = run("fit", "cut/train.csv", "-o", "other", "--ranker", "bias", "--seed", 3)
    assert "draws no random numbers: --seed 3 changes nothing" in err


def test_a_solve_that_did_not_converge_is_said(fitted, run):
    code, _, err = run("fit", "cut/train.csv", "-o", "other", "--set", "tolerance=1e-12")
    assert code == 0
    assert "solves did not converge" in err


def test_recommend_for_a_user_somebody_new_and_everybody(fitted, run):
    model = ot.load("model")
    _, out, _ = run("recommend", "model", "--user", "u003", "-n", 4, "--json")
    assert json.loads(out) == model.recommend("u003", n=4).to_dicts()
    pl.DataFrame({"item": ["i001", "i002"], "rating": [5.0, 1.5]}).write_csv("me.csv")
    _, out, _ = run("recommend", "model", "--ratings", "me.csv", "--json")
    assert json.loads(out) == model.recommend(ratings={"i001": 5, "i002": 1.5}).to_dicts()
    assert run("recommend", "model", "--all", "-n", 3, "-o", "lists.parquet")[0] == 0
    assert pl.read_parquet("lists.parquet").equals(model.recommend_all(n=3))
    _, out, _ = run("recommend", "model", "--all", "-n", 3, "--json")
    assert [json.loads(line)["item"] for line in out.splitlines()] == model.recommend_all(n=3)[
        "item"
    ].to_list()
    _, out, _ = run("recommend", "model", "--user", "u003", "-n", 2)
    assert model.recommend("u003", n=2)["item"][1] in out


def test_recommend_takes_filters(fitted, run):
    best = ot.load("model").recommend("u003", n=5)["item"].to_list()
    pl.DataFrame({"item": best[2:]}).write_csv("some.csv")
    words = (
        "recommend",
        "model",
        "--user",
        "u003",
        "--candidates",
        "some.csv",
        "--exclude",
        best[2],
        "--json",
    )
    _, out, _ = run(*words)
    assert [one["item"] for one in json.loads(out)] == best[3:]
    _, out, _ = run("recommend", "model", "--user", "nobody", "--fallback", "--json")
    assert all(one["fallback"] for one in json.loads(out))


def test_explain_sums_to_the_score(fitted, run):
    _, out, _ = run("explain", "model", "--user", "u003", "--item", "i004", "--json")
    told = json.loads(out)
    assert told["score"] == pytest.approx(ot.load("model").score(["u003"], ["i004"])[0], abs=1e-4)
    assert sum(part["contribution"] for part in told["parts"]) == pytest.approx(told["score"])
    _, out, _ = run("explain", "model", "--user", "u003", "--item", "i004", "-n", 2)
    assert f"{told['score']:.4f}" in out


def test_rankers_lists_every_setting(run):
    _, out, _ = run("rankers")
    _, as_json, _ = run("rankers", "--json")
    for name, one in json.loads(as_json).items():
        assert f"{name}: " in out
        assert all(f"{key}=" in out for key in one["settings"])


def test_int_ids_typed_as_text_are_found(folder, run):
    ot.Ratings.from_arrays([1, 1, 2, 2], [10, 20, 10, 30], [5, 4, 3, 1]).write("numbers.csv")
    run("fit", "numbers.csv", "-o", "model")
    code, out, _ = run("recommend", "model", "--user", "1", "--json")
    assert code == 0
    assert json.loads(out)[0]["item"] == 30


def test_other_column_names_and_duplicates(folder, run):
    (folder / "odd.csv").write_text("who,what,how much\na,x,5\na,x,4\nb,x,3\nb,y,1\n")
    named = ("--column", "user=who", "--column", "item=what", "--column", "rating=how much")
    code, _, err = run("fit", "odd.csv", "-o", "model", *named)
    assert (code, "rows 1 and 2" in err) == (1, True)
    assert run("fit", "odd.csv", "-o", "model", *named, "--duplicates", "last")[0] == 0
    assert len(ot.load("model").ratings) == 3


WRONG = [
    (("fit", "none.csv", "-o", "m"), "there is no file none.csv"),
    (("fit", "ratings.csv", "-o", "m", "--ranker", "lmd"), "there is no ranker 'lmd' (did you mean ldm?)"),
    (("fit", "ratings.csv", "-o", "m", "--set", "neighbours=3"), "did you mean neighbors?"),
    (
        ("fit", "ratings.csv", "-o", "m", "--set", "neighbors=many"),
        "neighbors must be a whole number, not 'many'",
    ),
    (("fit", "ratings.csv", "-o", "m", "--set", "neighbors"), "--set must be KEY=VALUE, not 'neighbors'"),
    (("fit", "ratings.csv", "-o", "m", "--set", "symmetric=perhaps"), "symmetric must be true or false"),
    (("fit", "ratings.csv", "-o", "m", "--set", "mu=-1"), "mu must be a finite number above 0, not -1.0"),
    (("fit", "ratings.csv", "-o", "m", "--threads", "0"), "threads must be in 1..1024, not 0"),
    (
        ("fit", "ratings.csv", "-o", "m", "--column", "who=me"),
        "--column takes user, item, rating, time, not 'who'",
    ),
    (("fit", "ratings.csv", "-o", "cut"), "cut is a folder"),
    (("fit", "none.csv", "-o", "cut"), "cut is a folder"),  # told before any work
    (("fit", "ratings.csv", "-o", "no/model"), "there is no folder no; make it first"),
    (("fit", "ratings.csv", "-o", "ratings.csv"), "ratings.csv is what is read here"),
    (("score", "model", "bad.csv", "-o", "./bad.csv"), "bad.csv is what is read here"),
    (("recommend", "model", "--all", "-o", "model"), "model is what is read here"),
    (("split", "cut/test.csv", "--holdout", "0.5", "-o", "cut"), "cut/test.csv is what is read here"),
    (("recommend", "model", "--all", "-o", "l.csv", "--json"), "ask for one of -o OUT and --json"),
    (("evaluate", "model", "other.csv"), "knows none of the users and items of other.csv"),
    (("split", "ratings.csv", "--given-n", "-1", "-o", "x"), "n must be at least 1, not -1"),
    (
        ("split", "ratings.csv", "--given-n", "1000", "-o", "x"),
        "given-1000 needs users with at least 1010 ratings",
    ),
    (("split", "ratings.csv", "--holdout", "1.5", "-o", "x"), "fraction must be between 0 and 1, not 1.5"),
    (("evaluate", "none", "cut/test.csv"), "there is no model file none"),
    (("evaluate", "ratings.csv", "cut/test.csv"), "ratings.csv is not a model"),
    (("evaluate", "model", "cut/test.csv", "-k", "0"), "k must be at least 1, not 0"),
    (
        ("evaluate", "model", "cut/test.csv", "--ties", "random"),
        "ties must be one of average, first, not 'random'",
    ),
    (("recommend", "model"), "ask for one of --user ID, --ratings FILE and --all"),
    (("recommend", "model", "--user", "u0033"), "unknown user 'u0033'; did you mean"),
    (("recommend", "model", "--user", "u003", "-n", "0"), "n must be at least 1, not 0"),
    (("recommend", "model", "--all"), "--all needs -o OUT"),
    (("recommend", "model", "--all", "-o", "lists.xlsx"), "tables are written as .parquet, .csv, .jsonl"),
    (("recommend", "model", "--ratings", "ratings.csv"), "is rated twice"),
    (("explain", "model", "--user", "u003", "--item", "none"), "unknown item 'none'"),
    (("score", "model", "cut/none.csv", "-o", "s.csv"), "there is no file cut/none.csv"),
    (("score", "model", "bad.csv", "-o", "s.csv"), "unknown user 'nobody'"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_a_mistake_is_one_sentence_and_writes_nothing(fitted, run, words, sentence):
    (fitted / "bad.csv").write_text("user,item\nu003,i001\nnobody,i001\n")
    (fitted / "other.csv").write_text("user,item,rating\nx,y,1\nx,z,2\n")
    before = {path: path.is_file() and path.read_bytes() for path in fitted.rglob("*")}
    code, out, err = run(*words)
    assert code == 1
    assert out == ""
    assert sentence in err
    assert err.startswith("overtone: ")
    assert err.count("\n") == 1
    assert {path: path.is_file() and path.read_bytes() for path in fitted.rglob("*")} == before


def test_tune_prints_what_the_library_finds_and_how_to_fit_with_it(folder, run):
    words = ("tune", "ratings.csv", "--ranker", "biased-mf", "--try", "rank=2,3", "--try", "l2=4,9")
    code, out, _ = run(*words, "--keep", "trials.jsonl")
    grid = {"rank": [2, 3], "l2": [4.0, 9.0]}
    found = ot.tune("biased-mf", ot.Ratings.read("ratings.csv"), grid)
    assert code == 0
    last = out.splitlines()[-1]
    rank, l2 = found.settings["rank"], found.settings["l2"]
    assert last == f"overtone fit ratings.csv --ranker biased-mf --set rank={rank} --set l2={l2:g} -o MODEL"
    assert run(*last.replace("MODEL", "model").split()[1:])[0] == 0
    assert dict(ot.load("model").settings) | found.settings == dict(ot.load("model").settings)
    assert len((folder / "trials.jsonl").read_text().splitlines()) == 5
    listed = json.loads(run(*words, "--json")[1])
    assert listed["settings"] == found.settings
    assert [one["ndcg"] for one in listed["trials"]] == [one["ndcg"] for one in found.records]


def test_usage_mistakes_point_to_help(run):
    for words in (("fit",), ("nothing",), ("recommend", "m", "--user")):
        code, _, err = run(*words)
        assert code == 2
        assert "for help" in err or "requires an argument" in err


def test_every_command_has_help(run):
    for command in ("split", "fit", "score", "evaluate", "recommend", "explain", "rankers", "demo"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "Usage" in out
    assert run("--version")[1].startswith("overtone ")
