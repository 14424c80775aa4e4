"""What was counted lately: the messages and notes of a conversation are counted again with each turn."""

_COUNTS_KEPT = 32_768
"""Some 6 MB, and twice that at most."""

Key = tuple[int, int, str]


class RecentCounts:
    """The token counts of texts by their tokenizers. Safe to share among threads.

    A text is known by its hash and length, not kept: it may be large, and it may be purged. The hash is of 64 bits
    and keyed by chance, so that nobody can make two texts that are taken for one.
    """

    def __init__(self, kept_max: int = _COUNTS_KEPT) -> None:
        self._kept_max = kept_max
        self._new: dict[Key, int] = {}
        self._old: dict[Key, int] = {}

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def find(self, text: str, tokenizer: str) -> int | None:
        """How many tokens a text has, None when that is not remembered."""
        key = (hash(text), len(text), tokenizer)
        found = self._new.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self._keep(key, found)
        return found

    def keep(self, text: str, tokenizer: str, count: int) -> None:
        """Remember a count."""
        self._keep((hash(text), len(text), tokenizer), count)

    def _keep(self, key: Key, count: int) -> None:
        if len(self._new) >= self._kept_max:
            # What nobody asks for while as many others come is forgotten.
            self._old, self._new = self._new, {}
        self._new[key] = count
