"""Ranking: the memories that match a query, in order."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import Match, Query, Ranking
from memoryd_server.retrieval.agreement import Agreement, agreement_of
from memoryd_server.retrieval.best import best_of
from memoryd_server.retrieval.column import ROW_NONE, Rows
from memoryd_server.retrieval.currency.exchange import Standing, put_current_first
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.likeness import near_duplicates_in
from memoryd_server.retrieval.reason import reason_of
from memoryd_server.retrieval.reranking.feature import Features
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.weight import Weights

SEEDS_MAX = 10
"""Maximum number of the best matches whose links are followed."""

COMPARED_MAX = 100
"""Maximum number of the best matches that are compared to find near-duplicates."""

CANDIDATES = 100
"""Number of the best by words, meaning and time that are scored by the second stage, if there is one."""

NEAR_CANDIDATES = 20
"""Number of the best by meaning that are candidates in any case: a question and its answer may share no word."""

_AHEAD = 20
"""Number of candidates above the query's limit: salience, links and near-duplicates change their order."""

NOTHING_MAX = 0.01
"""Score below which even the best match is no answer, unless the query has a minimum score: that of gibberish."""

_FAR_BEHIND = 1000.0
"""Ratio of the odds of the best match to those of one below NOTHING_MAX above which the latter is left out."""

SalienceOf = Callable[[Memory, float, int], float]
"""Returns the salience of a memory, 0 to 1. The arguments are the memory, the sum of its links' weights, and the time
in nanoseconds since the Unix epoch."""


class Ranker:
    """Ranks the memories of an index."""

    def __init__(
        self, holdings: Holdings, salience_of: SalienceOf, weights: Weights, reranker: Reranker | None = None
    ) -> None:
        self._holdings = holdings
        self._salience_of = salience_of
        self._weights = weights
        self._reranker = reranker

    def rank(self, query: Query) -> Ranking:
        """Return the memories that match a query best.

        The second stage, links, near-duplicates, salience and age are applied only to the candidates: the best by
        words, meaning and time, more than the query's limit. If too few of these reach ``min_salience``, the number of
        candidates is increased.
        """
        looked_at = query.limit + _AHEAD
        agreement = self._agreement_of(query, looked_at)
        while True:
            pool = _Pool(self._holdings, self._salience_of, self._weights, agreement, query, self._reranker)
            pool.take_best(looked_at)
            rows = pool.rows_in_order()
            if len(rows) >= query.limit or looked_at >= agreement.total_count or not query.min_salience:
                break
            looked_at *= 4
            if looked_at > agreement.wanted:
                agreement = self._agreement_of(query, looked_at)
        matches = [pool.match_at(row) for row in pool.likely(rows)[: query.limit]]
        total_count = agreement.total_count + pool.further_count
        return Ranking(tuple(matches), total_count, uses_meaning=bool(agreement.relevance.meaning.has.any()))

    def candidates(self, query: Query) -> tuple[Rows, Features]:
        """Return the candidates of the second stage, which there must be, and their features."""
        assert self._reranker is not None
        agreement = self._agreement_of(query, CANDIDATES)
        rows = _candidates(self._holdings, agreement, CANDIDATES, NEAR_CANDIDATES)
        return rows, self._reranker.features_of(self._holdings, agreement, rows)

    def _agreement_of(self, query: Query, count: int) -> Agreement:
        wanted = max(count, CANDIDATES) if self._reranker is not None else count
        return agreement_of(self._holdings, query, self._weights, wanted, NEAR_CANDIDATES)


def _candidates(holdings: Holdings, agreement: Agreement, count: int, near_count: int) -> Rows:
    """Return the best rows by all parts of the first stage, and then those that are only among the best by meaning."""
    sequences = holdings.table.sequences.values
    rows = best_of(agreement.total, sequences, count, agreement.rows)
    near = best_of(agreement.meaning, sequences, near_count, agreement.near)
    known = set(rows.tolist())
    found = np.concatenate((rows, np.array([row for row in near.tolist() if row not in known], np.intp)))
    agreement.look_around(found)
    return found


