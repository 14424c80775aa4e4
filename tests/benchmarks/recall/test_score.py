"""Scores against values that are computed by hand."""

import numpy as np
import pytest
from tests.benchmarks.recall.probability import auroc, brier, curve
from tests.benchmarks.recall.rank_fusion import fused
from tests.benchmarks.recall.score import Outcome, score_of
from tests.conversation import Question


def _outcome(found: str, evidence: str) -> Outcome:
    return Outcome("talk", Question("?", "category", tuple(evidence)), tuple(found))


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    outcome = _outcome("axbxxc", "abcd")
    assert [outcome.recall(depth) for depth in (1, 3, 6, 20)] == [0.25, 0.5, 0.75, 0.75]


def test_a_hit_is_any_of_the_evidence() -> None:
    outcome = _outcome("xxa", "ab")
    assert [outcome.is_hit(depth) for depth in (1, 2, 3)] == [False, False, True]


def test_the_reciprocal_rank_is_that_of_the_first_evidence() -> None:
    assert _outcome("xxba", "ab").reciprocal_rank == pytest.approx(1 / 3)
    assert _outcome("xyz", "ab").reciprocal_rank == 0


def test_a_score_is_the_mean_over_questions() -> None:
    score = score_of([_outcome("a", "a"), _outcome("xa", "ab"), _outcome("", "a")])
    assert score.questions == 3
    assert score.recall_at(1) == pytest.approx(1 / 3)
    assert score.recall_at(5) == pytest.approx((1 + 0.5 + 0) / 3)
    assert score.hit_at(5) == pytest.approx(2 / 3)
    assert score.mrr == pytest.approx((1 + 0.5 + 0) / 3)


def test_rank_fusion_prefers_what_both_lists_have() -> None:
    assert fused(["abc", "cde"])[0] == "c"


def test_auroc_is_the_share_of_pairs_in_the_right_order_and_equal_ones_count_half() -> None:
    assert auroc([0.9, 0.5], [0.1, 0.5]) == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert auroc([0.1], [0.9]) == 0


def test_the_brier_score_is_the_mean_squared_error() -> None:
    assert brier(np.array([1.0, 0.5]), np.array([True, False])) == pytest.approx(0.125)


def test_a_curve_has_the_share_that_came_true_in_each_bin() -> None:
    probabilities, came_true = np.array([0.1, 0.2, 0.9, 1.0]), np.array([False, True, True, True])
    assert curve(probabilities, came_true, (0.0, 0.5, 0.6, 1.0)) == [
        (pytest.approx(0.15), 0.5, 2),
        (0.0, 0.0, 0),
        (pytest.approx(0.95), 1.0, 2),
    ]
