"""An immutable inverted index from words to numbered texts."""

from collections.abc import Iterable

import immutables
import msgspec

from memoryd_server.domain.values.word import words_of

_Postings = immutables.Map[int, None]
_NO_POSTINGS: _Postings = immutables.Map()


class WordIndex(msgspec.Struct, frozen=True):
    """The numbers of the texts that contain each word. A word without texts is removed from the index.

    ``count`` is the number of pairs of a word and a text.
    """

    postings: immutables.Map[str, _Postings] = immutables.Map()
    count: int = 0

    @classmethod
    def of(cls, texts: Iterable[tuple[int, str]]) -> "WordIndex":
        """Return the index of these texts."""
        grouped = _by_word(texts)
        postings = {word: immutables.Map(dict.fromkeys(numbers)) for word, numbers in grouped.items()}
        return cls(immutables.Map(postings), sum(map(len, grouped.values())))

    def add(self, number: int, text: str) -> "WordIndex":
        """Return the index with one more text."""
        words = words_of(text)
        postings = self.postings.mutate()
        for word in words:
            postings[word] = postings.get(word, _NO_POSTINGS).set(number, None)
        return WordIndex(postings.finish(), self.count + len(words))

    def remove(self, texts: Iterable[tuple[int, str]]) -> "WordIndex":
        """Return the index without these texts, which it must contain."""
        postings, count = self.postings.mutate(), self.count
        for word, numbers in _by_word(texts).items():
            count -= len(numbers)
            if len(numbers) == len(postings[word]):
                del postings[word]
                continue
            left = postings[word].mutate()
            for number in numbers:
                del left[number]
            postings[word] = left.finish()
        return WordIndex(postings.finish(), count)

    def find(self, query: str) -> set[int]:
        """Return the numbers of the texts that contain any word of the query; none when it has no word."""
        return set().union(*(self.postings.get(word, _NO_POSTINGS) for word in words_of(query)))


def _by_word(texts: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = {}
    for number, text in texts:
        for word in words_of(text):
            grouped.setdefault(word, []).append(number)
    return grouped
