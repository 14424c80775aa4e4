"""When things end: an immutable map that finds what is due without looking at what is not."""

import heapq
from collections.abc import Iterable
from typing import Generic, TypeVar

import immutables
import msgspec

from memoryd_server.domain.values.number_set import NumberSet

K = TypeVar("K")

_SPAN_BITS = 27
"""Deadlines are kept together by spans of 2**27 ns, about an eighth of a second."""


def earliest(*deadlines: int | None) -> int | None:
    """The earliest of these, None when there is none."""
    return min((deadline for deadline in deadlines if deadline is not None), default=None)


class Deadlines(msgspec.Struct, Generic[K], frozen=True):
    """Deadlines by what they end, in ns since the Unix epoch. Whoever takes one away must know it.

    ``ends`` maps a span to what ends in it, ``spans`` knows the order of the spans.
    """

    ends: immutables.Map[int, immutables.Map[K, int]] = immutables.Map()
    spans: NumberSet = NumberSet()

    @classmethod
    def of(cls, deadlines: Iterable[tuple[K, int]]) -> "Deadlines[K]":
        """The deadlines of these things."""
        ends: dict[int, dict[K, int]] = {}
        for key, deadline in deadlines:
            ends.setdefault(deadline >> _SPAN_BITS, {})[key] = deadline
        return cls(immutables.Map({span: immutables.Map(each) for span, each in ends.items()}), NumberSet.of(ends))

    def add(self, key: K, deadline: int) -> "Deadlines[K]":
        """The deadlines with one more; the key has none yet, or this very one."""
        span = deadline >> _SPAN_BITS
        together = self.ends.get(span)
        if together is None:
            return Deadlines(self.ends.set(span, immutables.Map({key: deadline})), self.spans.add(span))
        return Deadlines(self.ends.set(span, together.set(key, deadline)), self.spans)

    def remove(self, key: K, deadline: int) -> "Deadlines[K]":
        """The deadlines without the one that the key has."""
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
        """Return True if nothing has ended by now; it may be False without need, and costs the same at any size."""
        span = self.spans.first
        return span is None or now >> _SPAN_BITS < span

    def count_due(self, now: int) -> int:
        """How many have ended by now."""
        count = 0
        for span in self.spans:
            if span >= now >> _SPAN_BITS:
                return count + sum(deadline <= now for deadline in self.ends.get(now >> _SPAN_BITS, {}).values())
            count += len(self.ends[span])
        return count

    def due(self, now: int, most: int | None = None) -> list[K]:
        """What has ended by now, the earliest first: at most so many, or all."""
        found: list[tuple[int, K]] = []
        for span in self.spans:
            if span > now >> _SPAN_BITS or (most is not None and len(found) >= most):
                break
            ended = ((deadline, key) for key, deadline in self.ends[span].items() if deadline <= now)
            found += sorted(ended) if most is None else heapq.nsmallest(most - len(found), ended)
        return [key for _, key in found]
