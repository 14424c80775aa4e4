"""What was counted lately: the messages and notes of a conversation are counted again with each turn."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

_COUNTS_KEPT = 32_768
"""Some 6 MB: texts are known by their digests, however long they are."""
_DIGEST_BYTES = 16


class RecentCounts:
    """The token counts of the texts that were counted last. Safe to share among threads."""

    def __init__(self, kept_max: int = _COUNTS_KEPT) -> None:
        self._kept_max = kept_max
        self._counts: OrderedDict[tuple[str, bytes], int] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, text: str, tokenizer: str, counting: Callable[[], int]) -> int:
        """How many tokens a text has: what is remembered, else what ``counting`` answers."""
        # A lone surrogate, which no message of the contract can hold, has a digest, too.
        data = text.encode(errors="surrogatepass")
        key = (tokenizer, hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest())
        with self._lock:
            known = self._counts.get(key)
            if known is not None:
                self._counts.move_to_end(key)
                return known
        count = counting()
        with self._lock:
            self._counts[key] = count
            if len(self._counts) > self._kept_max:
                self._counts.popitem(last=False)
        return count
