"""The weights of the parts of a memory's score."""

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.retrieval.words.word_score import WordWeights


class Weights(msgspec.Struct, frozen=True):
    """The weights of a ranking: shares from 0 to 1. Measured on dialogue (docs/recall.md); all are at flat optima.

    ``meaning`` is the share of the vector, for memories that have one; the rest is that of the words. ``question`` is
    the share of the score that a question loses. ``substance_terms`` is the number of its own terms at which a memory
    gets half of the full score: "Thanks!" answers nothing, whatever its neighbours say. ``substance_terms_alone`` is
    that of a memory without neighbours, which is a fact rather than a reply.

    ``period`` is the share of the gap to the full score that a memory gains if it is of the time that the query names;
    a memory without any other match gets ``period`` as its score. ``salience`` and ``recency`` are the shares that a
    memory of no salience, or of great age, loses; ``recency_ns`` is the age at which it loses half of ``recency``.

    ``link`` is the share of a match's score that a memory gets through a link of weight 1. ``near_duplicate`` is the
    share of its score that a near-duplicate of a better match keeps.
    """

    words: WordWeights = WordWeights()
    meaning: float = 0.15
    question: float = 0.2
    substance_terms: float = 2.0
    substance_terms_alone: float = 1.0
    period: float = 0.1
    salience: float = 0.1
    recency: float = 0.02
    recency_ns: int = 30 * DAY_NS
    link: float = 0.5
    near_duplicate: float = 0.5


DEFAULT_WEIGHTS = Weights()

DOCUMENT_WEIGHTS = Weights(words=WordWeights(date=0.0), period=0.0, salience=0.0, recency=0.0)
"""The weights for chunks of documents: a chunk's time says nothing about it."""
