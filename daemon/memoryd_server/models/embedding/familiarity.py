"""The familiarity of a static table with the words of a text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoryd_server.ports.retrieval import Familiarity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

_STRANGE_WEIGHT = 1.0
"""Weight of a word that the table has only pieces of, or nothing. A rare word of the default table has nearly this."""


def familiarity_of(encoded: "Encoding", text: str, weights: "NDArray[np.float32]") -> Familiarity:
    """Return how well a table knows the words of an encoded text. ``weights`` has the length of each token's vector.

    A word is known if one token stands for it. A single character of another script than Latin is no word.
    """
    known, all_ = 0.0, 0.0
    strange = set[str]()
    for numbers, (start, end) in _words_of(encoded):
        word = text[start:end]
        if not any(map(str.isalnum, word)):
            continue
        weight = float(weights[numbers[0]])
        if len(numbers) > 1 or not weight or (len(word) == 1 and not word.isascii()):
            strange.add(word.lower())
            all_ += _STRANGE_WEIGHT
        else:
            known += weight
            all_ += weight
    return Familiarity(known / all_ if all_ else 1.0, frozenset(strange))


def _words_of(encoded: "Encoding") -> Sequence[tuple[list[int], tuple[int, int]]]:
    """Return the tokens of each word, and its place in the text."""
    words: dict[int, tuple[list[int], tuple[int, int]]] = {}
    for token, word, (start, end) in zip(encoded.ids, encoded.word_ids, encoded.offsets, strict=True):
        if word is None:
            continue
        numbers, (first, _) = words.get(word, ([], (start, end)))
        words[word] = ([*numbers, token], (first, end))
    return list(words.values())
