import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score

import oracle_metrics as oracle
from overtone.errors import DataError, SettingError
from overtone.metrics import Judged, auc, evaluate, mrr, ndcg, precision, recall
from overtone.metrics.ranking import ndcg_of
from overtone.ratings import Ratings

AT_K = [ndcg, precision, recall, mrr]


def auc_at(model, test, k, **options):
    """AUC beside metrics that take a `k`, which it has no use for."""
    return auc(model, test, **options)


EVERY = [*AT_K, auc_at]
SOME_RATINGS, SOME_SCORES = st.integers(-3, 5), st.integers(0, 3)


@dataclass(frozen=True)
class Says:
    """A scorer that gives these scores, in the order of `test.table()`."""

    scores: np.ndarray

    def score_ratings(self, ratings):
        assert len(ratings) == len(self.scores)
        return self.scores


@dataclass(frozen=True)
class Case:
    """Each user's ratings and scores, few enough for every order of ties to be tried."""

    ratings: list
    scores: list

    @property
    def test(self):
        user = np.repeat(np.arange(len(self.ratings)), [len(own) for own in self.ratings])
        item = np.concatenate([np.arange(len(own)) for own in self.ratings])
        return Ratings.from_arrays(user, item, np.concatenate(self.ratings))

    @property
    def model(self):
        return Says(np.concatenate(self.scores))

    def expected(self, value):
        return [value(own, scores) for own, scores in zip(self.ratings, self.scores, strict=True)]


@st.composite
def cases(draw, ratings=SOME_RATINGS, scores=SOME_SCORES):
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    return Case(
        *([np.array([draw(kind) for _ in range(n)], float) for n in lengths] for kind in (ratings, scores))
    )


@given(cases(), st.integers(1, 8), st.sampled_from(["exponential", "linear"]))
def test_ndcg_is_the_mean_over_all_orders_of_tied_items(case, k, gain):
    floor = min(0.0, *(own.min() for own in case.ratings))
    expected = case.expected(lambda own, scores: oracle.ndcg(oracle.gains_of(own, gain, floor), scores, k))
    found = ndcg(case.model, case.test, k, gain=gain)
    np.testing.assert_allclose(found.by_user, expected, rtol=1e-12)
    assert found.skipped == np.isnan(expected).sum()


@given(cases(), st.integers(1, 8), st.integers(-4, 6))
def test_precision_recall_and_mrr_are_means_over_all_orders_of_tied_items(case, k, relevant):
    for metric, of_one in (
        (precision, oracle.precision),
        (recall, oracle.recall),
        (mrr, oracle.reciprocal_rank),
    ):
        expected = case.expected(lambda own, scores, of_one=of_one: of_one(own >= relevant, scores, k))
        found = metric(case.model, case.test, k, relevant=relevant)
        np.testing.assert_allclose(found.by_user, expected, rtol=1e-12, err_msg=found.name)


@given(cases(), st.integers(-4, 6))
def test_auc_is_the_share_of_pairs_in_the_right_order(case, relevant):
    expected = case.expected(lambda own, scores: oracle.area(own >= relevant, scores))
    np.testing.assert_allclose(auc(case.model, case.test, relevant=relevant).by_user, expected, rtol=1e-12)


@given(
    cases(ratings=st.integers(0, 5)).filter(lambda case: min(map(len, case.ratings)) > 1), st.integers(1, 8)
)
def test_ndcg_agrees_with_scikit_learn(case, k):
    for gain in ("exponential", "linear"):
        found = ndcg(case.model, case.test, k, gain=gain)
        for own, scores, value in zip(case.ratings, case.scores, found.by_user, strict=True):
            if own.any():
                assert math.isclose(
                    value, ndcg_score([oracle.gains_of(own, gain)], [scores], k=k), rel_tol=1e-9
                )
            else:
                assert math.isnan(value)


@given(cases(), st.integers(-4, 6))
def test_auc_agrees_with_scikit_learn(case, relevant):
    found = auc(case.model, case.test, relevant=relevant)
    for own, scores, value in zip(case.ratings, case.scores, found.by_user, strict=True):
        if 0 < (own >= relevant).sum() < len(own):
            assert math.isclose(value, roc_auc_score(own >= relevant, scores), rel_tol=1e-12)


def one_user(ratings, scores):
    return Case([np.array(ratings, float)], [np.array(scores, float)])


