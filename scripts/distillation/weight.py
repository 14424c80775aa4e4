"""The weight of each token of the vocabulary in the mean: the rarer, the greater.

The weights are those of smooth inverse frequency (Arora et al., 2017): a / (a + p), with the p that Zipf's law gives a
word of its rank. BERT's vocabulary names its words in order of their frequency, after the special tokens and the single
characters, which are in the order of their code points and have no rank.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

COEFFICIENT = 1e-3
"""The a of Arora et al., who found 1e-3 to 1e-4 to do equally well."""


def token_weights(tokens: Sequence[str], probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a weight from 0 to 1 for each token, by its probability; 0 for those that say nothing."""
    weights = COEFFICIENT / (COEFFICIENT + probabilities)
    weights[[number for number, token in enumerate(tokens) if says_nothing(token)]] = 0
    return np.asarray(weights)


def token_probabilities(tokens: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the probability of each token of BERT's uncased vocabulary in English texts, in its order."""
    # "the" is the first word, and the most frequent one.
    first_word = tokens.index("the")
    ranks = np.full(len(tokens), len(tokens) - first_word, np.float64)
    ranks[first_word:] = np.arange(1, len(tokens) - first_word + 1)
    # Letters rank first: "a" and "i" are among the most frequent words, and the others mostly follow apostrophes.
    ranks[[number for number, token in enumerate(tokens[:first_word]) if is_latin_letter(token)]] = 1
    return np.asarray(1 / (ranks * np.sum(1 / np.arange(1, len(tokens) - first_word + 1))))


def is_latin_letter(token: str) -> bool:
    return len(token) == 1 and token.isascii() and token.isalpha()


def says_nothing(token: str) -> bool:
    """Return True if a token is special, unused, a mark of punctuation or a symbol."""
    if len(token) > 1 and token.startswith("[") and token.endswith("]"):
        return True
    return all(unicodedata.category(character)[0] in "PSZC" for character in token.removeprefix("##") or token)
