"""Soft words: how near the words of memories are to those of a query, by the vectors of single words."""

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Mask, Scores
from memoryd_server.retrieval.reranking.vocabulary import UNKNOWN, Places, Vocabulary

COSINE_MIN = 0.35
"""Cosine at and below which two words are unrelated."""


def nearest_words(vocabulary: Vocabulary, asked: Places, words: Places, sizes: NDArray[np.intp], has: Mask) -> Scores:
    """Return how near each text's nearest word is to each of the asked ones: a row for each text.

    Nearness is from 0 to 1. ``words`` has the places of the texts' words in the vocabulary, one text after the other,
    and ``sizes`` the number of words of each. ``has`` says which asked words a text has in some form: these are as near
    as can be, whether the vocabulary knows them or not.
    """
    nearest: Scores = np.zeros((len(asked), len(sizes)), np.float32)
    some = np.flatnonzero(sizes)
    if len(some):
        there, of_word = _different(words)
        near = vocabulary.cosines_of(asked, there)
        near -= np.float32(COSINE_MIN)
        near /= np.float32(1.0 - COSINE_MIN)
        np.clip(near, 0.0, 1.0, out=near)
        starts = (np.cumsum(sizes) - sizes)[some]
        nearest[:, some] = np.maximum.reduceat(near.take(of_word, axis=1), starts, axis=1)
    texts = nearest.T
    texts[has] = 1.0
    return texts


def _different(places: Places) -> tuple[Places, NDArray[np.intp]]:
    """Return the different places in order, and for each place where it is among them."""
    shifted = places - UNKNOWN
    is_there = np.zeros(int(shifted.max()) + 1, np.bool_)
    is_there[shifted] = True
    there = np.flatnonzero(is_there)
    where = np.empty(len(is_there), np.intp)
    where[there] = np.arange(len(there))
    return (there + UNKNOWN).astype(np.int32), where[shifted]
