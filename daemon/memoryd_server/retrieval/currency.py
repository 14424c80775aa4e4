"""Currency: of memories that contradict each other, the one that is in force comes first.

Which one that is depends on the query. By default it is the newest, by the time of what it states and then by its
creation. For "where did Bob work last year?" it is the newest of those that began before the end of that year. For
"where did Bob work before?" those that are not in force come first, and for "before Globex" those before the one that
names Globex. A memory that supersedes another is newer, whatever their times.
"""

import math
import re
from collections.abc import Mapping, Sequence

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.ports.retrieval import Query
from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.table.memory_table import MemoryTable
from memoryd_server.retrieval.time.phrase import TimePhrase

_FORMER = re.compile(
    r"\b(?:previous|previously|former|formerly|originally|in the past|back then|at first|no longer|anymore|used to|"
    r"früher\w*|ehemals|ehemalig\w*|vorherig\w*|damals|zuvor|ursprünglich|einst|nicht mehr)\b|\bex-|"
    r"(?:'s|\b(?:my|your|his|her|their|our)) old\b"
)
"""Words that ask for the past wherever they stand."""
_ACCUSTOMED = re.compile(r"\b(?:is|are|am|get|gets|got|getting)\b(?: \w+){0,3} used to\b")
_BEFORE = re.compile(
    r"\b(?:did|was|were|had)\b.*\b(?:before|earlier|prior to)\b(?P<next>.*)|"
    r"\b(?:hat|hatte|war|wurde|wohnte|lebte|arbeitete)\b.*\b(?:vorher|bevor|vor)\b(?P<then>.*)"
)
"""Words that ask for the past if the question is in the past tense. What follows may name what came next."""
_WORD = re.compile(r"\w{2,}")


class Wish(msgspec.Struct, frozen=True):
    """The time that a query asks for. ``end``, in ns since the Unix epoch, is when that time is over.

    If ``is_past`` is true, the query asks for what is no longer in force; ``named`` are the words for what came next.
    """

    end: int
    is_past: bool = False
    named: frozenset[str] = frozenset()


def wish_of(query: Query, phrases: Sequence[TimePhrase]) -> Wish:
    """Return the time that a query asks for. ``phrases`` are its time phrases, of which the last end counts."""
    ends = [phrase.end for phrase in phrases if phrase.end is not None]
    if ends and len(ends) == len(phrases):
        return Wish(max(ends))
    # What begins today has begun: clocks differ, and dates have no time zone.
    end, text = query.now + DAY_NS, query.text.casefold()
    before = _BEFORE.search(text)
    if before is not None:
        return Wish(end, True, frozenset(_WORD.findall(before["next"] or before["then"] or "")))
    return Wish(end, _FORMER.search(text) is not None and _ACCUSTOMED.search(text) is None)


def put_current_first(
    scores: dict[int, float], table: MemoryTable, passing: Mask, wish: Wish, now: int
) -> Mapping[int, Sequence[str]]:
    """Change the scores of rows that contradict each other, so that the one in force has the highest.

    Rows that are connected by contradictions exchange their scores. Of equal scores, the later one is lowered by the
    smallest possible amount. Returns the ids of the newer memories that contradict a row or supersede it, the newest
    first, also of those without a score. Such a memory passes the filter, is active, and has not expired.
    """
    newer = {row: found for row in scores if (found := _newer(row, table, passing, now))}
    for rows in _connected(newer, scores):
        _exchange(rows, scores, table, newer, wish)
    return {row: [table.memory_at(each).memory_id for each in found] for row, found in newer.items()}


