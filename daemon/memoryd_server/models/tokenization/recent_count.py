"""A cache of token counts: the messages and notes of a conversation are counted again in each turn."""

import threading

from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.models.limit import TOKEN_COUNTS_KEPT_MAX

Key = tuple[int, int, str]


class RecentCounts:
    """The token counts of texts by their tokenizers. Safe to share among threads.

    A text is identified by its hash and length, and not kept: it may be large, and it may be purged. The hash has 64
    bits and a random key, so that nobody can construct two texts with the same hash.
    """

    def __init__(self, kept_max: int = TOKEN_COUNTS_KEPT_MAX) -> None:
        self._kept: WeightedLru[Key, int] = WeightedLru(kept_max)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, text: str, tokenizer: str) -> int | None:
        """Return the remembered number of tokens of a text; None if there is none."""
        with self._lock:
            return self._kept.get((hash(text), len(text), tokenizer))

    def keep(self, text: str, tokenizer: str, count: int) -> None:
        """Remember a count."""
        with self._lock:
            self._kept.put((hash(text), len(text), tokenizer), count)
