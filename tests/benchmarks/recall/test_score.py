"""Scores against values that are computed by hand."""

import pytest
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
