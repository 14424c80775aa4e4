"""What counts for how much when memories are ranked."""

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.retrieval.word_score import WordWeights


class Weights(msgspec.Struct, frozen=True):
    """Shares from 0 to 1. Measured on dialogue: docs/recall.md; all are on flat optima.

    ``meaning`` is the share of the vector where there is one; the rest is the words'. ``question`` is what a memory
    that only asks loses. ``substance_terms`` is how many terms of its own give a memory half of the full score:
    "Thanks!" answers nothing, whatever it follows.

    ``period`` is how much of what lacks to the full score being of the time that the query names gives; it is also the
    score of a memory that nothing else speaks for. ``salience`` and ``recency`` are what a memory without any loses;
    ``recency_ns`` is the age at which it has half.

    ``link`` is the share of a match's score that a memory gets which it is linked with by a weight of 1; ``copy`` what
    a memory keeps that says again what a better match says.
    """

    words: WordWeights = WordWeights()
    meaning: float = 0.15
    question: float = 0.2
    substance_terms: float = 2.0
    period: float = 0.1
    salience: float = 0.1
    recency: float = 0.02
    recency_ns: int = 30 * DAY_NS
    link: float = 0.5
    copy: float = 0.5


DEFAULT_WEIGHTS = Weights()

DOCUMENT_WEIGHTS = Weights(
    words=WordWeights(before=(0.3,), after=(0.15,), date=0.0), period=0.0, salience=0.0, recency=0.0
)
"""For chunks of documents: when one was added says nothing of it, and it is long enough to stand for itself."""
