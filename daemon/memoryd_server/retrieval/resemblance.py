"""Resemblance: the memories that are similar to a text, to detect duplicates and contradictions."""

from collections.abc import Sequence

import numpy as np

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import Similar
from memoryd_server.retrieval.best import best_of
from memoryd_server.retrieval.column import Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.text.statement import statement_of


def resembling(
    holdings: Holdings,
    text: str,
    vector: bytes | None,
    identity: EmbeddingIdentity | None,
    chosen: RecordFilter,
    limit: int,
) -> Sequence[Similar]:
    """Return the memories most similar to a text, by the sum of their terms' Jaccard index and the cosine."""
    passing = holdings.table.passing(chosen)
    statement = statement_of(text)
    terms = statement.counts.keys() | statement.speakers
    shared: Scores = np.zeros(len(passing), np.float32)
    for term in terms:
        postings = holdings.terms.find(term)
        if postings is not None:
            shared[postings.rows] += 1
    shared *= passing
    words = shared / np.maximum(holdings.terms.distinct.values[: len(passing)] + len(terms) - shared, 1.0)
    has_cosine, cosines = holdings.cosines_of(vector, identity, passing)
    sums = (words + np.maximum(cosines, 0.0)).astype(np.float32)
    return [
        Similar(
            holdings.table.memory_at(row).memory_id,
            float(words[row]),
            float(cosines[row]) if has_cosine[row] else None,
        )
        for row in best_of(sums, holdings.table.sequences.values, limit).tolist()
    ]
