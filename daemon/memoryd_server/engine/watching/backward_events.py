"""Listing of past events, the newest first."""

import asyncio
from collections.abc import Sequence

import msgspec

from memoryd_server.domain.agent.event import Event, EventSelection, EventSpan
from memoryd_server.domain.error import InvalidPageToken
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.journal import published
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, decode_event_page, encode_event_page
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, PAGE_READS_MAX
from memoryd_server.engine.watching.event_stream import rows_of, shards_of
from memoryd_server.engine.watching.journal_time import first_past, is_before
from memoryd_server.ports.store import JournalRow, Store


class EventPage(msgspec.Struct, frozen=True):
    """One page of past events, each with its agent.

    A watch can resume at ``point``, after the page; None for a page of the newest events first. ``revision`` is the
    agent's at which the page holds, 0 unless exactly one agent is selected.
    """

    events: list[tuple[str, Event]]
    next_page_token: str
    point: ResumePoint | None = None
    revision: int = 0


class BackwardEvents:
    """Lists the events before a point in each shard: a shard that has none left is at position 0."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, selection: EventSelection, request: PageRequest) -> EventPage:
        """Return a page. Raises InvalidPageToken, JournalCompacted, and what the store raises."""
        page = _Page(selection, request.size, await self._start(selection, request))
        reads_left = PAGE_READS_MAX + len(page.points)
        for shard in page.points:
            while page.points[shard].position and not page.is_full:
                if not reads_left:
                    return page.end(request)
                reads_left -= 1
                point = page.points[shard]
                # The row at the point is read again if some of its events are left.
                before = point.position + (point.offset > 0)
                rows = await self._store.read_journal_back(
                    before, JOURNAL_READ_COMMITS_MAX, rows_of(selection.agents), shard
                )
                page.take(rows.rows)
                if not page.is_full and page.points[shard].position:
                    page.points[shard] = ShardPoint(shard, 0 if rows.complete else rows.end_position)
        return page.end(request)

    async def _start(self, selection: EventSelection, request: PageRequest) -> dict[int, ShardPoint]:
        """Return the points before which to list."""
        shards = shards_of(self._store, selection.agents)
        if request.token:
            points = decode_event_page(request.listing, request.token).shards
            if {each.shard for each in points} != set(shards):
                raise InvalidPageToken
            return {each.shard: each for each in points}
        span, agent_id = selection.span or EventSpan(), selection.agents.one_agent
        if agent_id is None:
            ends = await asyncio.gather(*(first_past(self._store, shard, span.end_time) for shard in shards))
            return {shard: ShardPoint(shard, end) for shard, end in zip(shards, ends, strict=True)}
        (shard,) = shards
        end = await first_past(self._store, shard, span.end_time)
        if span.after_revision:
            # Refuses a revision that is no longer retained, as the reverse order does.
            await self._store.locate(agent_id, span.after_revision)
        if span.end_revision is not None:
            # The first row with a later revision may have events up to the last one, too.
            end = min(end, await self._store.locate(agent_id, span.end_revision) + 2)
        return {shard: ShardPoint(shard, end)}


class _Page:
    """A page that is being filled. ``points`` has the points before which events are left, by shard."""

    def __init__(self, selection: EventSelection, size: int, points: dict[int, ShardPoint]) -> None:
        self.events: list[tuple[str, Event]] = []
        self.points = points
        self.is_full = False
        self._selection = selection
        self._size = size
        self._size_bytes = 0

    def take(self, rows: Sequence[JournalRow]) -> None:
        """Add the events of rows, the newest first, until the page is full or the span ends."""
        for row in rows:
            if is_before(row, self._selection.span):
                self.points[row.shard] = ShardPoint(row.shard, 0)
                return
            if self._selection.agents.matches(row.agent_id):
                self._take_row(row)
                if self.is_full:
                    return

    def _take_row(self, row: JournalRow) -> None:
        point = self.points[row.shard]
        events = published(row).events
        count = min(point.offset, len(events)) if row.position == point.position else len(events)
        for index in reversed(range(count)):
            event = events[index]
            if not self._selection.keeps(row.agent_id, event):
                continue
            if len(self.events) == self._size or self._size_bytes > PAGE_BYTES_MAX:
                self.points[row.shard] = ShardPoint(row.shard, row.position, index + 1)
                self.is_full = True
                return
            self.events.append((row.agent_id, event))
            self._size_bytes += event.subject.record_bytes

    def end(self, request: PageRequest) -> EventPage:
        """Return the page, with a token for the next one if events may be left."""
        if not any(point.position for point in self.points.values()):
            return EventPage(self.events, "")
        return EventPage(self.events, encode_event_page(request.listing, ResumePoint(tuple(self.points.values()))))
