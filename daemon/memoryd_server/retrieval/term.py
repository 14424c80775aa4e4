"""Terms: the stems of a text's words, so that a word is found in its other forms."""

import re
import threading
import unicodedata
from collections.abc import Iterator

import Stemmer

from memoryd_server.retrieval.stop_word import STOP_WORDS

TERM_CHARACTERS_MAX = 64
"""Maximum length of a term. A longer word is cut: nobody types it, and it must not fill the index."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, Chinese characters
    "\uac00-\ud7af"  # Hangul has spaces, but what follows a noun sticks to it
)
_INDIC = "\u0900-\u0dff"  # its vowel signs are no letters for Python
_SYMBOL = "\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_WORD = re.compile(f"([{_UNSPACED}]+)|[^\\W_{_UNSPACED}](?:[^\\W_{_UNSPACED}]+|[{_INDIC}]+)*+|[{_SYMBOL}]")
_JOINING = "\u1160-\u11ff"  # letters of Hangul that make a syllable with the one before
_PART = re.compile(f".{{1,512}}(?!\\S)|.{{1,512}}(?=[^\\W{_JOINING}])|.{{1,512}}", re.DOTALL)
"""A part of a text that is normalised in one call: up to a space if there is one, else up to a letter. Python's
normalisation sorts the marks on one letter in quadratic time, during which no other thread runs."""
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+")


class _Stemming(threading.local):
    """A stemmer per thread, because a stemmer has internal state."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("english").stemWord


_stemming = _Stemming()


def terms_of(text: str) -> Iterator[str]:
    """Yield the terms of a text, once per occurrence. A run without spaces yields its characters and their pairs."""
    for word, is_unspaced in _words_of(text):
        if is_unspaced:
            yield from word
            yield from _pairs_of(word)
        elif word not in STOP_WORDS:
            yield _stemming.stem(word[:TERM_CHARACTERS_MAX])


def looked_for(query: str) -> dict[str, str]:
    """Return the query's different terms, in order, each with the word that it was derived from."""
    found: dict[str, str] = {}
    for word, is_unspaced in _words_of(query):
        if is_unspaced:
            for part in _pairs_of(word) if len(word) > 1 else word:
                found.setdefault(part, part)
        elif word not in STOP_WORDS:
            found.setdefault(_stemming.stem(word[:TERM_CHARACTERS_MAX]), word)
    return found


def _words_of(text: str) -> Iterator[tuple[str, bool]]:
    for match in _WORD.finditer(_folded(text)):
        yield match[0], match[1] is not None


def _pairs_of(word: str) -> Iterator[str]:
    return (word[place : place + 2] for place in range(len(word) - 1))


def _folded(text: str) -> str:
    """Return a text without differences of case, accents and width."""
    if text.isascii():
        return text.lower()
    return "".join(map(_folded_part, _PART.findall(text)))


def _folded_part(part: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", part).casefold()))
