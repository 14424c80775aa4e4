"""An immutable inverted index: the texts that have a word."""

from collections.abc import Hashable, Iterable
from typing import Any, Generic, TypeVar

import immutables
import msgspec

from memoryd_server.domain.values.word import words_of

K = TypeVar("K", bound=Hashable)

_NO_POSTINGS: immutables.Map[Any, None] = immutables.Map()


class WordIndex(msgspec.Struct, Generic[K], frozen=True):
    """The keys of the texts that have each word. A word that no text has any more leaves no trace.

    ``count`` is the number of pairs of a word and a text.
    """

    postings: immutables.Map[str, immutables.Map[K, None]] = immutables.Map()
    count: int = 0

    @classmethod
    def of(cls, texts: Iterable[tuple[K, str]]) -> "WordIndex[K]":
        """Return the index of these texts."""
        grouped = _by_word(texts)
        postings = {word: immutables.Map(dict.fromkeys(keys)) for word, keys in grouped.items()}
        return cls(immutables.Map(postings), sum(map(len, grouped.values())))

    def add(self, key: K, text: str) -> "WordIndex[K]":
        """Return the index with one more text."""
        words = words_of(text)
        postings = self.postings.mutate()
        for word in words:
            postings[word] = postings.get(word, _NO_POSTINGS).set(key, None)
        return WordIndex(postings.finish(), self.count + len(words))

    def remove(self, texts: Iterable[tuple[K, str]]) -> "WordIndex[K]":
        """Return the index without texts that it has."""
        postings, count = self.postings.mutate(), self.count
        for word, keys in _by_word(texts).items():
            count -= len(keys)
            if len(keys) == len(postings[word]):
                del postings[word]
                continue
            left = postings[word].mutate()
            for key in keys:
                del left[key]
            postings[word] = left.finish()
        return WordIndex(postings.finish(), count)

    def find(self, query: str) -> set[K]:
        """Return the keys of the texts that have any word of the query; none when it has no word."""
        found: set[K] = set()
        return found.union(*(self.postings.get(word, _NO_POSTINGS) for word in words_of(query)))


def _by_word(texts: Iterable[tuple[K, str]]) -> dict[str, list[K]]:
    grouped: dict[str, list[K]] = {}
    for key, text in texts:
        for word in words_of(text):
            grouped.setdefault(word, []).append(key)
    return grouped
