"""Scores as probabilities: questions that the memories answer, and others that none does.

Measured on the index within this process. Questions without an answer are the same questions after their evidence was
removed, and those about another conversation of the file.
"""

import itertools
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from tests.benchmarks.recall.in_process import indexed_memories, new_index, query_of
from tests.benchmarks.recall.probability import auroc, brier, curve
from tests.conversation import Conversation

from memoryd_server.retrieval.index import Index

BOUNDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
FOUND = 10

_Found = Sequence[tuple[float, bool]]
"""The score of each match, and whether it answers the question."""


class Answerable(msgspec.Struct, frozen=True):
    """The quality of scores as probabilities.

    ``brier`` is the mean squared error of the scores of the first FOUND matches, ``brier_constant`` that of their mean.
    ``bins`` has the mean score, the share of answers and the number of matches between each two of BOUNDS.
    ``auroc_removed`` and ``auroc_elsewhere`` are the probability that a question with an answer has a greater first
    score than one whose evidence was removed, or one about another conversation, None if there is no other one;
    ``auroc`` is that for both.
    """

    brier: float
    brier_constant: float
    bins: Sequence[tuple[float, float, int]]
    auroc: float
    auroc_removed: float
    auroc_elsewhere: float | None


def answerable_of(conversations: Sequence[Conversation]) -> Answerable:
    """Return how good the scores are for the questions of conversations that have evidence."""
    answered, removed, elsewhere = list[_Found](), list[_Found](), list[_Found]()
    for place, conversation in enumerate(conversations):
        memories = {indexed.memory.memory_id: indexed for indexed in indexed_memories(conversation)}
        index = new_index()
        index.put(memories.values())
        for question in conversation.questions:
            evidence = frozenset(question.evidence)
            if evidence:
                answered.append(_found(index, question.question, evidence))
                index.remove(evidence)
                removed.append(_found(index, question.question))
                index.put(memories[memory_id] for memory_id in sorted(evidence))
        others = [*conversations[place + 1 :], *conversations[:place]]
        elsewhere += [_found(index, text) for text in _foreign(others, len(conversation.questions))]
    matches = itertools.chain(*answered, *removed, *elsewhere)
    scores, answers = (np.array(each) for each in zip(*matches, strict=True))
    first = [[found[0][0] if found else 0.0 for found in each] for each in (answered, removed, elsewhere)]
    return Answerable(
        brier(scores, answers),
        float(np.var(answers)),
        curve(scores, answers, BOUNDS),
        auroc(first[0], first[1] + first[2]),
        auroc(first[0], first[1]),
        auroc(first[0], first[2]) if first[2] else None,
    )


def _found(index: Index, question: str, evidence: frozenset[str] = frozenset()) -> _Found:
    matches = index.search(query_of(question, FOUND)).matches
    return [(match.score, match.memory_id in evidence) for match in matches]


def _foreign(others: Sequence[Conversation], count: int) -> Iterator[str]:
    """Yield the questions of others in turn, at most ``count``."""
    asked = [[each.question for each in other.questions if each.evidence] for other in others]
    turns = (
        texts[number] for number in range(max(map(len, asked), default=0)) for texts in asked if number < len(texts)
    )
    return (text for text, _ in zip(turns, range(count), strict=False))
