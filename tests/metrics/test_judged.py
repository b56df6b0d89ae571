import math

import numpy as np
import pytest

from overtone.errors import DataError, SettingError
from overtone.metrics import Judged
from overtone.metrics.ranking import ndcg_of, precision
from overtone.ratings import Ratings


class Constant:
    def score_ratings(self, ratings):
        return np.zeros(len(ratings))


class ByItem:
    def score_ratings(self, ratings):
        return -ratings.by_user.indices.astype(np.float32)


def test_each_user_has_the_best_score_first_and_ties_end_together():
    judged = Judged.from_arrays(["b", "a", "b", "b", "a"], [1, 2, 3, 4, 5], [7, 1, 9, 7, 2])
    assert judged.indptr.tolist() == [0, 2, 5]
    assert judged.ratings.tolist() == [5, 2, 3, 1, 4]
    assert judged.ends.tolist() == [1, 2, 1, 3, 3]
    assert judged.longest == 3


def test_in_the_first_order_every_place_stands_alone():
    judged = Judged.from_arrays([1, 1, 1], [1, 2, 3], [0, 0, 0], ties="first")
    assert judged.ratings.tolist() == [1, 2, 3]
    assert judged.ends.tolist() == [1, 2, 3]


@pytest.mark.parametrize("length", [15, 16, 100, 1000])
def test_tied_items_keep_their_order_in_a_list_of_any_length(length):
    user, scores = np.arange(length) % 2, np.arange(length) // 2 % 3
    judged = Judged.from_arrays(user, np.arange(length), scores, ties="first")
    expected = [np.flatnonzero((user == one) & (scores == score)) for one in (0, 1) for score in (2, 1, 0)]
    np.testing.assert_array_equal(judged.ratings, np.concatenate(expected))


def test_minus_zero_ties_with_zero():
    assert Judged.from_arrays([1, 1], [1, 2], [0.0, -0.0]).ends.tolist() == [2, 2]


def test_a_model_and_plain_arrays_are_judged_alike():
    test = Ratings.from_arrays([2, 2, 1, 1, 1], [5, 3, 3, 4, 5], [1, 2, 3, 4, 5])
    table = test.table()
    for model in (Constant(), ByItem()):
        arrays = Judged.from_arrays(table["user"], table["rating"], model.score_ratings(test))
        of_model = Judged.of(model, test)
        for name in ("indptr", "ratings", "ends"):
            np.testing.assert_array_equal(getattr(of_model, name), getattr(arrays, name))


def test_rows_of_one_user_need_not_stand_together():
    apart = Judged.from_arrays([1, 2, 1, 2], [3, 0, 1, 2], [1, 2, 2, 1])
    together = Judged.from_arrays([1, 1, 2, 2], [3, 1, 0, 2], [1, 2, 2, 1])
    np.testing.assert_array_equal(ndcg_of(apart).by_user, ndcg_of(together).by_user)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([1, 1], [1.0], [1.0, 2.0]), r"^the arrays differ in length: 2, 1, 2$"),
        (([1], [math.nan], [1.0]), r"^a rating is not finite"),
        (([1], [1.0], [math.inf]), r"^a score is not finite"),
        (([1], ["good"], [1.0]), r"^every rating must be a number: "),
        (([1], [1.0], [None, 1]), r"^(every score must be a number|the arrays differ)"),
    ],
)
def test_what_cannot_be_judged_is_said_in_one_sentence(arrays, message):
    with pytest.raises(DataError, match=message):
        Judged.from_arrays(*arrays)


def test_the_rule_for_ties_is_one_of_two():
    with pytest.raises(SettingError, match=r"^ties must be one of average, first, not 'random'$"):
        Judged.from_arrays([1], [1], [1], ties="random")


def test_nothing_to_judge_is_no_number():
    empty = Judged.from_arrays([], [], [])
    assert math.isnan(float(ndcg_of(empty)))
    assert ndcg_of(empty).users == 0
    test = Ratings.from_arrays([1], [1], [1])
    with pytest.raises(DataError, match=r"^there are no ratings to judge$"):
        precision(Constant(), test.keep(np.array([False])))
