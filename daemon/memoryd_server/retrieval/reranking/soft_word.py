"""Soft words: how near the words of memories are to those of a query, by the vectors of single words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Mask, Scores
from memoryd_server.retrieval.reranking.vocabulary import UNKNOWN, Vocabulary
from memoryd_server.retrieval.words.queried_terms import QueriedTerms
from memoryd_server.retrieval.words.term_index import TermIndex

COSINE_MIN = 0.35
"""Cosine at and below which two words are unrelated."""


def nearest_words(
    index: TermIndex,
    queried: QueriedTerms,
    vocabulary: Vocabulary,
    asked: Sequence[str],
    numbers: NDArray[np.uint32],
    sizes: NDArray[np.intp],
) -> tuple[Mask, Scores]:
    """Return a mask of the asked terms that have a vector, and how near each text's nearest term is to each of them.

    Nearness is from 0 to 1, which is that of a form of the same term. The texts are the numbers of their terms, one
    text after the other, with the number of terms of each.
    """
    there, of_number = _different(numbers)
    asked_places = vocabulary.places_of(asked)
    places = vocabulary.places_of([index.term_of(number) for number in there.tolist()])
    cosines = vocabulary.cosines_of(places, asked_places)
    near: Scores = np.clip((cosines - np.float32(COSINE_MIN)) / np.float32(1.0 - COSINE_MIN), 0.0, 1.0)
    for column, term in enumerate(asked):
        for number in queried.numbers_of(term):
            if number < len(of_number) and of_number[number] >= 0:
                near[of_number[number], column] = 1.0
    nearest: Scores = np.zeros((len(sizes), len(asked)), np.float32)
    some = np.flatnonzero(sizes)
    if len(some):
        starts = (np.cumsum(sizes) - sizes)[some]
        nearest[some] = np.maximum.reduceat(near[of_number[numbers]], starts, axis=0)
    return asked_places != UNKNOWN, nearest


def _different(numbers: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the different numbers in order, and the place of each number among them, -1 for the others."""
    of_number = np.full(int(numbers.max(initial=0)) + 1, -1, np.intp)
    of_number[numbers] = 0
    there = np.flatnonzero(of_number == 0)
    of_number[there] = np.arange(len(there))
    return there, of_number
