"""Times in a journal: the rows of a time are found by their commit times, since a journal has no index by time."""

from memoryd_server.domain.agent.event import EventSpan
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.ports.store import JournalCompacted, JournalRow, Store

CLOCK_SKEW_NS = 60 * SECOND_NS
"""The difference between clocks that listings by time allow for: rows are in the order of their commits, while the
times are those of the daemons that committed them."""


async def first_since(store: Store, shard: int, time: int | None) -> int:
    """Return the position of the first retained row at which events since ``time`` may be; None for any time."""
    low = await store.journal_start(shard)
    return low if time is None else await _bisect(store, shard, low, time - CLOCK_SKEW_NS)


async def first_past(store: Store, shard: int, time: int | None) -> int:
    """Return a position before which all events before ``time`` are; None for any time."""
    if time is None:
        return await store.journal_end(shard) + 1
    return await _bisect(store, shard, await store.journal_start(shard), time + CLOCK_SKEW_NS)


def is_beyond(row: JournalRow, span: EventSpan | None) -> bool:
    """Return True if neither this row nor a later one has an event of the span."""
    if span is None:
        return False
    if span.end_revision is not None and row.base_revision >= span.end_revision:
        return True
    return span.end_time is not None and row.commit_time >= span.end_time + CLOCK_SKEW_NS


def is_before(row: JournalRow, span: EventSpan | None) -> bool:
    """Return True if neither this row nor an earlier one has an event of the span."""
    if span is None:
        return False
    if row.revision <= span.after_revision:
        return True
    return span.start_time is not None and row.commit_time < span.start_time - CLOCK_SKEW_NS


async def _bisect(store: Store, shard: int, low: int, time: int) -> int:
    """Return the position of the first row from ``low`` on that was committed at ``time`` or later."""
    high = await store.journal_end(shard) + 1
    while low < high:
        middle = (low + high) // 2
        try:
            page = await store.read_journal(middle - 1, 1, None, shard)
            is_earlier = bool(page.rows) and page.rows[0].commit_time < time
        except JournalCompacted:
            # Rows are pruned from the oldest one on.
            is_earlier = True
        if is_earlier:
            low = middle + 1
        else:
            high = middle
    return low
