import json
import math
import subprocess
import sys
import time

import numpy as np
import pytest

import overtone as ot
from overtone.errors import DataError
from overtone.study import Plan, Run, carry_out, everything, paper, quick, report, run as run_file
from overtone.study.plan import jobs_of
from overtone.study.printed import METHODS, RESULTS, SIZES
from overtone.study.results import Results
from tables import long_ratings

SPECS = ("bias", "item-mean", "random", "bias:item_damping=0")


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "ratings.csv"
    long_ratings().write(path)
    return Plan("all", jobs_of([str(path)], [5, 8]), 2, SPECS[:3], cloud=SPECS[3:])


def untold(*_):
    """Say nothing."""


def numbers(run):
    """What must not depend on when or how often a run was stopped."""
    return {
        (row["data"], row["n"], row["seed"], row["spec"]): (row["ndcg"], row["settings"]) for row in run.rows
    }


def ndcg_by_hand(scores, ratings, k=10):
    """NDCG of one user, worked from the paper's equations, ties averaged by trying what they may give."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    gained, place = 0.0, 0
    while place < len(order):
        tied = [one for one in order[place:] if scores[one] == scores[order[place]]]
        mean = sum(2.0 ** ratings[one] - 1.0 for one in tied) / len(tied)
        gained += sum(mean / math.log2(rank + 2) for rank in range(place, place + len(tied)) if rank < k)
        place += len(tied)
    ideal = sorted((2.0**rating - 1.0 for rating in ratings), reverse=True)[:k]
    return gained / sum(gain / math.log2(rank + 2) for rank, gain in enumerate(ideal))


def test_every_case_is_measured_once_and_its_users_are_kept(plan, tmp_path):
    told = []
    run = carry_out(plan, tmp_path / "run", "overtone bench all", lambda *args: told.append(args))
    assert len(run.rows) == len(plan.cases()) == 2 * (2 * 3 + 1)
    assert [(done, total) for _, done, total, _ in told] == [(k, 14) for k in range(14)]
    assert told[0][3] is None
    assert told[-1][3] > 0.0
    for row in run.rows:
        assert run.values(row).astype(float).mean() == pytest.approx(row["ndcg"], abs=1e-6)
        assert row["machine"]
        assert row["seconds"]["fit"] >= 0.0
        assert row["peak_mb"] > 10.0


def test_a_row_is_what_an_independent_computation_gives(plan, tmp_path):
    run = carry_out(plan, tmp_path / "run", "", untold)
    data = plan.jobs[0][0]
    train, test = ot.given_n(ot.Ratings.read(data), 5, seed=1)
    model = ot.rankers.Bias().fit(train)
    by_user = []
    for user in range(test.n_users):
        span = slice(*test.by_user.indptr[user : user + 2])
        items = test.items.take(test.by_user.indices[span])
        scores = model.score([test.users.values[user]] * len(items), items)
        by_user.append(ndcg_by_hand(scores, test.by_user.data[span]))
    row = next(row for row in run.rows if (row["n"], row["seed"], row["spec"]) == (5, 1, "bias"))
    assert row["ndcg"] == pytest.approx(np.mean(by_user), abs=1e-12)
    assert Results.of([run]).figure((data, 5), "bias").mean == pytest.approx(
        np.mean([one["ndcg"] for one in run.rows if (one["n"], one["spec"]) == (5, "bias")])
    )


def test_a_run_that_is_killed_twice_ends_as_one_that_was_not(plan, tmp_path, monkeypatch):
    whole = carry_out(plan, tmp_path / "whole", "", untold)
    measure, left = run_file.measure, [4, 5]

    def killed(*args):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return measure(*args)

    monkeypatch.setattr(run_file, "measure", killed)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            carry_out(plan, tmp_path / "stopped", "", untold)
        # Half a line, as a kill in the middle of a write leaves it.
        with (tmp_path / "stopped" / "cases.jsonl").open("a") as file:
            file.write('{"data": "ratings')
        left[:] = left[1:]
    monkeypatch.setattr(run_file, "measure", measure)
    told = []
    stopped = carry_out(plan, tmp_path / "stopped", "", lambda *args: told.append(args))
    assert len(told) == 14 - 9
    assert numbers(stopped) == numbers(whole)
    lines = (tmp_path / "stopped" / "cases.jsonl").read_text().splitlines()
    assert len(lines) == 15
    assert all(json.loads(line) for line in lines)


def test_a_process_that_is_killed_from_outside_has_lost_nothing(plan, tmp_path):
    data = plan.jobs[0][0]
    words = ["bench", "all", "--quick", "--ratings", data, "--n", "5", "-o", "run"]
    command = [sys.executable, "-m", "overtone", *words]
    first = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    journal = tmp_path / "run" / "cases.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.read_text().count("\n") > 3):
        time.sleep(0.05)
    first.kill()
    first.wait()
    before = Run.read(tmp_path / "run").rows
    assert len(before) >= 3
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    after = Run.read(tmp_path / "run").rows
    assert f"[{len(before) + 1}/{len(after)}]" in done.stderr
    assert after[: len(before)] == before


def test_a_fit_that_fails_is_a_row_that_says_why(plan, tmp_path):
    specs = ("bias", "ranksvd:rate=1e9,hold=0")
    run = carry_out(Plan("all", plan.jobs[:1], 1, specs), tmp_path / "run", "", untold)
    assert [row["spec"] for row in run.rows] == list(specs)
    results = Results.of([run])
    assert results.methods(results.jobs[0]) == ["bias"]
    assert "grew beyond all bounds" in results.failures[0]["failed"]
    page = report([run.folder], tmp_path / "out").read_text()
    assert "Failed: ranksvd:rate=1e9,hold=0" in page


def test_another_plan_or_other_ratings_are_not_mixed_in(plan, tmp_path):
    carry_out(plan, tmp_path / "run", "", untold)
    with pytest.raises(DataError, match="was begun with other settings or other ratings"):
        carry_out(Plan("all", plan.jobs[:1], 2, SPECS[:3]), tmp_path / "run", "", untold)
    long_ratings(users=29).write(plan.jobs[0][0])
    with pytest.raises(DataError, match="was begun with other settings or other ratings"):
        carry_out(plan, tmp_path / "run", "", untold)
    with pytest.raises(DataError, match="is no run of overtone bench"):
        Run.read(tmp_path)


def test_the_papers_plan_has_its_methods_and_its_data():
    found = paper(["ml-100k", "ml-1m"], [], 5)
    assert found.jobs == (("ml-100k", 10), ("ml-100k", 20), ("ml-1m", 10), ("ml-1m", 20), ("ml-1m", 50))
    assert found.table == tuple(METHODS)
    assert {(data, n) for data, n, _ in RESULTS} <= set(SIZES)
    cases = found.cases()
    assert len(set(cases)) == len(cases)
    assert all(case.seed == 0 for case in cases if case.spec in found.curve)


def test_everything_has_every_ranker_and_names_absent_peers():
    found = everything(["ml-1m"], [10], 1)
    assert set(ot.rankers.PRESETS) <= set(found.table)
    assert set(found.absent).isdisjoint(found.table)
    short = quick(found)
    assert not any(spec.endswith("-tuned") for spec in short.table)
    assert len(short.cases()) < len(found.cases())
