"""Ranking: the memories that match a query, in order."""

from collections.abc import Callable

import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import Query, Ranking
from memoryd_server.retrieval.agreement import Agreement, agreement_of
from memoryd_server.retrieval.best import best_of
from memoryd_server.retrieval.column import ROW_NONE
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.likeness import near_duplicates_in
from memoryd_server.retrieval.reason import reason_of
from memoryd_server.retrieval.weight import Weights

SEEDS_MAX = 10
"""Maximum number of the best matches whose links are followed."""

COMPARED_MAX = 100
"""Maximum number of the best matches that are compared to find near-duplicates."""

_AHEAD = 20
"""Number of candidates above the query's limit: salience, links and near-duplicates change their order."""

SalienceOf = Callable[[Memory, float, int], float]
"""Returns the salience of a memory, 0 to 1. The arguments are the memory, the sum of its links' weights, and the time
in nanoseconds since the Unix epoch."""


class Ranker:
    """Ranks the memories of an index."""

    def __init__(self, holdings: Holdings, salience_of: SalienceOf, weights: Weights) -> None:
        self._holdings = holdings
        self._salience_of = salience_of
        self._weights = weights

    def rank(self, query: Query) -> Ranking:
        """Return the memories that match a query best.

        Links, near-duplicates, salience and age are applied only to the candidates: the best by words, meaning and
        time, a few more than the query's limit. If too few of these reach ``min_salience``, the number of candidates is
        increased.
        """
        agreement = agreement_of(self._holdings, query, self._weights)
        total = int(np.count_nonzero(agreement.total))
        looked_at = query.limit + _AHEAD
        while True:
            pool = _Pool(self._holdings, self._salience_of, self._weights, agreement, query)
            pool.take_best(looked_at)
            rows = pool.rows_in_order()
            if len(rows) >= query.limit or looked_at >= total or not query.min_salience:
                break
            looked_at *= 4
        matches = [
            reason_of(self._holdings, agreement, row, pool.scores[row], pool.salience_at(row), pool.led_from.get(row))
            for row in rows[: query.limit]
        ]
        return Ranking(tuple(matches), total + pool.only_linked)


class _Pool:
    """The candidates. ``led_from`` maps a row to the row whose link gave it its score."""

    def __init__(
        self, holdings: Holdings, salience_of: SalienceOf, weights: Weights, agreement: Agreement, query: Query
    ) -> None:
        self.scores: dict[int, float] = {}
        self.led_from: dict[int, int] = {}
        self.only_linked = 0
        self._holdings = holdings
        self._salience_of = salience_of
        self._weights = weights
        self._agreement = agreement
        self._query = query
        self._saliences: dict[int, float] = {}

    def take_best(self, count: int) -> None:
        total = self._agreement.total
        for row in best_of(total, self._holdings.table.sequences.values, count).tolist():
            self.scores[row] = self._own_score(row)
        if self._query.follow_links:
            self._follow_links()
        self._lower_near_duplicates()

    def salience_at(self, row: int) -> float:
        salience = self._saliences.get(row)
        if salience is None:
            links = sum(weight for _, weight in self._holdings.table.links_at(row))
            memory = self._query.with_recalls(self._holdings.table.memory_at(row))
            salience = self._saliences[row] = min(max(self._salience_of(memory, links, self._query.now), 0.0), 1.0)
        return salience

    def rows_in_order(self) -> list[int]:
        """Return the rows with the query's minimum score and salience, the best first."""
        query = self._query
        return [
            row
            for row in self._all_in_order()
            if self.scores[row] >= query.min_score
            and (not query.min_salience or self.salience_at(row) >= query.min_salience)
        ]

    def _all_in_order(self) -> list[int]:
        sequences = self._holdings.table.sequences.values
        return sorted(self.scores, key=lambda row: (-self.scores[row], -int(sequences[row])))

    def _own_score(self, row: int) -> float:
        total = float(self._agreement.total[row])
        if not total:
            return 0.0
        weights = self._weights
        age = max(self._query.now - self._holdings.table.memory_at(row).occur_time, 0) / weights.recency_ns
        kept = 1.0 - weights.salience * (1.0 - self.salience_at(row))
        kept *= 1.0 - weights.recency * age / (1.0 + age)
        if not self._agreement.timely[row]:
            return total * kept
        # Only what the period adds is lowered: a memory of the time that the query names is before any other of the
        # same words, however old it is.
        matched = (total - weights.period) / (1.0 - weights.period)
        return matched + (total - matched) * kept

    def _follow_links(self) -> None:
        """Raise the memories linked with the best matches to a share of those matches' scores."""
        table = self._holdings.table
        for seed in self._all_in_order()[:SEEDS_MAX]:
            for memory_id, weight in table.links_at(seed):
                row = table.rows.get(memory_id, ROW_NONE)
                if not self._agreement.passing[row] or not weight:
                    continue
                if row not in self.scores:
                    self.scores[row] = self._own_score(row)
                    self.only_linked += not self._agreement.total[row]
                share = self._own_score(seed) * self._weights.link * weight
                if share > self.scores[row]:
                    self.scores[row] = share
                    self.led_from[row] = seed

    def _lower_near_duplicates(self) -> None:
        rows = self._all_in_order()[:COMPARED_MAX]
        near_duplicates = near_duplicates_in([self._holdings.terms.terms_at(row) for row in rows])
        for row, is_near_duplicate in zip(rows, near_duplicates, strict=True):
            if is_near_duplicate:
                self.scores[row] *= self._weights.near_duplicate
