"""Use cases of events: watch commits, and list the events that the journal retains."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Any

import msgspec

from memoryd_server.domain.agent.event import Event, EventSelection, EventSpan
from memoryd_server.domain.error import InvalidPageToken, RevisionCompacted, RevisionInFuture
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import ShardPoint, decode_event_page, encode_event_page
from memoryd_server.engine.agents.watch_memory import WatchFlow, WatchMemory
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, PAGE_READS_MAX, PAGE_STARTS_MAX
from memoryd_server.engine.watching.backward_events import BackwardEvents, EventPage
from memoryd_server.engine.watching.event_stream import EventStream, rows_of, shards_of
from memoryd_server.engine.watching.journal_cursor import JournalCursor
from memoryd_server.engine.watching.journal_pages import JournalPages
from memoryd_server.engine.watching.journal_time import first_since, is_beyond
from memoryd_server.engine.watching.outlet import WatchOutput
from memoryd_server.engine.watching.previous import PreviousRecords
from memoryd_server.engine.watching.watch_group import WatchGroups
from memoryd_server.engine.watching.watch_step import WatchRequest, WatchStep
from memoryd_server.ports.store import CommitPoint, JournalCompacted, Store


class EventListing(msgspec.Struct, frozen=True):
    """A listing of past events. ``min_revision`` is one that the one agent of the selection must have reached."""

    selection: EventSelection
    newest_first: bool = False
    min_revision: int = 0


class Events:
    """The use cases of the events of all agents."""

    def __init__(self, store: Store, hub: Hub, feed: Feed, agents: AgentCache, clock: Clock) -> None:
        self._pages = JournalPages(store, hub.memory.kept_bytes_max)
        self._groups = WatchGroups(hub)
        self._store = store
        self._hub = hub
        self._feed = feed
        self._agents = agents
        self._clock = clock
        self._backwards = BackwardEvents(store)

    @property
    def store_id(self) -> str:
        """The id of the store, to which resume tokens are bound."""
        return self._store.store_id

    def previous_records(self, selection: EventSelection, events: Iterable[tuple[str, Event]] = ()) -> PreviousRecords:
        """Return a finder of the records before the changes of one message's events.

        ``events`` are those of the message, by agent: most records before are theirs, if the selection keeps them all.
        """
        return PreviousRecords(self._store, events if selection.keeps_histories else ())

    @property
    def memory(self) -> WatchMemory:
        """The memory of all watches."""
        return self._hub.memory

    def forget_pages(self) -> None:
        """Drop what was read of the journal for watches, because a part of it was erased."""
        self._pages.forget()

    def watch(self, request: WatchRequest, flow: WatchFlow | None = None) -> AsyncGenerator[WatchStep, None]:
        """Return the messages of a watch; see EventStream.steps. Their sizes are to be charged to ``flow``."""
        return self._stream(request, flow or self.memory.flow(), None)

    def messages(self, request: WatchRequest, flow: WatchFlow, output: WatchOutput) -> AsyncGenerator[bytes, None]:
        """Return the messages of a watch in bytes. While it is in a group, they go to the outlet of ``output``."""
        return self._stream(request, flow, output)

    def _stream(self, request: WatchRequest, flow: WatchFlow, output: WatchOutput | None) -> AsyncGenerator[Any, None]:
        stream = EventStream(
            request,
            flow=flow,
            output=output,
            groups=self._groups,
            pages=self._pages,
            store=self._store,
            hub=self._hub,
            feed=self._feed,
            agents=self._agents,
            clock=self._clock,
        )
        return stream.steps()

    async def page(self, listing: EventListing, request: PageRequest) -> EventPage:
        """Return a page of past events.

        Raises InvalidPageToken, RevisionCompacted, RevisionInFuture, and what the store raises.
        """
        try:
            revision = await self._revision(listing)
            if listing.newest_first:
                page = await self._backwards.page(listing.selection, request)
            else:
                page = await self._page_onward(listing, request)
            return msgspec.structs.replace(page, revision=revision)
        except JournalCompacted as compacted:
            raise RevisionCompacted(compacted.oldest_revision) from None

    async def _page_onward(self, listing: EventListing, request: PageRequest) -> EventPage:
        """Return a page of events, the oldest first. One that begins with the oldest begins again if that is pruned."""
        span = listing.selection.span or EventSpan()
        tries = 1 if request.token or span.after_revision else PAGE_STARTS_MAX
        while True:
            try:
                return await self._read_page(await self._find_start(listing.selection, request), listing, request)
            except JournalCompacted:
                tries -= 1
                if not tries:
                    raise

    async def _revision(self, listing: EventListing) -> int:
        """Return the revision of the one agent that is selected, 0 if there is not exactly one.

        Raises RevisionInFuture if the agent has not reached a revision that the listing names.
        """
        agent_id = listing.selection.agents.one_agent
        if agent_id is None:
            return 0
        revision = (await self._agents.current(agent_id)).state.revision
        span = listing.selection.span or EventSpan()
        if max(listing.min_revision, span.after_revision, span.end_revision or 0) > revision:
            raise RevisionInFuture(revision)
        return revision

    async def _find_start(self, selection: EventSelection, request: PageRequest) -> JournalCursor:
        cursor = JournalCursor(selection, shards_of(self._store, selection.agents))
        span = selection.span or EventSpan()
        if request.token:
            points = decode_event_page(request.listing, request.token).shards
            if {each.shard for each in points} != set(cursor.shards):
                raise InvalidPageToken
            cursor.start(points)
        elif span.after_revision and selection.agents.one_agent is not None:
            agent_id = selection.agents.one_agent
            shard = self._store.shard_of(agent_id)
            cursor.move_past({shard: CommitPoint(await self._store.locate(agent_id, span.after_revision), 0)})
        else:
            starts = await asyncio.gather(*(first_since(self._store, each, span.start_time) for each in cursor.shards))
            cursor.move_past(
                {shard: CommitPoint(start - 1, 0) for shard, start in zip(cursor.shards, starts, strict=True)}
            )
        return cursor

    async def _read_page(self, cursor: JournalCursor, listing: EventListing, request: PageRequest) -> EventPage:
        """Read one shard after the other: only the events of the same shard have an order among each other."""
        page = _Page(request)
        agents, reads = listing.selection.agents, 0
        for shard in cursor.shards:
            complete = False
            while not complete:
                reads += 1
                if reads > PAGE_READS_MAX + len(cursor.shards):
                    return page.end(cursor)
                rows = await self._store.read_journal(
                    cursor.of(shard).position - 1, JOURNAL_READ_COMMITS_MAX, rows_of(agents), shard
                )
                for row in rows.rows:
                    complete = is_beyond(row, listing.selection.span)
                    if complete:
                        break
                    if agents.matches(row.agent_id) and not page.take(cursor, published(row)):
                        return page.end(cursor)
                if not complete:
                    cursor.move_past({shard: CommitPoint(rows.end_position, 0)})
                    complete = rows.complete
        return EventPage(page.events, "", cursor.point)


class _Page:
    """A page that is being filled."""

    def __init__(self, request: PageRequest) -> None:
        self.events: list[tuple[str, Event]] = []
        self._request = request
        self._size_bytes = 0

    def take(self, cursor: JournalCursor, commit: Published) -> bool:
        """Add a commit's events. Return False if not all fit; the cursor is then after the last one that did."""
        start = cursor.of(commit.shard)
        first = start.offset if commit.position == start.position else 0
        for each in cursor.slices([commit]):
            for event in each.events:
                if len(self.events) == self._request.size or self._size_bytes > PAGE_BYTES_MAX:
                    offset = commit.events.index(event, first)
                    cursor.start([ShardPoint(commit.shard, commit.position, offset)])
                    return False
                self.events.append((commit.agent_id, event))
                self._size_bytes += event.subject.record_bytes
            cursor.note_emitted(each)
        return True

    def end(self, cursor: JournalCursor) -> EventPage:
        """Return the page, with a token for the next one."""
        return EventPage(self.events, encode_event_page(self._request.listing, cursor.point), cursor.point)
