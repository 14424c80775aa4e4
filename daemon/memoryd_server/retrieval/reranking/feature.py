"""The features of candidates: what the second stage knows of each. None says which kind of data it is."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.reranking.soft_word import nearest_words
from memoryd_server.retrieval.reranking.vocabulary import Vocabulary
from memoryd_server.retrieval.vector_index import Vector

FEATURES = (
    # Shares of the query's weight (idf) that are in the memory itself, its speaker, its neighbours and its date.
    "own", "speaker", "before", "before2", "after", "after2", "date", "here", "anywhere",
    # The rarest term that is not here; the excess of the best speaker's share; numbers of terms; the share of the
    # query's weight that any memory has, and the number of its names that none has.
    "missing", "other_speaker", "own_count", "terms", "found", "unknown_names",
    # The first stage: its words and its total, as shares of the best candidate's, and the rank.
    "words", "words_share", "total_share", "total_rank",
    # Meaning: of the memory, in standard deviations, as a share of the best, its rank; that of its neighbours.
    "meaning", "meaning_z", "meaning_share", "meaning_rank", "meaning_before", "meaning_after", "window",
    "window_share",
    # The meaning of the memory without what all words have in common.
    "contrast", "contrast_share", "contrast_rank",
    # Soft words: how near the nearest word is to each of the query's; and the share of these that the table knows.
    "soft", "soft_before", "soft_after", "soft_near", "soft_share", "soft_missing", "known",
    # The memory's shape.
    "length", "length_share", "question", "after_question", "talk",
)  # fmt: skip
"""The names of the features, in their order."""

TERMS_MAX = 64
"""Maximum number of the query's terms that are compared: the rarest."""

_WINDOW_BEFORE, _WINDOW_AFTER = np.float32(0.7), np.float32(0.3)
"""The weights of the memories before and after in the window of a memory."""

_NOTHING_COMMON: Vector = np.zeros(0, np.int8)

Features = NDArray[np.float32]
_Column = Scores | Mask | float


def features_of(holdings: Holdings, agreement: Agreement, rows: Rows, vocabulary: Vocabulary | None) -> Features:
    """Return the features of candidates: a row for each, in the order of FEATURES. NaN is unknown."""
    columns = _Candidates(holdings, agreement, rows, vocabulary).columns()
    features = np.full((len(rows), len(FEATURES)), np.nan, np.float32)
    for place, name in enumerate(FEATURES):
        if name in columns:
            features[:, place] = columns[name]
    return features