class _Pool:
    """The candidates. ``led_from`` maps a row to the row whose link gave it its score.

    ``standing`` says what was put before a row, and what contradicts it.
    """

    def __init__(
        self,
        holdings: Holdings,
        salience_of: SalienceOf,
        weights: Weights,
        agreement: Agreement,
        query: Query,
        reranker: Reranker | None,
    ) -> None:
        self.scores: dict[int, float] = {}
        self.led_from: dict[int, int] = {}
        self.standing = Standing()
        self._holdings = holdings
        self._salience_of = salience_of
        self._weights = weights
        self._agreement = agreement
        self._query = query
        self._reranker = reranker
        self._relevances: dict[int, float] = {}
        self._saliences: dict[int, float] = {}

    @property
    def further_count(self) -> int:
        """The number of candidates that do not match by the first stage, but by a link or the second stage."""
        return sum(not self._agreement.total[row] for row in self._relevances.keys() | self.scores.keys())

    def take_best(self, count: int) -> None:
        """Rank the best rows, at most ``count`` and those that they link to."""
        self._relevances = self._relevances_of(count)
        best = self._in_order(self._relevances)[:count]
        self.scores = {row: self._own_score(row) for row in best}
        if self._query.follow_links:
            self._follow_links()
        self._lower_near_duplicates()
        table, passing, wish = self._holdings.table, self._agreement.passing, self._agreement.wish
        reads, now = self._holdings.reads_times, self._query.now
        self.standing = put_current_first(self.scores, table, passing, wish, now, reads=reads)

    def match_at(self, row: int) -> Match:
        led_from, salience = self.led_from.get(row), self.salience_at(row)
        match = reason_of(self._holdings, self._agreement, row, self.scores[row], salience, led_from)
        contradicted_by, (behind, why) = (
            self.standing.contradicted_by.get(row, ()),
            self.standing.behind.get(row, ((), "")),
        )
        return msgspec.structs.replace(
            match, contradicted_by=tuple(contradicted_by), behind=tuple(behind), why_behind=why
        )

    def salience_at(self, row: int) -> float:
        salience = self._saliences.get(row)
        if salience is None:
            links = sum(weight for _, weight in self._holdings.table.links_at(row))
            memory = self._query.with_recalls(self._holdings.table.memory_at(row))
            salience = self._saliences[row] = min(max(self._salience_of(memory, links, self._query.now), 0.0), 1.0)
        return salience

    def rows_in_order(self) -> list[int]:
        """Return the rows with the query's minimum score and salience, the best first."""
        query, ordered = self._query, self._in_order(self.scores)
        min_score = query.min_score or 0.0
        return [
            row
            for row in ordered
            if self.scores[row] >= min_score and (not query.min_salience or self.salience_at(row) >= query.min_salience)
        ]

    def likely(self, rows: Sequence[int]) -> Sequence[int]:
        """Return the rows that are likely enough to be returned: none if nothing was found, else those that have words
        of the query or are not far behind the best one. If the query has a minimum score, that alone decides.
        """
        if self._query.min_score is not None or self._reranker is None:
            return rows
        best = max(self.scores.values(), default=0.0)
        if best < NOTHING_MAX and not self._agreement.found:
            return []
        odds = best / max(1.0 - best, 1e-9) / _FAR_BEHIND
        least = min(NOTHING_MAX, odds / (1.0 + odds))
        words = self._agreement.words
        return [row for row in rows if self.scores[row] >= least or words[row] > 0.0]

    def _in_order(self, scores: Mapping[int, float]) -> list[int]:
        """Return rows by their scores, the best first, the greater sequence first among equals."""
        rows = np.fromiter(scores, np.intp, len(scores))
        values = np.fromiter(scores.values(), np.float64, len(scores))
        ordered: list[int] = rows[np.lexsort((-self._holdings.table.sequences.values[rows], -values))].tolist()
        return ordered

    def _relevances_of(self, count: int) -> dict[int, float]:
        """Return the scores of candidates before salience and age: by the second stage, or the totals of the first."""
        agreement, period = self._agreement, self._weights.period
        if self._reranker is None:
            rows = best_of(agreement.total, self._holdings.table.sequences.values, count, agreement.rows)
            return dict(zip(rows.tolist(), agreement.total[rows].tolist(), strict=True))
        rows = _candidates(self._holdings, agreement, max(count, CANDIDATES), NEAR_CANDIDATES)
        scores = self._reranker.scores_of(self._holdings, agreement, rows)
        return {
            row: score + (period * (1.0 - score) if is_timely else 0.0)
            for row, score, is_timely in zip(rows.tolist(), scores, agreement.timely[rows].tolist(), strict=True)
        }

    def _own_score(self, row: int) -> float:
        total = self._relevances.get(row, 0.0)
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
        table, seeds = self._holdings.table, self._in_order(self.scores)[:SEEDS_MAX]
        linked = [table.rows.get(memory_id, ROW_NONE) for seed in seeds for memory_id, _ in table.links_at(seed)]
        if linked:
            self._agreement.look_at(np.array(linked, np.intp))
        for seed in seeds:
            for memory_id, weight in table.links_at(seed):
                row = table.rows.get(memory_id, ROW_NONE)
                if not self._agreement.passing[row] or not weight:
                    continue
                if row not in self.scores:
                    self.scores[row] = self._own_score(row)
                share = self._own_score(seed) * self._weights.link * weight
                if share > self.scores[row]:
                    self.scores[row] = share
                    self.led_from[row] = seed

    def _lower_near_duplicates(self) -> None:
        rows = self._in_order(self.scores)[:COMPARED_MAX]
        numbers, _, sizes = self._holdings.terms.terms_of(np.array(rows, np.intp))
        near_duplicates = near_duplicates_in(numbers, sizes)
        for row, is_near_duplicate in zip(rows, near_duplicates, strict=True):
            if is_near_duplicate:
                self.scores[row] *= self._weights.near_duplicate