def test_a_list_worked_by_hand():
    case = one_user([1, 3, 2, 0], [4, 3, 2, 1])
    got = 1 / 1 + 7 / math.log2(3) + 3 / 2
    best = 7 / 1 + 3 / math.log2(3) + 1 / 2
    assert math.isclose(float(ndcg(case.model, case.test, 3)), got / best)
    linear = (1 + 3 / math.log2(3) + 2 / 2) / (3 + 2 / math.log2(3) + 1 / 2)
    assert math.isclose(float(ndcg(case.model, case.test, 3, gain="linear")), linear)
    assert float(precision(case.model, case.test, 3, relevant=2)) == 2 / 3
    assert float(recall(case.model, case.test, 2, relevant=2)) == 1 / 2
    assert float(mrr(case.model, case.test, 3, relevant=2)) == 1 / 2
    assert float(auc(case.model, case.test, relevant=2)) == 1 / 2


def test_ties_worked_by_hand():
    case = one_user([2, 0, 1], [5, 5, 5])
    at_1 = (3 + 0 + 1) / 3 / 3
    assert math.isclose(float(ndcg(case.model, case.test, 1)), at_1)
    # One relevant item of three tied ones comes first, second or third equally often.
    assert math.isclose(float(mrr(case.model, case.test, 3, relevant=2)), (1 + 1 / 2 + 1 / 3) / 3)
    assert math.isclose(float(mrr(case.model, case.test, 2, relevant=2)), (1 + 1 / 2) / 3)
    assert math.isclose(float(precision(case.model, case.test, 2, relevant=2)), 1 / 3)
    assert math.isclose(float(recall(case.model, case.test, 2, relevant=2)), 2 / 3)
    assert float(auc(case.model, case.test, relevant=2)) == 0.5


def test_ties_in_the_order_of_the_items_replicate_others():
    case = one_user([0, 0, 3, 0], [1, 1, 1, 2])
    first = ndcg(case.model, case.test, 10, ties="first")
    assert math.isclose(float(first), 1 / math.log2(5))  # the last of the three that tie
    assert "tied scores in the order of the rows" in first.definition
    assert float(mrr(case.model, case.test, 10, ties="first", relevant=3)) == 1 / 4
    assert float(precision(case.model, case.test, 3, ties="first", relevant=3)) == 0.0
    assert float(recall(case.model, case.test, 4, ties="first", relevant=3)) == 1.0


@given(cases(scores=st.just(0)), st.integers(1, 8))
def test_a_constant_predictor_gets_the_mean_of_all_orders_and_not_of_one(case, k):
    floor = min(0.0, *(own.min() for own in case.ratings))

    def at_random(own, _):
        gains = oracle.gains_of(own, "exponential", floor)
        distinct = oracle.orders(np.zeros(len(own)))
        lists = [oracle.ndcg(gains, -np.argsort(order).astype(float), k) for order in distinct]
        return float(np.mean(lists))

    np.testing.assert_allclose(ndcg(case.model, case.test, k).by_user, case.expected(at_random), rtol=1e-12)


@given(cases(), st.integers(1, 8))
def test_the_right_order_scores_1_and_nothing_scores_beyond(case, k):
    perfect = Says(np.concatenate(case.ratings))
    for gain in ("exponential", "linear"):
        best, found = (ndcg(model, case.test, k, gain=gain) for model in (perfect, case.model))
        np.testing.assert_allclose(best.judged, 1.0, rtol=1e-12)
        assert ((found.judged >= 0) & (found.judged <= 1 + 1e-12)).all()
    assert (auc(perfect, case.test, relevant=1).judged == 1.0).all()
    assert (mrr(perfect, case.test, k, relevant=1).judged == 1.0).all()
    for metric in EVERY:
        found = (
            metric(case.model, case.test, k, relevant=1)
            if metric is not ndcg
            else ndcg(case.model, case.test, k)
        )
        assert ((found.judged >= 0) & (found.judged <= 1 + 1e-12)).all()


@pytest.mark.parametrize("metric", EVERY)
@given(case=cases(), k=st.integers(1, 8))
def test_only_the_order_of_the_scores_matters(metric, case, k):
    before = metric(case.model, case.test, k).by_user
    scores = case.model.scores
    for same in (np.exp(scores), 3.0 * scores - 7.0, scores.astype(np.float32), scores.astype(int)):
        np.testing.assert_array_equal(metric(Says(same), case.test, k).by_user, before)


