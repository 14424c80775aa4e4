"""A trial: one contender stores all conversations and is asked all questions."""

import time
from collections import defaultdict
from collections.abc import Sequence

import msgspec
from tests.benchmarks.figure import percentile
from tests.benchmarks.recall.contender import Contender
from tests.benchmarks.recall.score import Outcome, Score, score_of
from tests.conversation import Conversation


class Trial(msgspec.Struct, frozen=True):
    """The result of a contender. ``recall_ms_p50`` and ``recall_ms_p95`` are over all questions, the first included."""

    name: str
    about: str
    score: Score
    by_category: dict[str, Score]
    stored_s: float
    recall_ms_p50: float
    recall_ms_p95: float


class Missing(msgspec.Struct, frozen=True):
    """A contender that could not be tried, and why."""

    name: str
    reason: str


def tried(contender: Contender, conversations: Sequence[Conversation]) -> tuple[Trial, Sequence[Outcome]]:
    """Return the result of a contender, and the turns it found for each question that has evidence."""
    began = time.monotonic()
    for conversation in conversations:
        contender.store(conversation)
    stored_s = time.monotonic() - began
    outcomes, times_ms = [], []
    for conversation in conversations:
        for question in conversation.questions:
            if question.evidence:
                answer = contender.recall(conversation, question.question)
                outcomes.append(Outcome(conversation.name, question, answer.turn_ids))
                times_ms.append(answer.seconds * 1000)
    by_category = defaultdict(list)
    for outcome in outcomes:
        by_category[outcome.question.category].append(outcome)
    trial = Trial(
        contender.name,
        contender.about,
        score_of(outcomes),
        {category: score_of(by_category[category]) for category in sorted(by_category)},
        stored_s,
        percentile(times_ms, 50),
        percentile(times_ms, 95),
    )
    return trial, outcomes
