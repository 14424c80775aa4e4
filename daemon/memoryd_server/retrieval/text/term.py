"""Terms: the stems of a text's words, so that a word is found in its other forms.

A word is stemmed by its text's language. Terms of other languages than English end with the language, so that words are
compared only with words of their own language.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import Stemmer

from memoryd_server.retrieval.text.language import ENGLISH
from memoryd_server.retrieval.text.negation import CONTRACTIONS
from memoryd_server.retrieval.text.stop_word import stop_words
from memoryd_server.retrieval.text.verb import IRREGULAR
from memoryd_server.retrieval.text.word import plain, words_of

TERM_CHARACTERS_MAX = 64
"""Maximum length of a term. A longer word is cut: nobody types it, and it must not fill the index."""

_STEMMED_MAX = 16_384
"""Maximum number of words of a language whose stems are kept by each thread: about 3 MB. Words that are cut are not."""

_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "no": "norwegian",
    "fi": "finnish",
    "hu": "hungarian",
    "ro": "romanian",
    "tr": "turkish",
    "pl": "polish",
    "cs": "czech",
    "id": "indonesian",
    "ru": "russian",
    "ar": "arabic",
    "hi": "hindi",
    "el": "greek",
}

STEMMED = frozenset(_ALGORITHMS)
"""The languages whose words are stemmed."""

LANGUAGE_MARK = "|"
"""The sign between a stem and its language."""


class _Stemming(threading.local):
    """A stemmer of each language and the stems of words, for one thread, because a stemmer has internal state."""

    def __init__(self) -> None:
        self.stemmers: dict[str, Stemmer.Stemmer] = {}
        self.terms: dict[str, dict[str, str]] = {language: {} for language in _ALGORITHMS}

    def terms_of(self, words: Iterable[str], language: str) -> list[str]:
        stemmer = self.stemmers.get(language)
        if stemmer is None:
            stemmer = self.stemmers[language] = Stemmer.Stemmer(_ALGORITHMS[language], 0)
        cut = [word[:TERM_CHARACTERS_MAX] for word in words]
        if language == ENGLISH:
            stems: list[str] = stemmer.stemWords([IRREGULAR.get(bare, bare) for bare in map(plain, cut)])
            return stems
        return [f"{plain(stem)}{LANGUAGE_MARK}{language}" for stem in stemmer.stemWords(cut)]


_stemming = _Stemming()


def term_of(word: str, language: str = ENGLISH) -> str:
    """Return the term of a folded word of a language."""
    known = _stemming.terms[language]
    return known.get(word) or _new_term(word, language, known)


def terms_of_all(words: Iterable[str], language: str = ENGLISH) -> list[str]:
    """Return the term of each of very many folded words, of which none is kept."""
    return _stemming.terms_of(words, language)


def counts_of(words: Iterable[str], language: str) -> Counter[str]:
    """Return the terms of folded words of a language that say something, with their occurrences."""
    known, ignored = _stemming.terms[language], ignored_words(language)
    return Counter([known.get(word) or _new_term(word, language, known) for word in words if word not in ignored])


def _new_term(word: str, language: str, known: dict[str, str]) -> str:
    (term,) = _stemming.terms_of((word,), language)
    if len(word) <= TERM_CHARACTERS_MAX:
        if len(known) >= _STEMMED_MAX:
            known.clear()
        known[word] = term
    return term


@cache
def ignored_words(language: str) -> frozenset[str]:
    """Return the words of a language that are no terms: stop words, and contractions without their apostrophe."""
    return stop_words(language) | CONTRACTIONS


def terms_of(text: str) -> Iterator[str]:
    """Yield the terms of an English phrase."""
    return (term_of(word) for word in words_of(text) if word not in stop_words(ENGLISH))


def pairs_of(run: str) -> Iterator[str]:
    """Yield the pairs of characters of a run without spaces."""
    return (run[place : place + 2] for place in range(len(run) - 1))