@given(cases(), st.integers(1, 8), st.randoms(use_true_random=False))
def test_users_may_come_in_any_order(case, k, random):
    places = random.sample(range(len(case.ratings)), len(case.ratings))
    moved = Case([case.ratings[k] for k in places], [case.scores[k] for k in places])
    for metric in EVERY:
        before, after = metric(case.model, case.test, k), metric(moved.model, moved.test, k)
        np.testing.assert_array_equal(after.by_user, before.by_user[places])


@given(cases(), st.integers(1, 8), st.randoms(use_true_random=False))
def test_items_may_come_in_any_order_where_ties_are_averaged(case, k, random):
    places = [random.sample(range(len(own)), len(own)) for own in case.ratings]
    moved = Case(
        *([own[p] for own, p in zip(side, places, strict=True)] for side in (case.ratings, case.scores))
    )
    for metric in EVERY:
        before, after = metric(case.model, case.test, k), metric(moved.model, moved.test, k)
        np.testing.assert_allclose(after.by_user, before.by_user, rtol=1e-12)


@given(cases(ratings=st.integers(-5, 0)), st.integers(1, 5), st.integers(1, 8))
def test_negative_ratings_count_as_if_shifted_to_0(case, shift, k):
    lowest = min(own.min() for own in case.ratings)
    moved = Case([own - lowest for own in case.ratings], case.scores)
    lower = Case([own - shift for own in case.ratings], case.scores)
    for gain in ("exponential", "linear"):
        found = ndcg(case.model, case.test, k, gain=gain).by_user
        np.testing.assert_allclose(found, ndcg(moved.model, moved.test, k, gain=gain).by_user, rtol=1e-12)
        np.testing.assert_allclose(found, ndcg(lower.model, lower.test, k, gain=gain).by_user, rtol=1e-12)


def test_the_definition_names_the_shift_the_gain_and_the_ties():
    shifted, plain = one_user([-2, 1], [1, 2]), one_user([0, 1], [1, 2])
    assert ndcg(plain.model, plain.test).definition == (
        "gain 2^r - 1, discount log2(rank + 1), "
        "tied scores averaged over their orders, users without gain skipped"
    )
    assert ndcg(shifted.model, shifted.test).definition.startswith("gain 2^(r + 2) - 1, ")
    linear = ndcg(shifted.model, shifted.test, 5, gain="linear")
    assert linear.definition.startswith("gain (r + 2), ")
    assert linear.name == "NDCG@5 (linear gain)"
    assert ndcg(plain.model, plain.test, 7).name == "NDCG@7"


def test_judged_arrays_carry_their_own_rule_for_ties():
    judged = Judged.from_arrays([1, 1], [0, 3], [0, 0], ties="first")
    measured = ndcg_of(judged, 10)
    assert math.isclose(float(measured), 1 / math.log2(3))
    assert "tied scores in the order of the rows" in measured.definition


@pytest.mark.parametrize("scale", [20, 1000])
@given(data=st.data())
def test_large_ratings_do_not_overflow(scale, data):
    case = data.draw(cases(ratings=st.integers(0, 5).map(lambda r: r * scale)))
    found = ndcg(case.model, case.test, 5).by_user
    for own, scores, value in zip(case.ratings, case.scores, found, strict=True):
        # Beside the greatest rating, 20 below it and less weigh under a millionth.
        top = (own == own.max()).astype(float) if own.max() else own
        assert math.isclose(value, oracle.ndcg(top, scores, 5), rel_tol=1e-5, abs_tol=1e-5) or not own.any()
        assert math.isnan(value) == (not own.any())


@pytest.mark.parametrize("size", [1e-3, 1e-12, 1e-17, 1e-300])
def test_small_ratings_keep_their_gain(size):
    case = one_user([size, 3 * size], [2, 1])
    # 2^r - 1 is near r log 2 there.
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert math.isclose(float(ndcg(case.model, case.test)), expected, rel_tol=2e-3)


def test_users_without_gain_are_skipped_and_counted():
    case = Case([np.array([0.0, 0.0]), np.array([2.0, 1.0])], [np.array([1.0, 2.0]), np.array([2.0, 1.0])])
    found = ndcg(case.model, case.test)
    assert (float(found), found.users, found.skipped) == (1.0, 1, 1)
    assert math.isnan(found.by_user[0])


