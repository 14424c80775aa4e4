"""The features of candidates: what the second stage knows of each. None says which kind of data it is."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores, distinct
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.reranking.soft_word import nearest_words
from memoryd_server.retrieval.reranking.vocabulary import UNKNOWN, Places, Vocabulary
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

_PLACES = {name: place for place, name in enumerate(FEATURES)}

_SHARES = ("own", "before", "after", "before2", "after2", "speaker", "date", "here", "anywhere")
_SOFT_SHARES = ("soft", "soft_before", "soft_after", "soft_near", "soft_missing")
"""The features that are shares of the query's weight, in the order in which they are computed."""

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
    features = np.full((len(FEATURES), len(rows)), np.nan, np.float32)
    for name, column in columns.items():
        features[_PLACES[name]] = column
    return features.T


class _Candidates:
    """The candidates. ``_around`` has five rows for each: its own, those before and after it, and the next of these."""

    def __init__(self, holdings: Holdings, agreement: Agreement, rows: Rows, vocabulary: Vocabulary | None) -> None:
        self._holdings = holdings
        self._agreement = agreement
        self._rows = rows
        self._vocabulary = vocabulary
        previous, following = holdings.conversations.previous.values, holdings.conversations.next.values
        before, after = previous[rows], following[rows]
        self._around = np.stack((rows, before, after, previous[before], following[after]))
        different = distinct(self._around.ravel())
        self._where = np.searchsorted(different, self._around)
        self._numbers, self._only_named, self._sizes = holdings.terms.terms_of(different)
        self._worth = max(sum(agreement.rarity.values()), 1e-9)
        self._terms, rarity = _rarest(agreement.rarity)
        self._rarity = rarity / np.float32(self._worth)

    def columns(self) -> Mapping[str, _Column]:
        said, named = self._said()
        dated = self._dated()
        here = said[self._where[0]] | named[self._where[0]] | dated
        return (
            self._words(said, named, dated, here)
            | self._first_stage()
            | self._meaning()
            | self._soft(said | named, here)
            | self._shape()
        )

    def _words(self, said: Mask, named: Mask, dated: Mask, here: Mask) -> dict[str, _Column]:
        said = said[self._where]
        anywhere = here | said.any(axis=0)
        shares = self._shares_of(np.concatenate((said, [named[self._where[0]], dated, here, anywhere])))
        speaker = shares[5]
        return {
            **dict(zip(_SHARES, shares, strict=True)),
            "missing": np.where(here, np.float32(0.0), self._rarity).max(axis=1, initial=0.0),
            "other_speaker": speaker.max(initial=0.0) - speaker,
            "own_count": here.sum(axis=1).astype(np.float32),
            "terms": float(len(self._agreement.rarity)),
            "found": self._agreement.found,
            "unknown_names": float(self._agreement.unknown_names),
        }

    def _said(self) -> tuple[Mask, Mask]:
        """Return for each of the different rows if the text, and only the speaker's name, has each term."""
        said = np.zeros((len(self._sizes), len(self._terms)), np.bool_)
        named = np.zeros_like(said)
        forms: dict[int, list[int]] = {}
        for place, term in enumerate(self._terms):
            for number in self._agreement.terms.numbers_of(term):
                forms.setdefault(number, []).append(place)
        if not forms or not len(self._numbers):
            return said, named
        asked = np.array(sorted(forms))
        is_asked = np.zeros(max(int(self._numbers.max()), int(asked[-1])) + 1, np.bool_)
        is_asked[asked] = True
        found = np.flatnonzero(is_asked[self._numbers])
        if len(found):
            has = np.zeros((len(asked), len(self._terms)), np.bool_)
            for place, number in enumerate(asked.tolist()):
                has[place, forms[number]] = True
            owners = np.searchsorted(np.cumsum(self._sizes), found, side="right")
            starts = np.flatnonzero(np.diff(owners, prepend=-1))
            is_named = self._only_named[found][:, np.newaxis]
            of_found = has[np.searchsorted(asked, self._numbers[found])]
            said[owners[starts]] = np.logical_or.reduceat(of_found & ~is_named, starts)
            named[owners[starts]] = np.logical_or.reduceat(of_found & is_named, starts)
        return said, named

    def _dated(self) -> Mask:
        dated: Mask = np.zeros((len(self._rows), len(self._terms)), np.bool_)
        for place, term in enumerate(self._terms):
            rows = self._agreement.relevance.words.dated(term)
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
        own, before, after = self._agreement.meaning[self._around[:3]]
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

    def _soft(self, has: Mask, here: Mask) -> dict[str, _Column]:
        if self._vocabulary is None or not self._terms:
            return {}
        asked = self._vocabulary.places_of(self._terms)
        near = self._nearest(self._vocabulary, asked, has)
        own, before, after = near[self._where[:3]]
        combined = np.maximum(own, np.maximum(_WINDOW_BEFORE * before, _WINDOW_AFTER * after))
        missing = np.where(here, np.float32(0.0), own)
        shares = self._shares_of(np.stack((own, before, after, combined, missing)))
        return {
            **dict(zip(_SOFT_SHARES, shares, strict=True)),
            "soft_share": share_of_best(shares[3]),
            "known": float(self._rarity[asked != UNKNOWN].sum()),
        }

    def _nearest(self, vocabulary: Vocabulary, asked: Places, has: Mask) -> Scores:
        """Return for each different row how near its words are to each term; 0 for rows that are not next to one."""
        is_read = np.zeros(len(self._sizes), np.bool_)
        is_read[self._where[:3]] = True
        words = vocabulary.places_in(self._holdings.terms, self._numbers[np.repeat(is_read, self._sizes)])
        near: Scores = np.zeros(has.shape, np.float32)
        near[is_read] = nearest_words(vocabulary, asked, words, self._sizes[is_read], has[is_read])
        return near

    def _shape(self) -> dict[str, _Column]:
        terms = self._holdings.terms
        lengths = terms.lengths.values[self._rows].astype(np.float32)
        before, after = self._around[1:3]
        return {
            "length": lengths,
            "length_share": lengths / np.float32(max(lengths.sum(dtype=np.float64) / max(len(lengths), 1), 1.0)),
            "question": terms.questions.values[self._rows],
            "after_question": terms.questions.values[before],
            "talk": (before != ROW_NONE) | (after != ROW_NONE),
        }

    def _shares_of(self, has: Mask | Scores) -> Scores:
        """Return the shares of the query's weight that are there, given what is there of each term."""
        # Not a product of BLAS, whose last bit depends on the place of a row.
        shares: Scores = (has * self._rarity).sum(axis=-1)
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
