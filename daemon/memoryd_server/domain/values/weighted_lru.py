"""A cache within a total weight that evicts the least recently used entries first."""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

_LOOKS_MAX = 16
"""Maximum number of entries that one call considers for eviction: many that must stay do not make it slow."""


class WeightedLru(Generic[Key, Value]):
    """Values by key, with a total weight of at most ``weight_max`` and a number of at most ``count_max``.

    ``put`` and ``reweigh`` evict the least recently used entries until both bounds hold. The most recently used entry
    always stays, even if it alone is too heavy. ``may_evict`` can keep others: an entry that must stay counts as used
    now, and the cache exceeds its bounds until a later call finds the entry free. ``on_evict`` is called with each
    evicted value after its removal, but not with values that were replaced or removed by ``pop``.

    Not thread-safe. ``None`` is not a valid value.
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
        self._count_max: float = math.inf if count_max is None else count_max
        self._may_evict = may_evict
        self._on_evict = on_evict
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._weights: dict[Key, int] = {}
        self.peek: Callable[[Key], Value | None] = self._values.get
        """Returns the value of a key, or None, without counting a use of it. A method of the dictionary, for speed."""

        self.touch: Callable[[Key], None] = self._values.move_to_end
        """Counts as a use of an entry that ``peek`` has found."""

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None, and count this as a use of it."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: Key, value: Value, weight: int = 1) -> None:
        """Add a value as the most recently used one, or replace the key's value."""
        self.pop(key)
        self._values[key] = value
        self.weight += weight
        if weight != 1:
            self._weights[key] = weight
        self._evict()

    def reweigh(self, key: Key, weight: int) -> None:
        """Change the weight of an entry, if it is there. Does not count as a use of it."""
        if key in self._values:
            self.weight += weight - self._weights.get(key, 1)
            self._weights[key] = weight
            if self.weight > self._weight_max or len(self._values) > self._count_max:
                self._evict()

    def pop(self, key: Key) -> Value | None:
        """Remove an entry, and return its value, or None."""
        value = self._values.pop(key, None)
        if value is not None:
            self.weight -= self._weights.pop(key, 1)
        return value

    def clear(self) -> None:
        """Remove all entries."""
        for key in list(self._values):
            self.pop(key)

    def values(self) -> list[Value]:
        """Return all values, the least recently used first."""
        return list(self._values.values())

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Yield all entries, the least recently used first."""
        yield from self._values.items()

    def oldest(self) -> tuple[Key, Value] | None:
        """Return the least recently used entry, or None."""
        return next(iter(self._values.items()), None)

    def _evict(self) -> None:
        looks = _LOOKS_MAX if self._may_evict is not None else len(self._values)
        # One fewer than there are: entries that must stay move behind the most recently used one, which must stay too.
        for _ in range(min(looks, len(self._values) - 1)):
            if self.weight <= self._weight_max and len(self._values) <= self._count_max:
                return
            key, value = next(iter(self._values.items()))
            if self._may_evict is not None and not self._may_evict(value):
                self._values.move_to_end(key)
                continue
            self.pop(key)
            if self._on_evict is not None:
                self._on_evict(value)
