import json

import numpy as np
import pytest

import overtone as ot
from overtone.errors import DataError, SettingError
from overtone.rankers import tuning as tuning_file
from overtone.splits import within_users
from tables import random_ratings

GRID = {"item_damping": [1.0, 10.0, 50.0], "user_damping": [2.0, 10.0]}


@pytest.fixture(scope="module")
def ratings():
    return ot.datasets.synthetic(users=80, items=50, ratings=1_600, seed=3)


def test_every_combination_is_judged_on_splits_inside_the_ratings(ratings):
    found = ot.tune("bias", ratings, GRID, splits=2, seed=4)
    assert len(found.records) == 6
    for trial in found.records:
        values = []
        for seed in (4, 5):
            train, test = within_users(ratings, seed=seed)
            assert len(train) + len(test) == len(ratings)
            values.append(ot.ndcg(ot.rankers.Bias(**trial["settings"]).fit(train), test, k=10).mean)
        assert trial["ndcg"] == np.mean(values)
    best = max(trial["ndcg"] for trial in found.records)
    assert found.trials["ndcg"][0] == best
    assert found.ranker == ot.rankers.Bias(**found.settings)
    assert found.settings == next(one["settings"] for one in found.records if one["ndcg"] == best)


def test_a_share_of_each_users_ratings_is_held_out():
    ratings = random_ratings(1, users=20, items=15, each=6)
    train, test = within_users(ratings, fraction=0.4, seed=2)
    each, kept = np.diff(ratings.by_user.indptr), np.diff(train.by_user.indptr)
    assert kept.tolist() == np.maximum(each - np.maximum(np.rint(0.4 * each), 1), 1).tolist()
    both = set(zip(train.user_rows, train.by_user.indices, strict=True)) & set(
        zip(test.user_rows, test.by_user.indices, strict=True)
    )
    assert not both


def test_some_combinations_by_chance_are_the_same_for_the_same_seed(ratings):
    one = ot.tune("bias", ratings, GRID, trials=3, splits=1, seed=1)
    again = ot.tune("bias", ratings, GRID, trials=3, splits=1, seed=1)
    assert [trial["settings"] for trial in one.records] == [trial["settings"] for trial in again.records]
    assert len(one.records) == 3


def test_other_seeds_pick_other_combinations_and_the_rankers_own_come_first(ratings):
    picked = {
        seed: [
            one["settings"] for one in ot.tune("bias", ratings, GRID, trials=3, splits=1, seed=seed).records
        ]
        for seed in range(4)
    }
    assert len({str(one) for one in picked.values()}) > 1
    first = ot.tune("bias", ratings, {"item_damping": [1.0, 10.0], "user_damping": [2.0, 10.0]}, splits=1)
    assert first.records[0]["settings"] == {"item_damping": 10.0, "user_damping": 10.0}


def test_a_tuned_ranker_hands_its_seed_on(ratings):
    model = ot.make_ranker("biased-mf-tuned", {"splits": 1, "seed": 3}).fit(ratings)
    assert model.settings["seed"] == 3


def test_killed_in_the_middle_it_goes_on_where_it_was(ratings, tmp_path, monkeypatch):
    kept = tmp_path / "trials.jsonl"
    whole = ot.tune("bias", ratings, GRID, keep=kept)
    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 7
    kept.write_text("".join(lines[:3]) + lines[3][:20])
    judged = []
    judge = tuning_file._judge
    monkeypatch.setattr(tuning_file, "_judge", lambda *args: judged.append(1) or judge(*args))
    again = ot.tune("bias", ratings, GRID, keep=kept)
    assert len(judged) == 4
    assert [(one["settings"], one["ndcg"]) for one in again.records] == [
        (one["settings"], one["ndcg"]) for one in whole.records
    ]
    assert [json.loads(line)["settings"] for line in kept.read_text().splitlines()[1:]] == [
        one["settings"] for one in whole.records
    ]


def test_trials_of_something_else_are_not_mixed_in(ratings, tmp_path):
    kept = tmp_path / "trials.jsonl"
    ot.tune("bias", ratings, GRID, trials=1, keep=kept)
    before = kept.read_bytes()
    for call in (
        lambda: ot.tune("bias", random_ratings(1), GRID, keep=kept),
        lambda: ot.tune("bias", ratings, GRID, seed=9, keep=kept),
        lambda: ot.tune("biased-mf", ratings, trials=1, keep=kept),
    ):
        with pytest.raises(DataError, match="was begun with other settings"):
            call()
    assert kept.read_bytes() == before
    kept.write_text("nonsense\n")
    with pytest.raises(DataError, match="is not a journal of overtone"):
        ot.tune("bias", ratings, GRID, keep=kept)


def test_wrong_grids_are_refused_before_any_fit(ratings):
    for grid, message in (
        ({"item_dampings": [1.0]}, "has no setting 'item_dampings'"),
        ({"item_damping": []}, "must give a list of values for 'item_damping'"),
        ({"item_damping": "10"}, "must give a list of values for 'item_damping'"),
        ({"item_damping": [1.0, -1.0]}, "item_damping must be a finite number at least 0"),
        (None, "bias has nothing to tune by itself"),
    ):
        with pytest.raises(SettingError, match=message):
            ot.tune("bias", ratings, grid)
    with pytest.raises(SettingError, match="trials must be at least 1"):
        ot.tune("bias", ratings, GRID, trials=0)


def test_a_tuned_ranker_fits_with_what_tuning_chose(ratings):
    found = ot.tune("biased-mf", ratings, splits=1)
    model = ot.make_ranker("biased-mf-tuned", {"splits": 1}).fit(ratings)
    assert model.ranker == "biased-mf-tuned"
    assert {key: model.settings[key] for key in found.settings} == found.settings
    users = np.arange(ratings.n_users)
    assert model.score_block(users).tobytes() == found.ranker.fit(ratings).score_block(users).tobytes()


def test_settings_that_cannot_be_fitted_come_last_and_stop_nothing(ratings):
    found = ot.tune("ranksvd", ratings, {"rate": [1e9, 5.0], "hold": [0.0]}, splits=1)
    assert [one["ndcg"] == 0.0 for one in found.records] == [True, False]
    assert "grew beyond all bounds" in found.records[0]["failed"]
    assert found.settings["rate"] == 5.0
    assert len(found.trials) == 2


def test_where_nothing_can_be_held_out_the_rankers_own_settings_are_taken():
    ratings = ot.Ratings.from_arrays(["a", "b"], ["x", "y"], [5.0, 1.0])
    with pytest.raises(DataError, match="no rating is left for the test side"):
        ot.tune("biased-mf", ratings)
    model = ot.make_ranker("biased-mf-tuned").fit(ratings)
    assert dict(model.settings) == ot.rankers.PRESETS["biased-mf"].defaults()


def test_every_preset_with_a_grid_has_a_tuned_twin():
    for name, preset in ot.rankers.PRESETS.items():
        assert (f"{name}-tuned" in ot.rankers.PRESETS) == bool(preset.grid)
        for key, values in preset.grid.items():
            for value in values:
                ot.make_ranker(name, {key: value})