def _newer(row: int, table: MemoryTable, passing: Mask, now: int) -> list[int]:
    """Return the rows of the newer memories that contradict that of a row or supersede it, the newest first."""
    memory, found = table.memory_at(row), []
    for rival_id, supersedes in table.rivals_at(row):
        rival_row = table.rows.get(rival_id)
        if rival_row is None or not passing[rival_row]:
            continue
        rival = table.memory_at(rival_row)
        if rival.status is not MemoryStatus.ACTIVE or not rival.is_live(now):
            continue
        is_superseded = (memory.memory_id, True) in table.rivals_at(rival_row)
        if supersedes or (not is_superseded and _currency(rival, now) > _currency(memory, now)):
            found.append(rival_row)
    return sorted(set(found), key=lambda each: _recency(table.memory_at(each)), reverse=True)


def _recency(memory: Memory) -> tuple[int, int, int]:
    return memory.occur_time, memory.create_time, memory.sequence


def _currency(memory: Memory, now: int) -> tuple[bool, tuple[int, int, int]]:
    """Return the recency of a memory, where one that has not begun comes before all that have."""
    return memory.occur_time < now + DAY_NS, _recency(memory)


def _connected(newer: Mapping[int, Sequence[int]], scores: Mapping[int, float]) -> list[list[int]]:
    """Return the groups of rows with scores that are connected by contradictions."""
    group_of: dict[int, list[int]] = {}
    for row, others in newer.items():
        for other in others:
            if other not in scores:
                continue
            one, two = group_of.setdefault(row, [row]), group_of.setdefault(other, [other])
            if one is not two:
                one += two
                group_of.update(dict.fromkeys(two, one))
    return list({id(group): group for group in group_of.values()}.values())


def _exchange(
    rows: list[int],
    scores: dict[int, float],
    table: MemoryTable,
    newer: Mapping[int, Sequence[int]],
    wish: Wish,
) -> None:
    """Give the scores of some rows to them in the order of the wish, where the rows contradict each other."""
    named = _named(rows, table, wish)
    since = min((table.memory_at(row).occur_time for row in named), default=None)

    def place(row: int) -> tuple[bool, bool, bool]:
        """Return how late a row comes among those that contradict it, before its age."""
        occur_time = table.memory_at(row).occur_time
        is_after_named = since is not None and (row in named or occur_time > since)
        return is_after_named, occur_time >= wish.end, wish.is_past and row not in newer

    ahead: dict[int, list[int]] = {row: [] for row in rows}
    for row in rows:
        for other in newer.get(row, ()):
            if other in ahead:
                one, two = table.memory_at(row), table.memory_at(other)
                is_newer = (two.memory_id, True) in table.rivals_at(row) or _recency(two) > _recency(one)
                is_first = is_newer if place(other) == place(row) else place(other) < place(row)
                ahead[row if is_first else other].append(other if is_first else row)
    ordered = _in_order(sorted(rows, key=lambda row: (-scores[row], -table.memory_at(row).sequence)), ahead, table)
    left = math.inf
    for row, score in zip(ordered, sorted((scores[each] for each in rows), reverse=True), strict=True):
        left = scores[row] = score if score < left else math.nextafter(left, 0.0)


def _in_order(rows: Sequence[int], ahead: Mapping[int, Sequence[int]], table: MemoryTable) -> Sequence[int]:
    """Return rows in their order, but each behind those that are ``ahead`` of it, the newest of these first."""
    ordered: dict[int, None] = {}
    opened: set[int] = set()
    for row in rows:
        way = [row]
        while way:
            opened.add(way[-1])
            left = [each for each in ahead[way[-1]] if each not in opened]
            if left:
                way.append(max(left, key=lambda each: _recency(table.memory_at(each))))
            else:
                ordered[way.pop()] = None
    return list(ordered)


def _named(rows: Sequence[int], table: MemoryTable, wish: Wish) -> frozenset[int]:
    """Return the rows that alone have a word for what came next: of "before Globex", those that name Globex."""
    contents = {row: frozenset(_WORD.findall(table.memory_at(row).content.casefold())) for row in rows if wish.named}
    common = frozenset.intersection(*contents.values()) if contents else frozenset()
    return frozenset(row for row, words in contents.items() if words & wish.named - common)
