"""The precedence of one memory over another one on the same matter: by what they say, and by their ages."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from memoryd_server.domain.memories.kinship.kinship import content_of, contradict
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.retrieval.currency.matter import Matter, matter_of, matter_of_who, value_of
from memoryd_server.retrieval.currency.said import Said, said_in
from memoryd_server.retrieval.currency.wish import Presence, Wish
from memoryd_server.retrieval.table.memory_table import MemoryTable

READ_MAX = 10
"""Maximum number of the best matches whose contents are read."""

_NEAR_ODDS = 10.0
"""Ratio of odds above which a match is so much better than another one that they may be about different things."""

_CLAIMED = frozenset({"en", "de"})
"""The languages whose claims are read: whether two of their contents contradict each other is known exactly."""


class Precedence(msgspec.Struct, frozen=True, gc=False):
    """The row that comes before another one, and why, for people."""

    first: int
    second: int
    reason: str


class _Reading(msgspec.Struct, frozen=True, gc=False):
    row: int
    memory: Memory
    said: Said
    score: float


def recency_of(memory: Memory) -> tuple[int, int, int]:
    """Return what is compared to find the newer of two memories, whose is greater."""
    return memory.occur_time, memory.create_time, memory.sequence


def precedences(scores: Mapping[int, float], table: MemoryTable, wish: Wish) -> Sequence[Precedence]:
    """Return which of the best rows come before which, as far as their contents say so, and no link does."""
    if not wish.is_past and wish.presence is Presence.NONE:
        return []
    best = sorted(scores, key=lambda row: -scores[row])[:READ_MAX]
    readings = [
        _Reading(row, memory, said, scores[row])
        for row in best
        if (said := said_in((memory := table.memory_at(row)).content, wish.tense)) is not None and said.words
    ]
    pairs = [_Pair(one, other, matter, wish) for one, other, matter in _pairs(readings, table, wish)]
    ended = frozenset(pair.older.row for pair in pairs if pair.is_end)
    return [found for pair in pairs if (found := pair.precedence(ended)) is not None]


def _pairs(readings: Sequence[_Reading], table: MemoryTable, wish: Wish) -> Iterator[tuple[_Reading, _Reading, Matter]]:
    """Yield the pairs of one owner's memories that are on one matter, and that no link connects."""
    for one, other in combinations(readings, 2):
        mine, theirs = one.memory, other.memory
        if (mine.user_id, mine.project_id) != (theirs.user_id, theirs.project_id) or _are_linked(one, other, table):
            continue
        matter = matter_of(one.said, other.said, wish.tense)
        if matter is not None:
            yield one, other, matter
        elif (found := matter_of_who(one.said, other.said)) is not None:
            said, against, matter = found
            replace = msgspec.structs.replace
            yield replace(one, said=said), replace(other, said=against), matter


def _are_linked(one: _Reading, other: _Reading, table: MemoryTable) -> bool:
    """Return True if a link says which one is in force."""
    return any(
        rival == against.memory.memory_id
        for row, against in ((one.row, other), (other.row, one))
        for rival, _ in table.rivals_at(row)
    )


class _Pair:
    """Two memories on one matter that no link connects."""

    def __init__(self, one: _Reading, other: _Reading, matter: Matter, wish: Wish) -> None:
        self.older, self.newer = sorted((one, other), key=lambda each: recency_of(each.memory))
        self._matter, self._wish = matter, wish
        self._is_same = value_of(one.said, matter) == value_of(other.said, matter)

    @property
    def is_end(self) -> bool:
        """True if the newer memory says that what the older one says is no longer so."""
        return self._is_same and self._is_past(self.newer) and not self._is_past(self.older)

    def precedence(self, ended: frozenset[int]) -> Precedence | None:
        """Return which one comes first, if any does. ``ended`` are the rows whose end a newer memory states."""
        if any(each.said.is_denied for each in (self.older, self.newer)):
            return None
        if self.is_end:
            return self._before(self.newer, self.older, "ended") if not self._wish.is_past else None
        was, is_now = self._divided(ended)
        if was is None or is_now is None:
            return self._by_age() if was is None else None
        if self._wish.is_past:
            return self._before(was, is_now, "not of the past")
        words = was.said.past_words(self._matter.count)
        return self._before(is_now, was, f"of the past ({words})" if words else "ended")

    def _divided(self, ended: frozenset[int]) -> tuple[_Reading | None, _Reading | None]:
        """Return the memory of what was so, and that of what is so. Either is None if both are of the other kind."""
        were = [each for each in (self.older, self.newer) if self._is_past(each) or each.row in ended]
        are = [each for each in (self.older, self.newer) if each not in were]
        return (were[0] if were else None), (are[0] if are else None)

    def _by_age(self) -> Precedence | None:
        """Return which of two memories of what is so comes first, if they have different values."""
        if self._is_same or not self._matter.is_certain or not self._excludes():
            return None
        if self._wish.is_past:
            return self._before(self.older, self.newer, "newer", is_certain=False)
        return self._before(self.newer, self.older, "older", is_certain=False)

    def _excludes(self) -> bool:
        """Return True if the values are not both meant, or if the question is for the one that is so now."""
        if self._wish.presence is Presence.BY_WORD:
            return True
        if not self._matter.has_one_value or self._wish.tense.code not in _CLAIMED:
            return self._matter.has_one_value
        return contradict(*(content_of(each.memory.content) for each in (self.older, self.newer)))

    def _is_past(self, reading: _Reading) -> bool:
        return reading.said.is_past(self._matter.count)

    def _before(self, first: _Reading, second: _Reading, reason: str, *, is_certain: bool = True) -> Precedence | None:
        """Return that a memory comes first, unless the other one answers what it does not."""
        wanted = self._wish.terms
        if not self._wish.tense.is_unspaced:
            has, lost = ({word.term for word in each.said.words} & wanted for each in (first, second))
            if not lost <= has:
                return None
        if not (is_certain and self._matter.is_certain) and _odds(second.score) > _NEAR_ODDS * _odds(first.score):
            return None
        return Precedence(first.row, second.row, reason)


def _odds(score: float) -> float:
    return score / max(1.0 - score, 1e-9)
