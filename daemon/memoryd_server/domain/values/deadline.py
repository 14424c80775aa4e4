"""Deadlines: an immutable map that finds the due keys without visiting the others."""

import heapq
from collections.abc import Iterable
from typing import Generic, TypeVar

import immutables
import msgspec

from memoryd_server.domain.values.number_set import NumberSet

K = TypeVar("K")

_SPAN_BITS = 27
"""Deadlines are grouped into spans of 2**27 ns, about an eighth of a second."""


def earliest(*deadlines: int | None) -> int | None:
    """Return the earliest of the deadlines, None when there is none."""
    first = None
    for deadline in deadlines:
        if deadline is not None and (first is None or deadline < first):
            first = deadline
    return first


class Deadlines(msgspec.Struct, Generic[K], frozen=True):
    """Deadlines by key, in nanoseconds since the Unix epoch. The caller must name a deadline to remove it.

    ``ends`` maps each span to the deadlines in it. ``spans`` keeps the spans in order.
    """

    ends: immutables.Map[int, immutables.Map[K, int]] = immutables.Map()
    spans: NumberSet = NumberSet()

    @classmethod
    def of(cls, deadlines: Iterable[tuple[K, int]]) -> "Deadlines[K]":
        """Return the deadlines of these keys."""
        ends: dict[int, dict[K, int]] = {}
        for key, deadline in deadlines:
            ends.setdefault(deadline >> _SPAN_BITS, {})[key] = deadline
        return cls(immutables.Map({span: immutables.Map(each) for span, each in ends.items()}), NumberSet.of(ends))

    def add(self, key: K, deadline: int) -> "Deadlines[K]":
        """Return the deadlines with one added. The key must have no deadline yet, or the same one."""
        span = deadline >> _SPAN_BITS
        together = self.ends.get(span)
        if together is None:
            return Deadlines(self.ends.set(span, immutables.Map({key: deadline})), self.spans.add(span))
        return Deadlines(self.ends.set(span, together.set(key, deadline)), self.spans)

    def remove(self, key: K, deadline: int) -> "Deadlines[K]":
        """Return the deadlines without this one, which the key must have."""
        span = deadline >> _SPAN_BITS
        together = self.ends[span].delete(key)
        if together:
            return Deadlines(self.ends.set(span, together), self.spans)
        return Deadlines(self.ends.delete(span), self.spans.remove(span))

    @property
    def first(self) -> int | None:
        """The earliest deadline, None when there is none."""
        span = self.spans.first
        return None if span is None else min(self.ends[span].values())

    def has_none_due(self, now: int) -> bool:
        """Return True only if nothing is due at ``now``, in constant time. False may be wrong by up to one span."""
        span = self.spans.first
        return span is None or now >> _SPAN_BITS < span

    def count_due(self, now: int) -> int:
        """Return the number of deadlines that are due at ``now``."""
        count = 0
        for span in self.spans:
            if span >= now >> _SPAN_BITS:
                return count + sum(deadline <= now for deadline in self.ends.get(now >> _SPAN_BITS, {}).values())
            count += len(self.ends[span])
        return count

    def due(self, now: int, most: int | None = None) -> list[K]:
        """Return the keys due at ``now``, the earliest first: at most ``most`` of them, or all when it is None."""
        found: list[tuple[int, K]] = []
        for span in self.spans:
            if span > now >> _SPAN_BITS or (most is not None and len(found) >= most):
                break
            ended = ((deadline, key) for key, deadline in self.ends[span].items() if deadline <= now)
            found += sorted(ended) if most is None else heapq.nsmallest(most - len(found), ended)
        return [key for _, key in found]
