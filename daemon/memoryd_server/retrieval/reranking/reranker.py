"""The second stage of a ranking."""

import numpy as np

from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.column import Rows
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.reranking.feature import Features, features_of
from memoryd_server.retrieval.reranking.model import Model, shipped_model
from memoryd_server.retrieval.reranking.vocabulary import Vocabulary

_TOGETHER_MAX = 256
"""Maximum number of rows that are scored in one pass, for the sake of memory."""


class Reranker:
    """Scores candidates by a model: the probability that each answers the query.

    Without a vocabulary, words are compared literally.
    """

    def __init__(self, vocabulary: Vocabulary | None = None, model: Model | None = None) -> None:
        self._vocabulary = vocabulary
        self._model = model

    def scores_of(self, holdings: Holdings, agreement: Agreement, rows: Rows) -> list[float]:
        """Return the scores of candidates, from 0 to 1."""
        model = self._model or shipped_model()
        features = self.features_of(holdings, agreement, rows)
        parts = [features[first : first + _TOGETHER_MAX] for first in range(0, len(rows), _TOGETHER_MAX)]
        sums = np.concatenate([_NONE, *map(model.sums_of, parts)])
        scores: list[float] = model.probabilities_of(features, sums).tolist()
        return scores

    def features_of(self, holdings: Holdings, agreement: Agreement, rows: Rows) -> Features:
        """Return the features of candidates. Words are compared by meaning only if the query has a vector."""
        return features_of(holdings, agreement, rows, self._vocabulary if agreement.spread is not None else None)


_NONE = np.zeros(0)
