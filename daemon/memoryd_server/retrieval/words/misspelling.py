"""Words of a query that no passing row has: terms that are spelled nearly like them, and compounds with them."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.text.sought import Sought
from memoryd_server.retrieval.text.statement import ALIAS
from memoryd_server.retrieval.text.term import term_of
from memoryd_server.retrieval.text.word import plain
from memoryd_server.retrieval.words.term_index import TermIndex
from memoryd_server.retrieval.words.vocabulary import TAIL_MIN, stem_of

_WEIGHT = 0.7
"""Weight of a term that is spelled nearly like a word of the query."""

_COMPOUND_WEIGHT = 0.5
"""Weight of a compound for its last part, and the other way round."""

_COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
"""Languages that write compounds as one word, with what it is at the end: "Lieblingsgetränk"."""

_HEAD = 3
"""Minimum number of letters before the last part of a compound."""

_LETTERS_MIN = 5
_LETTERS_OF_TWO_MIN = 9
"""Minimum numbers of letters of a word that may have one wrong letter, and two."""

_FORMS_MAX = 3
"""Maximum number of terms that a misspelled word stands for."""

_ENDING = 4
"""Number of last letters of a word that are corrected before it is stemmed: a stemmer leaves a wrong ending."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def corrected(sought: Sought, terms: TermIndex, passing: Mask) -> dict[str, float]:
    """Return the terms that a word which no passing row has may stand for, with their weights; empty if there are none.

    Those with the fewest edits are returned, and of these the most frequent ones. Only terms of passing rows count.
    """
    word = sought.word
    if len(word) < TAIL_MIN or not word.isalpha():
        return {}
    found = _counted(_compounds(sought, terms), terms, passing)
    if found:
        return dict.fromkeys(_most_frequent(found), _COMPOUND_WEIGHT)
    if len(word) < _LETTERS_MIN:
        return {}
    found = _counted(_near(sought, terms, 1), terms, passing) or _counted(_respelled(sought, terms), terms, passing)
    if not found and len(word) >= _LETTERS_OF_TWO_MIN:
        found = _counted(_near(sought, terms, 2), terms, passing)
    return dict.fromkeys(_most_frequent(found), _WEIGHT)


def _most_frequent(found: Mapping[str, int]) -> list[str]:
    return sorted(found, key=lambda form: (-found[form], form))[:_FORMS_MAX]


def _counted(forms: Iterable[str], terms: TermIndex, passing: Mask) -> Mapping[str, int]:
    """Return the forms that passing rows have, each with the number of these."""
    counted = {}
    for form in dict.fromkeys(forms):
        postings = terms.find(form)
        count = 0 if postings is None else int(np.count_nonzero(passing[postings.rows]))
        if count:
            counted[form] = count
    return counted


def _compounds(sought: Sought, terms: TermIndex) -> Iterator[str]:
    """Yield the compounds that end with the word, and the words that it ends with as a compound."""
    for language in _COMPOUNDING.intersection(sought.languages):
        wanted = term_of(sought.word, language)
        stem = stem_of(wanted)
        if len(stem) >= TAIL_MIN:
            mark = wanted[len(stem) :]
            yield from (term for term in terms.vocabulary.ending(stem, _HEAD) if term.endswith(mark))


def _near(sought: Sought, terms: TermIndex, distance: int) -> Iterator[str]:
    """Yield the terms within some edits of the word's stems, in the same languages."""
    for language in sought.languages:
        wanted = term_of(sought.word, language)
        stem = stem_of(wanted)
        mark = wanted[len(stem) :]
        for term in terms.vocabulary.near(stem, distance):
            if term[len(stem_of(term)) :] in (mark, mark + ALIAS):
                yield term


def _respelled(sought: Sought, terms: TermIndex) -> Iterator[str]:
    """Yield the terms of the words with one edit in the ending, if terms begin as the word does."""
    word, same = sought.word, max(len(sought.word) - _ENDING, 1)
    if not terms.vocabulary.beginning(plain(word), _ENDING):
        return
    for language in sought.languages:
        for place in range(same, len(word)):
            before, letter, after = word[:place], word[place], word[place + 1 :]
            yield term_of(before + after, language)
            if after:
                yield term_of(before + after[0] + letter + after[1:], language)
            for other in _ALPHABET:
                yield term_of(before + other + after, language)
                yield term_of(before + other + letter + after, language)