class _Candidates:
    """The candidates. ``_around`` has five rows for each: its own, the two before it, and the two after it."""

    def __init__(self, holdings: Holdings, agreement: Agreement, rows: Rows, vocabulary: Vocabulary | None) -> None:
        self._holdings = holdings
        self._agreement = agreement
        self._rows = rows
        self._vocabulary = vocabulary
        previous, following = holdings.conversations.previous.values, holdings.conversations.next.values
        before, after = previous[rows], following[rows]
        self._around = np.stack((rows, before, previous[before], after, following[after]))
        different, where = np.unique(self._around, return_inverse=True)
        self._where = where.reshape(self._around.shape)
        self._numbers, self._only_named, self._sizes = holdings.terms.terms_of(different)
        self._worth = max(sum(agreement.rarity.values()), 1e-9)
        self._terms, rarity = _rarest(agreement.rarity)
        self._rarity = rarity / np.float32(self._worth)

    def columns(self) -> Mapping[str, _Column]:
        said, named = self._said()
        here = said[0] | named[0] | self._dated()
        return self._words(said, named, here) | self._first_stage() | self._meaning() | self._soft(here) | self._shape()

    def _words(self, said: Mask, named: Mask, here: Mask) -> dict[str, _Column]:
        own, before, before2, after, after2 = (self._share_of(each) for each in said)
        speaker = self._share_of(named[0])
        return {
            "own": own, "before": before, "before2": before2, "after": after, "after2": after2,
            "speaker": speaker, "date": self._share_of(self._dated()), "here": self._share_of(here),
            "anywhere": self._share_of(here | said.any(axis=0)),
            "missing": np.where(here, np.float32(0.0), self._rarity).max(axis=1, initial=0.0),
            "other_speaker": speaker.max(initial=0.0) - speaker,
            "own_count": here.sum(axis=1).astype(np.float32),
            "terms": float(len(self._agreement.rarity)),
            "found": self._agreement.found, "unknown_names": float(self._agreement.unknown_names),
        }  # fmt: skip

    def _said(self) -> tuple[Mask, Mask]:
        """Return for each place around each candidate if the text, and only the speaker's name, has each term."""
        owners = np.repeat(np.arange(len(self._sizes)), self._sizes)
        said = np.zeros((len(self._sizes), len(self._terms)), np.bool_)
        named = np.zeros_like(said)
        for place, term in enumerate(self._terms):
            is_there = np.isin(self._numbers, self._agreement.terms.numbers_of(term))
            said[owners[is_there & ~self._only_named], place] = True
            named[owners[is_there & self._only_named], place] = True
        return said[self._where], named[self._where]

    def _dated(self) -> Mask:
        dated: Mask = np.zeros((len(self._rows), len(self._terms)), np.bool_)
        for place, term in enumerate(self._terms):
            rows = self._holdings.calendar.rows_of(term, len(self._agreement.total))
            if rows is not None:
                dated[:, place] = rows[self._rows]
        return dated

    def _first_stage(self) -> dict[str, _Column]:
        words, total = self._agreement.words[self._rows], self._agreement.total[self._rows]
        return {"words": words, "words_share": share_of_best(words), "total_share": share_of_best(total),
                "total_rank": _rank(total)}  # fmt: skip

    def _meaning(self) -> dict[str, _Column]:
        if self._agreement.spread is None:
            return {}
        own, before, _, after, _ = self._agreement.meaning[self._around]
        window = own + _WINDOW_BEFORE * before + _WINDOW_AFTER * after
        return {
            "meaning": own, "meaning_z": own / np.float32(self._agreement.spread), "meaning_share": share_of_best(own),
            "meaning_rank": _rank(own), "meaning_before": before, "meaning_after": after,
            "window": window, "window_share": share_of_best(window),
        } | self._contrast()  # fmt: skip

    def _contrast(self) -> dict[str, _Column]:
        common = self._vocabulary.common if self._vocabulary is not None else _NOTHING_COMMON
        contrast = self._agreement.relevance.meaning.contrast_at(common, self._rows)
        return {"contrast": contrast, "contrast_share": share_of_best(contrast), "contrast_rank": _rank(contrast)}

    def _soft(self, here: Mask) -> dict[str, _Column]:
        if self._vocabulary is None or not self._terms:
            return {}
        known, near = nearest_words(
            self._holdings.terms, self._agreement.terms, self._vocabulary, self._terms, self._numbers, self._sizes
        )
        own, before, _, after, _ = near[self._where]
        combined = np.maximum(own, np.maximum(_WINDOW_BEFORE * before, _WINDOW_AFTER * after))
        soft, soft_near = self._share_of(own), self._share_of(combined)
        return {
            "soft": soft, "soft_before": self._share_of(before), "soft_after": self._share_of(after),
            "soft_near": soft_near, "soft_share": share_of_best(soft_near),
            "soft_missing": self._share_of(np.where(here, np.float32(0.0), own)),
            "known": float(self._rarity[known].sum()),
        }  # fmt: skip

    def _shape(self) -> dict[str, _Column]:
        terms = self._holdings.terms
        lengths = terms.lengths.values[self._rows].astype(np.float32)
        before, after = self._around[1], self._around[3]
        return {
            "length": lengths,
            "length_share": lengths / np.float32(max(lengths.sum(dtype=np.float64) / max(len(lengths), 1), 1.0)),
            "question": terms.questions.values[self._rows],
            "after_question": terms.questions.values[before],
            "talk": (before != ROW_NONE) | (after != ROW_NONE),
        }

    def _share_of(self, has: Mask | Scores) -> Scores:
        # Not a product of BLAS, whose last bit depends on the place of a row.
        shares: Scores = (has * self._rarity).sum(axis=1)
        return shares


def share_of_best(values: Scores) -> Scores:
    """Return values as shares of the greatest of them; zeros if none is above zero."""
    greatest = float(values.max(initial=0.0))
    return values / np.float32(greatest) if greatest > 0.0 else np.zeros_like(values)


def _rank(values: Scores) -> Scores:
    """Return how many of the values are greater than each."""
    return (len(values) - np.searchsorted(np.sort(values), values, side="right")).astype(np.float32)


def _rarest(rarity: Mapping[str, float]) -> tuple[Sequence[str], Scores]:
    terms = list(rarity)
    if len(terms) > TERMS_MAX:
        terms = sorted(terms, key=lambda term: (-rarity[term], term))[:TERMS_MAX]
    return terms, np.array([rarity[term] for term in terms], np.float32)
