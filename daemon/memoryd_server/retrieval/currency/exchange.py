"""Currency: of memories that contradict each other, the one that is in force comes first.

Which one that is depends on the query. By default it is the newest, by the time of what it states and then by its
creation. For "where did Bob work last year?" it is the newest of those that began before the end of that year. For
"where did Bob work before?" those that are not in force come first, and for "before Globex" those before the one that
names Globex. A memory that supersedes another is newer, whatever their times. What no link says is read in the
contents of the best matches.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.currency.precedence import Precedence, precedences, recency_of
from memoryd_server.retrieval.currency.wish import WORD, Wish
from memoryd_server.retrieval.table.memory_table import MemoryTable


class Standing(msgspec.Struct, frozen=True):
    """The reasons for the places of rows among others on the same matter.

    ``contradicted_by`` maps a row to the ids of the newer memories that contradict it or supersede it, the newest
    first, and ``behind`` to the ids of the memories that were put before it, and why.
    """

    contradicted_by: Mapping[int, Sequence[str]] = {}
    behind: Mapping[int, tuple[Sequence[str], str]] = {}


def put_current_first(
    scores: dict[int, float], table: MemoryTable, passing: Mask, wish: Wish, now: int, *, reads: bool
) -> Standing:
    """Change the scores of rows on one matter, so that the one in force has the highest.

    Rows that are connected by contradictions, or of which one comes before the other by what they say, exchange their
    scores. Of equal scores, the later one is lowered by the smallest possible amount. Newer memories are named also if
    they have no score: those that pass the filter, are active, and have not expired. If ``reads`` is false, contents
    are not read.
    """
    newer = {row: found for row in scores if (found := _newer(row, table, passing, now))}
    read = precedences(scores, table, wish) if reads else []
    before = dict(scores)
    for rows in _connected(newer, read, scores):
        _exchange(rows, scores, table, newer, read, wish)
    behind: dict[int, tuple[list[str], str]] = {}
    for each in read:
        if before[each.first] < before[each.second] and scores[each.first] > scores[each.second]:
            behind.setdefault(each.second, ([], each.reason))[0].append(table.memory_at(each.first).memory_id)
    return Standing({row: [table.memory_at(each).memory_id for each in found] for row, found in newer.items()}, behind)


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
    return sorted(set(found), key=lambda each: recency_of(table.memory_at(each)), reverse=True)


def _currency(memory: Memory, now: int) -> tuple[bool, tuple[int, int, int]]:
    """Return the recency of a memory, where one that has not begun comes before all that have."""
    return memory.occur_time < now + DAY_NS, recency_of(memory)


def _connected(
    newer: Mapping[int, Sequence[int]], read: Sequence[Precedence], scores: Mapping[int, float]
) -> list[list[int]]:
    """Return the groups of rows with scores that are connected by contradictions, or by what they say."""
    pairs = [(row, other) for row, others in newer.items() for other in others if other in scores]
    pairs += [(each.first, each.second) for each in read]
    group_of: dict[int, list[int]] = {}
    for row, other in pairs:
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
    read: Sequence[Precedence],
    wish: Wish,
) -> None:
    """Give the scores of some rows to them in the order of the wish, where the rows are on one matter."""
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
                is_newer = (two.memory_id, True) in table.rivals_at(row) or recency_of(two) > recency_of(one)
                is_first = is_newer if place(other) == place(row) else place(other) < place(row)
                ahead[row if is_first else other].append(other if is_first else row)
    for each in read:
        if each.second in ahead:
            ahead[each.second].append(each.first)
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
                way.append(max(left, key=lambda each: recency_of(table.memory_at(each))))
            else:
                ordered[way.pop()] = None
    return list(ordered)


def _named(rows: Sequence[int], table: MemoryTable, wish: Wish) -> frozenset[int]:
    """Return the rows that alone have a word for what came next: of "before Globex", those that name Globex."""
    contents = {row: frozenset(WORD.findall(table.memory_at(row).content.casefold())) for row in rows if wish.named}
    common = frozenset.intersection(*contents.values()) if contents else frozenset()
    return frozenset(row for row, words in contents.items() if words & wish.named - common)