def test_users_without_anything_to_tell_apart_are_skipped_and_counted():
    case = Case(
        [np.array([5.0, 5.0]), np.array([1.0, 5.0]), np.array([1.0, 1.0])], [np.array([1.0, 2.0])] * 3
    )
    assert auc(case.model, case.test, relevant=5).users == 1
    assert recall(case.model, case.test, relevant=5).users == 2
    assert mrr(case.model, case.test, relevant=5).users == 2
    assert precision(case.model, case.test, relevant=5).by_user.tolist() == [1.0, 0.5, 0.0]


def test_users_without_test_items_are_skipped_and_counted():
    whole = Ratings.from_arrays([1, 1, 2, 3, 3], [1, 2, 1, 1, 2], [1, 5, 5, 5, 1])
    test = whole.keep(whole.user_rows != 1)
    for measured in evaluate(Says(np.array([1.0, 2.0, 1.0, 2.0])), test):
        assert (measured.users, measured.skipped) == (2, 1), measured.name
        assert np.isnan(measured.by_user).tolist() == [False, True, False]


def test_a_user_with_one_item_has_it_first():
    case = one_user([4], [0])
    for metric in AT_K:
        assert float(metric(case.model, case.test)) == 1.0
    assert auc(case.model, case.test).skipped == 1


@given(cases(), st.integers(7, 10_000_000))
def test_a_k_beyond_the_longest_list_is_the_longest_list(case, k):
    for metric in AT_K:
        whole, beyond = metric(case.model, case.test, 6), metric(case.model, case.test, k)
        np.testing.assert_array_equal(beyond.by_user, whole.by_user)
        assert f"@{k}" in beyond.name


@given(cases(), st.integers(1, 8), st.sampled_from(["average", "first"]))
def test_evaluate_gives_what_each_metric_gives(case, k, ties):
    one_by_one = [
        ndcg(case.model, case.test, k, ties=ties),
        ndcg(case.model, case.test, k, ties=ties, gain="linear"),
        *(metric(case.model, case.test, k, ties=ties, relevant=2) for metric in (precision, recall, mrr)),
        auc(case.model, case.test, relevant=2),
    ]
    for found, expected in zip(
        evaluate(case.model, case.test, k, ties=ties, relevant=2), one_by_one, strict=True
    ):
        assert (found.name, found.definition) == (expected.name, expected.definition)
        np.testing.assert_array_equal(found.by_user, expected.by_user)


def test_relevant_means_at_least_the_median_unless_told():
    case = one_user([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    measured = precision(case.model, case.test, 3)
    assert float(measured) == 1 / 3
    assert measured.definition.startswith("relevant: rated 3 or more (the median test rating), ")
    told = precision(case.model, case.test, 3, relevant=2)
    assert float(told) == 2 / 3
    assert told.definition.startswith("relevant: rated 2 or more, ")


def test_relevance_has_no_lowest_bound():
    case = one_user([-5, -3], [1, 2])
    assert float(precision(case.model, case.test, 1, relevant=-4)) == 1.0


@pytest.mark.parametrize("metric", AT_K)
@pytest.mark.parametrize("k", [0, -1, 2.5, "10", None])
def test_k_is_a_count(metric, k):
    case = one_user([1, 2], [1, 2])
    with pytest.raises(SettingError, match=r"^k must be "):
        metric(case.model, case.test, k)


@pytest.mark.parametrize("metric", AT_K)
def test_the_rule_for_ties_is_one_of_two(metric):
    case = one_user([1, 2], [1, 2])
    with pytest.raises(SettingError, match=r"^ties must be one of average, first, not 'last'$"):
        metric(case.model, case.test, ties="last")


def test_the_gain_is_one_of_two():
    case = one_user([1, 2], [1, 2])
    with pytest.raises(SettingError, match=r"^gain must be one of exponential, linear, not 'log'$"):
        ndcg(case.model, case.test, gain="log")


@pytest.mark.parametrize("relevant", [math.nan, math.inf, -math.inf, "3", True])
def test_relevance_begins_at_a_finite_number(relevant):
    case = one_user([1, 2], [1, 2])
    with pytest.raises(SettingError, match=r"^relevant must be a "):
        precision(case.model, case.test, relevant=relevant)


@pytest.mark.parametrize("metric", EVERY)
@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused(metric, score):
    case = one_user([1, 2], [1, score])
    with pytest.raises(DataError, match=r"^a score is not finite"):
        metric(case.model, case.test, 10)
