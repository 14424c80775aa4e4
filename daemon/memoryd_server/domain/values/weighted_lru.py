"""A cache within a total weight that evicts the least recently used entries first."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

_LOOKS_MAX = 16
"""Maximum number of entries that one call considers for eviction: many that must stay do not make it slow."""


class WeightedLru(Generic[Key, Value]):
    """Keeps values by key while their weights add up to at most ``weight_max``, and their number to ``count_max``.

    ``put`` and ``reweigh`` evict the least recently used entries until both bounds hold. The most recently used entry
    always stays, also when it alone is too heavy. ``may_evict`` can keep others: an entry that must stay counts as used
    now, and the cache holds more than its bounds allow until a later call finds it free. ``on_evict`` is called for
    each entry after it was evicted, and not for those that were replaced or removed by ``pop``.

    Not safe to share among threads. ``None`` is no value.
    """

    def __init__(
        self,
        weight_max: int,
        *,
        count_max: int | None = None,
        may_evict: Callable[[Value], bool] | None = None,
        on_evict: Callable[[Value], None] | None = None,
    ) -> None:
        self.weight = 0
        self._weight_max = weight_max
        self._count_max = count_max
        self._may_evict = may_evict
        self._on_evict = on_evict
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._weights: dict[Key, int] = {}
        self.peek: Callable[[Key], Value | None] = self._values.get
        """The value of a key, without counting it as used. It is the dictionary's own method, for hot paths."""

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """The value of a key, which becomes the most recently used one; None when there is none."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: Key, value: Value, weight: int = 1) -> None:
        """Keep a value as the most recently used one, in place of the key's former value."""
        self.pop(key)
        self._values[key] = value
        self._weigh(key, weight)
        self._evict()

    def reweigh(self, key: Key, weight: int) -> None:
        """Change the weight of an entry that is there. This does not count as using it."""
        self.weight -= self._weights.pop(key, 1)
        self._weigh(key, weight)
        self._evict()

    def pop(self, key: Key) -> Value | None:
        """Remove an entry; returns its value, None when there is none."""
        value = self._values.pop(key, None)
        if value is not None:
            self.weight -= self._weights.pop(key, 1)
        return value

    def oldest(self) -> tuple[Key, Value] | None:
        """The least recently used entry."""
        return next(iter(self._values.items()), None)

    def _weigh(self, key: Key, weight: int) -> None:
        self.weight += weight
        if weight != 1:
            self._weights[key] = weight

    def _is_overfull(self) -> bool:
        is_crowded = self._count_max is not None and len(self._values) > self._count_max
        return is_crowded or self.weight > self._weight_max

    def _evict(self) -> None:
        looks = _LOOKS_MAX if self._may_evict is not None else len(self._values)
        # One less than there are: those that must stay move behind the most recently used one, which stays as well.
        for _ in range(min(looks, len(self._values) - 1)):
            if not self._is_overfull():
                return
            key, value = next(iter(self._values.items()))
            if self._may_evict is not None and not self._may_evict(value):
                self._values.move_to_end(key)
                continue
            self.pop(key)
            if self._on_evict is not None:
                self._on_evict(value)
