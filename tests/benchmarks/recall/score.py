"""Scores of recall: the ranks that the turns which people named as evidence have among the turns that were found."""

import statistics
from collections.abc import Sequence

import msgspec
from tests.conversation import Question

DEPTHS = (1, 5, 10, 20)


class Outcome(msgspec.Struct, frozen=True):
    """The turns that were found for a question, the best first."""

    conversation: str
    question: Question
    turn_ids: Sequence[str]

    def recall(self, depth: int) -> float:
        """Return the share of the evidence that is among the first ``depth`` turns."""
        evidence = set(self.question.evidence)
        return len(evidence.intersection(self.turn_ids[:depth])) / len(evidence)

    def is_hit(self, depth: int) -> bool:
        """Return True if any of the evidence is among the first ``depth`` turns."""
        return self.recall(depth) > 0

    @property
    def reciprocal_rank(self) -> float:
        """1 divided by the rank of the first evidence; 0 if none was found."""
        evidence = self.question.evidence
        return next((1 / rank for rank, turn_id in enumerate(self.turn_ids, 1) if turn_id in evidence), 0.0)


class Score(msgspec.Struct, frozen=True):
    """Means over questions; ``recall`` and ``hit`` are by depth, in the order of DEPTHS."""

    questions: int
    recall: tuple[float, ...]
    hit: tuple[float, ...]
    mrr: float

    def recall_at(self, depth: int) -> float:
        """Return the mean recall at one of DEPTHS."""
        return self.recall[DEPTHS.index(depth)]

    def hit_at(self, depth: int) -> float:
        """Return the share of the questions with a hit at one of DEPTHS."""
        return self.hit[DEPTHS.index(depth)]


def score_of(outcomes: Sequence[Outcome]) -> Score:
    """Return the score of the outcomes, of which there is at least one; each question has evidence."""
    return Score(
        questions=len(outcomes),
        recall=tuple(statistics.fmean(each.recall(depth) for each in outcomes) for depth in DEPTHS),
        hit=tuple(statistics.fmean(each.is_hit(depth) for each in outcomes) for depth in DEPTHS),
        mrr=statistics.fmean(each.reciprocal_rank for each in outcomes),
    )
