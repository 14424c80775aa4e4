"""Ways of asking: the questions of conversations, and others that show what the second stage has to tell apart."""

import random
import string
from collections.abc import Iterator, Sequence

import msgspec
from tests.benchmarks.recall.in_process import query_of
from tests.conversation import Conversation, Question

from memoryd_server.ports.retrieval import Query

WEIGHTS = {
    "question": 1.0,
    "words": 0.3,
    "vector": 0.2,
    "removed": 0.5,
    "words removed": 0.3,
    "elsewhere": 0.5,
    "words elsewhere": 0.3,
    "unanswerable": 1.0,
    "itself": 0.3,
    "gibberish": 1.0,
}
"""The weights of the ways of asking.

``question`` asks as people do; ``words`` without a vector, ``vector`` without words. ``removed`` asks when the evidence
was removed, ``elsewhere`` another conversation's question; ``unanswerable`` has no evidence. ``itself`` has a memory's
own text, of which that memory is the answer; ``gibberish`` is letters drawn by lot. A score must be a probability
without an embedder, too: so those without an answer are also asked without a vector.
"""

_SHARE_ITSELF = 5
_WORDS_MAX = 6


class Asked(msgspec.Struct, frozen=True):
    """A query, the way of asking, and the ids that answer it. ``removed`` are the ids that must be out of the index."""

    way: str
    category: str
    query: Query
    evidence: frozenset[str]
    removed: frozenset[str] = frozenset()


def asked(conversation: Conversation, others: Sequence[Conversation], chance: random.Random) -> Iterator[Asked]:
    """Yield queries about a conversation, in all ways. ``others`` are of the same kind and about something else."""
    foreign = [question for other in others for question in other.questions if question.evidence]
    for question in conversation.questions:
        yield from _asked_as(question)
        if foreign:
            query = query_of(chance.choice(foreign).question)
            yield Asked("elsewhere", "", query, frozenset())
            yield Asked("words elsewhere", "", _by_words(query), frozenset())
    count = min(max(len(conversation.questions) // _SHARE_ITSELF, _SHARE_ITSELF), len(conversation.turns))
    for turn in chance.sample(conversation.turns, count):
        for text in (turn.content, turn.text):
            yield Asked("itself", "", query_of(text), frozenset((turn.id,)))
    for _ in range(max(count // 3, 8)):
        yield Asked("gibberish", "", query_of(_gibberish(chance)), frozenset())


def _asked_as(question: Question) -> Iterator[Asked]:
    query, evidence = query_of(question.question), frozenset(question.evidence)
    if not evidence:
        yield Asked("unanswerable", question.category, query, evidence)
        return
    yield Asked("question", question.category, query, evidence)
    yield Asked("words", question.category, _by_words(query), evidence)
    yield Asked("vector", question.category, msgspec.structs.replace(query, text=""), evidence)
    yield Asked("removed", question.category, query, frozenset(), evidence)
    yield Asked("words removed", question.category, _by_words(query), frozenset(), evidence)


def _by_words(query: Query) -> Query:
    return msgspec.structs.replace(query, vector=None, identity=None, meaning_known=1.0, strange_words=None)


def _gibberish(chance: random.Random) -> str:
    lengths = (chance.randint(3, 9) for _ in range(chance.randint(1, _WORDS_MAX)))
    return " ".join("".join(chance.choices(string.ascii_lowercase, k=length)) for length in lengths)
