"""What every ranker promises, whatever it learns; `rankers/test_contract.py` runs it on all of them."""

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

import oracles
import overtone as ot
from overtone.errors import DataError, SettingError, UnknownIdError
from tables import checkerboard, random_ratings


@cache
def common_ratings():
    return random_ratings(11, users=40, items=25, each=6)


@cache
def fitted(name, settings):
    return ot.make_ranker(name, dict(settings)).fit(common_ratings())


class Contract:
    """Subclasses set `name` and `settings`."""

    name = ""
    settings: dict = {}  # noqa: RUF012

    @pytest.fixture
    def ratings(self):
        return common_ratings()

    @pytest.fixture
    def ranker(self):
        return ot.make_ranker(self.name, self.settings)

    @pytest.fixture
    def model(self):
        return fitted(self.name, tuple(self.settings.items()))

    def scores(self, model):
        return model.score_block(np.arange(len(model.users)))

    def test_scores_are_numbers_for_every_user_and_item(self, model):
        scores = self.scores(model)
        assert scores.shape == (40, 25)
        assert np.isfinite(scores).all()

    def test_scoring_pairs_lists_and_ratings_agree(self, model, ratings):
        block = self.scores(model)
        users, items = ratings.users.values, ratings.items.values
        pairs = model.score(users.gather([0, 3, 3]), items.gather([4, 4, 1]))
        np.testing.assert_allclose(pairs, block[[0, 3, 3], [4, 4, 1]], rtol=1e-6)
        known = model.score_ratings(ratings)
        np.testing.assert_allclose(known, block[ratings.user_rows, ratings.by_user.indices], rtol=1e-6)

    def test_the_same_fit_gives_the_same_bytes_for_any_number_of_threads(self, ranker, ratings):
        one, two = ranker.fit(ratings, threads=1), ranker.fit(ratings, threads=2)
        assert self.scores(one).tobytes() == self.scores(two).tobytes()

    def test_the_order_of_the_input_does_not_matter(self, ranker, ratings):
        table = ratings.table()
        shuffled = ot.Ratings.from_table(table.sample(fraction=1.0, shuffle=True, seed=3))
        assert self.scores(ranker.fit(shuffled)).tobytes() == self.scores(ranker.fit(ratings)).tobytes()

    def test_a_list_is_the_best_unrated_items_in_order(self, model, ratings):
        for user in ("u000", "u017", "u039"):
            row = ratings.users.row(user)
            rated = set(
                ratings.items.take(ratings.by_user.indices[slice(*ratings.by_user.indptr[row : row + 2])])
            )
            score = dict(zip(ratings.items.values, self.scores(model)[row], strict=True))
            expected = sorted(
                (item for item in score if item not in rated), key=lambda item: (-score[item], item)
            )
            got = model.recommend(user, n=7)
            assert got.columns == ["rank", "item", "score"]
            assert got["item"].to_list() == expected[:7]
            assert got["rank"].to_list() == list(range(1, 8))
            np.testing.assert_allclose(got["score"], [score[item] for item in got["item"]], rtol=1e-5)

    def test_a_list_is_as_long_as_asked_or_as_there_are_items(self, model, ratings):
        unrated = len(ratings.items) - int(np.diff(ratings.by_user.indptr)[0])
        assert len(model.recommend("u000", n=1)) == 1
        assert len(model.recommend("u000", n=1000)) == unrated
        assert len(model.recommend("u000", n=1000, include_rated=True)) == len(ratings.items)

    def test_exclude_and_candidates_filter(self, model):
        best = model.recommend("u001", n=3)["item"].to_list()
        assert model.recommend("u001", n=3, exclude=best[:1])["item"].to_list()[:2] == best[1:]
        assert set(model.recommend("u001", n=3, candidates=best[1:])["item"]) == set(best[1:])
        assert len(model.recommend("u001", candidates=[])) == 0

    def test_the_lists_of_all_are_the_lists_of_each(self, model):
        everybody = model.recommend_all(n=4)
        for user in ("u000", "u023"):
            own = everybody.filter(pl.col("user") == user).drop("user")
            assert own["item"].to_list() == model.recommend(user, n=4)["item"].to_list()
        assert everybody["user"].n_unique() == 40

    @pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
    def test_lists_are_streamed_to_a_file(self, model, tmp_path, ending):
        path = tmp_path / f"lists.{ending}"
        assert model.recommend_all(path, n=3) is None
        read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "jsonl": pl.read_ndjson}[ending](path)
        assert read["item"].to_list() == model.recommend_all(n=3)["item"].to_list()
        assert list(tmp_path.iterdir()) == [path]

    def test_saving_and_loading_changes_nothing(self, model, tmp_path):
        model.save(tmp_path / "model")
        loaded = ot.load(tmp_path / "model")
        assert self.scores(loaded).tobytes() == self.scores(model).tobytes()
        assert dict(loaded.settings) == dict(model.settings)
        assert loaded.ranker == model.ranker
        person = {"i003": 5, "i007": 1}
        assert loaded.recommend(ratings=person).equals(model.recommend(ratings=person))
        assert loaded.explain("u002", "i001").equals(model.explain("u002", "i001"))

    def test_the_parts_of_an_explanation_sum_to_the_score(self, model):
        for user in ("u000", "u013"):
            for item in ("i000", "i011", "i024"):
                parts = model.explain(user, item)
                assert parts.columns == ["source", "user", "item", "rating", "weight", "contribution"]
                assert parts["contribution"].sum() == pytest.approx(model.score([user], [item])[0], abs=1e-4)

    def test_unknown_ids_are_named(self, model):
        with pytest.raises(UnknownIdError, match="unknown user 'nobody'"):
            model.recommend("nobody")
        with pytest.raises(UnknownIdError, match=r"unknown item 'i0011'; did you mean .*i001"):
            model.score(["u000"], ["i0011"])
        with pytest.raises(UnknownIdError, match="the user ids here are str, not int"):
            model.recommend(7)

    def test_unknown_ids_can_be_served_and_the_answer_says_so(self, model):
        served = model.recommend("nobody", n=3, unknown="fallback")
        assert served["fallback"].all()
        assert len(served) == 3
        assert not model.recommend("u000", n=3, unknown="fallback")["fallback"].any()
        partly = model.recommend(ratings={"i001": 4, "no such item": 5}, n=3, unknown="fallback")
        assert partly["fallback"].all()
        assert np.isfinite(model.score(["nobody", "u000"], ["i000", "no such"], unknown="fallback")).all()

    def test_somebody_new_gets_a_list_without_what_they_rated(self, model):
        person = {"i003": 5, "i007": 1.5, "i011": 4}
        got = model.recommend(ratings=person, n=100)
        assert set(got["item"]) == set(model.items.values) - set(person)
        assert np.isfinite(got["score"].to_numpy()).all()

    def test_wrong_questions_are_refused(self, model):
        with pytest.raises(SettingError, match="either a known user or the ratings"):
            model.recommend()
        with pytest.raises(SettingError, match="n must be at least 1, not 0"):
            model.recommend("u000", n=0)
        with pytest.raises(SettingError, match="n must be at least 1, not -3"):
            model.recommend_all(n=-3)
        with pytest.raises(SettingError, match="the rating of 'i001' must be a finite number"):
            model.recommend(ratings={"i001": float("nan")})
        with pytest.raises(DataError, match="2 users but 1 items"):
            model.score(["u000", "u001"], ["i000"])

    def test_what_is_not_ratings_is_refused_by_name(self, ranker, model, ratings):
        with pytest.raises(DataError, match=r"this takes a Ratings, not polars\..*DataFrame: make one with"):
            ranker.fit(ratings.table())
        with pytest.raises(SettingError, match="ratings must map item ids to numbers, not be a list"):
            model.recommend(ratings=[("i001", 5)])
        for name in ("exclude", "candidates"):
            with pytest.raises(SettingError, match=f"{name} must be a list of item ids, not 'i001'"):
                model.recommend("u000", **{name: "i001"})

    def test_it_prints_as_one_line(self, model):
        assert repr(model).count("\n") == 0
        assert f"{model.ranker!r}, fitted on Ratings(" in repr(model)

    def test_similar_users_and_items_are_nearest_by_what_they_share(self, model, ratings):
        near = oracles.nearest(ratings.by_user, ratings.n_items, 5)[3]
        got = model.similar_users("u003", n=5)
        assert got["user"].to_list() == [ratings.users.values[row] for row, _ in near]
        np.testing.assert_allclose(got["overlap"], [value for _, value in near], rtol=1e-12)
        near = oracles.nearest(ratings.by_item(), ratings.n_users, 5)[2]
        got = model.similar_items("i002", n=5)
        assert got["item"].to_list() == [ratings.items.values[row] for row, _ in near]

    def test_test_ratings_of_strangers_and_new_items_are_scored_by_the_prior(self, model):
        test = ot.Ratings.from_arrays(
            ["u000", "u000", "zz", "zz"], ["i000", "new", "i000", "new"], [5, 1, 3, 2]
        )
        assert np.isfinite(model.score_ratings(test)).all()
        assert ot.ndcg(model, test).users == 2

    def test_negative_and_real_valued_ratings_are_ratings(self, ranker):
        rng = np.random.default_rng(5)
        user, item = np.nonzero(rng.random((20, 12)) < 0.5)
        value = rng.uniform(-10, 10, len(user)).round(2)
        model = ranker.fit(ot.Ratings.from_arrays(user, item, value))
        assert np.isfinite(model.score_block(np.arange(len(model.users)))).all()
        assert np.isfinite(model.recommend(ratings={0: -9.5, 1: 0.0})["score"].to_numpy()).all()

    def test_the_smallest_tables_are_answered(self, ranker):
        for user, item in (
            (["a"], ["x"]),
            (["a", "b"], ["x", "x"]),
            (["a", "a"], ["x", "y"]),
            (["a", "b"], ["x", "y"]),
        ):
            model = ranker.fit(ot.Ratings.from_arrays(user, item, [3.0] * len(user)))
            assert np.isfinite(model.score_block(np.arange(len(model.users)))).all()
            assert len(model.recommend("a", include_rated=True)) == len(set(item))
            assert model.explain("a", "x")["contribution"].sum() == pytest.approx(
                model.score(["a"], ["x"])[0], abs=1e-5
            )

    def test_items_without_training_ratings_have_a_score(self, ranker):
        ratings = random_ratings(2, users=12, items=8, each=3)
        kept = ratings.keep(ratings.by_user.indices != 5)
        assert np.isfinite(ranker.fit(kept).score_block(np.arange(12))).all()

    def test_users_without_training_ratings_or_without_a_preference_are_served(self, ranker):
        ratings = random_ratings(2, users=12, items=8, each=3)
        table = ratings.by_user
        equal = table.data.copy()
        equal[table.indptr[7] : table.indptr[8]] = 4.0
        kept = replace(ratings, by_user=table._replace(data=equal)).keep(ratings.user_rows != 3)
        model = ranker.fit(kept)
        assert np.isfinite(model.score_block(np.arange(12))).all()
        for user in ("u003", "u007"):
            assert len(model.recommend(user, include_rated=True)) == len(kept.items)
            score = model.score([user], ["i002"])[0]
            assert model.explain(user, "i002")["contribution"].sum() == pytest.approx(score, abs=1e-4)


class Personal(Contract):
    """A ranker that tells tastes apart."""

    def test_it_solves_the_checkerboard(self, ranker):
        board = checkerboard()
        model = ranker.fit(board)
        scores = model.score_block(np.arange(24))
        loved = (np.arange(24)[:, None] + np.arange(16)) % 2 == 0
        right = [(scores[u][loved[u]].min() > scores[u][~loved[u]].max()) for u in range(24)]
        assert np.mean(right) == 1.0

    def test_somebody_new_is_told_apart_too(self, ranker):
        model = ranker.fit(checkerboard())
        even = model.recommend(ratings={"i00": 5, "i01": 1, "i02": 5, "i03": 1}, n=6)["item"]
        odd = model.recommend(ratings={"i00": 1, "i01": 5, "i02": 1, "i03": 5}, n=6)["item"]
        assert all(int(item[1:]) % 2 == 0 for item in even)
        assert all(int(item[1:]) % 2 == 1 for item in odd)
