"""rank_bm25: with texts split at spaces, as its documentation shows it, or with ``--words`` into words."""

import sys
from collections.abc import Callable, Sequence

from rank_bm25 import BM25Okapi
from tests.benchmarks.recall.libraries.serving import serve
from tests.benchmarks.recall.word import words


class _RankBm25:
    def __init__(self, tokens_of: Callable[[str], Sequence[str]]) -> None:
        self._tokens_of = tokens_of
        self._indexes: dict[str, BM25Okapi] = {}

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        self._indexes[conversation] = BM25Okapi([self._tokens_of(text) for text in texts])

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        index = self._indexes[conversation]
        return index.get_top_n(self._tokens_of(question), range(index.corpus_size), n=limit)


def _split(text: str) -> Sequence[str]:
    return text.lower().split()


if __name__ == "__main__":
    serve(_RankBm25(words if "--words" in sys.argv else _split))
