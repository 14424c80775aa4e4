"""The language of a text: by its script, its function words and its n-grams of letters.

English is the default: it is what a text without evidence of another language is taken for, such as a name, a number or
a word that many languages have.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.text.stop_word import stop_words

ENGLISH = "en"

_DATA = Path(__file__).with_name("data")

_SCRIPTS = (
    (re.compile("[\u0400-\u04ff]"), "ru"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0370-\u03ff]"), "el"),
)

LANGUAGE_CHARACTERS_MAX = 200
"""Maximum length of the beginning of a text that is compared: more does not change the result."""

_CHARACTERS_MIN = 10
"""Minimum length of a text in ASCII that may be of another language than English."""

_CERTAIN = 0.9
_LIKELY = 0.5
_PROBABLE = 0.4
_POSSIBLE = 0.2
"""Minimum probabilities of a language: against English function words, without evidence, with one function word of its
own, and with several."""

_FUNCTION_WORD_ODDS = 1.0
"""The odds of a language that each of its function words adds, as a share of those of the n-grams."""

_CHAT = frozenset(
    """
    i'm im i'll hi hey oh ok okay yeah yes yep nope bye wow lol haha hmm um uh thanks thank cool got get gonna wanna
    gotta ya nice please sorry great love like one new good go going really know think see let's maybe ha ah aw ooh
    """.replace("'", " ").split()
)
"""Frequent English words that are no stop words. A text that has nothing else is English."""


def language_of(text: str, words: Iterable[str]) -> str:
    """Return the code of the language of a folded text, whose different words are ``words``.

    Most English texts are recognized by their function words alone, in a few microseconds.
    """
    text = text[:LANGUAGE_CHARACTERS_MAX]
    is_ascii = text.isascii()
    if not is_ascii:
        letters = sum(map(str.isalpha, text))
        for script, language in _SCRIPTS:
            if len(script.findall(text)) * 2 > letters:
                return language
    languages = _function_words()
    english, shared, others = 0, 0, Counter[str]()
    for word in words:
        known = languages.get(word)
        if known is None:
            continue
        if ENGLISH not in known:
            others.update(known)
        elif len(known) == 1:
            english += 1
        else:
            shared += 1
    if is_ascii and (english > 2 * max(others.values(), default=0) or len(text) < _CHARACTERS_MIN):
        return ENGLISH
    language, probability = _likeliest(text, others)
    if language == ENGLISH:
        return ENGLISH
    least = _least_of(others[language], english, shared, is_ascii=is_ascii)
    return language if probability >= least else ENGLISH


def _least_of(own: int, english: int, shared: int, *, is_ascii: bool) -> float:
    """Return the minimum probability of a language, by the numbers of its function words and of those of English."""
    if own > english + shared:
        # One word may be a name: "Ada" is Indonesian for "there is".
        return _POSSIBLE if own > 1 or not is_ascii else _PROBABLE
    return _CERTAIN if english else _LIKELY


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """Return the languages of each function word."""
    found: dict[str, set[str]] = {}
    for language in _table().languages:
        for word in stop_words(language):
            found.setdefault(word, set()).add(language)
    for word in _CHAT:
        found[word] = {ENGLISH}
    return {word: frozenset(languages) for word, languages in found.items()}


def _likeliest(text: str, function_words: Mapping[str, int]) -> tuple[str, float]:
    """Return the likeliest language of a text, and its probability.

    At each place the longest n-gram counts. ``function_words`` counts those of each language.
    """
    table = _table()
    numbers, longest = table.numbers, table.longest
    seen = Counter[int]()
    for end in range(1, len(text) + 1):
        for size in range(min(longest, end), 0, -1):
            number = numbers.get(text[end - size : end])
            if number is not None:
                seen[number] += 1
                break
    if not seen:
        return ENGLISH, 0.0
    counts = np.log1p(np.fromiter(seen.values(), np.float64, len(seen)))
    sums = counts @ table.weights[np.fromiter(seen.keys(), np.intp, len(seen))]
    # The root of the length, because neighbouring n-grams are not independent.
    odds = np.exp((sums - sums.max()) / (table.step * math.sqrt(len(text.encode(errors="surrogatepass")))))
    odds *= [1 + _FUNCTION_WORD_ODDS * function_words.get(language, 0) for language in table.languages]
    best = int(np.argmax(odds))
    return table.languages[best], float(odds[best] / odds.sum())


class _Table:
    """The n-grams of letters, each with a weight for each language. See scripts/distill."""

    step = 32.0

    def __init__(self) -> None:
        self.languages = (_DATA / "languages.txt").read_text(encoding="utf-8").split()
        ngrams = (_DATA / "ngrams.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.numbers = {ngram: number for number, ngram in enumerate(ngrams)}
        self.longest = max(map(len, ngrams))
        self.weights: NDArray[np.int8] = np.load(_DATA / "ngrams.npy")


@cache
def _table() -> _Table:
    return _Table()
