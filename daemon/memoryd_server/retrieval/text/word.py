"""Words: the runs of letters and digits of a text, without differences of case, width and form."""

import re
import unicodedata
from collections.abc import Iterator

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, Chinese characters
    "\uac00-\ud7af"  # Hangul has spaces, but what follows a noun sticks to it
)
INDIC = "\u0900-\u0dff"  # its vowel signs are no letters for Python
SYMBOL = "\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_WORD = re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}](?:[^\\W_{UNSPACED}]+|[{INDIC}]+)*+|[{SYMBOL}]")

_JOINING = "\u1160-\u11ff"  # letters of Hangul that make a syllable with the one before
_PART = re.compile(f".{{1,512}}(?!\\S)|.{{1,512}}(?=[^\\W{_JOINING}])|.{{1,512}}", re.DOTALL)
"""A part of a text that is normalised in one call: up to a space if there is one, else up to a letter. Python's
normalisation sorts the marks on one letter in quadratic time, during which no other thread runs."""
_POINTS = re.compile("[\u0591-\u05c7\u064b-\u065f\u0670]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc\uff07]")


def folded(text: str) -> str:
    """Return a text in lower case, in one normal form, without vowel points. Letters keep their accents."""
    if text.isascii():
        return text.lower()
    return _APOSTROPHES.sub("'", "".join(map(_folded_part, _PART.findall(text))))


def plain(word: str) -> str:
    """Return a folded word without accents."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text."""
    return (match[0] for match in _WORD.finditer(folded(text)))


def _folded_part(part: str) -> str:
    joined = unicodedata.normalize("NFC", _POINTS.sub("", unicodedata.normalize("NFKD", part).casefold()))
    return _ACCENTS.sub("", joined)
