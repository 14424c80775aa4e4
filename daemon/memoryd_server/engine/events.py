"""Events' use cases: watch what is committed, and list what the journal retains."""

from collections.abc import AsyncGenerator

import msgspec

from memoryd_server.domain.error import RevisionCompacted, RevisionInFuture
from memoryd_server.domain.event import Event, EventSelection
from memoryd_server.domain.limit import JOURNAL_READ_COMMITS_MAX, PAGE_BYTES_MAX
from memoryd_server.engine.agent_cache import AgentCache
from memoryd_server.engine.clock import Clock
from memoryd_server.engine.event_cursor import EventCursor
from memoryd_server.engine.event_stream import EventStream, WatchRequest, WatchStep
from memoryd_server.engine.hub import Hub
from memoryd_server.engine.journal import published
from memoryd_server.engine.listing import PageRequest
from memoryd_server.engine.token import PagePoint, ResumePoint, decode_page, encode_page
from memoryd_server.ports.store import JournalCompacted, Store

_PAGE_READS_MAX = 16
"""How often a page reads the journal, so that a rare event does not hold a call for long."""


class EventPage(msgspec.Struct, frozen=True):
    """One page of past events, each with its agent. ``point`` is where a watch goes on after it."""

    events: list[tuple[str, Event]]
    next_page_token: str
    point: ResumePoint


class Events:
    """The events of all agents."""

    def __init__(self, store: Store, hub: Hub, agents: AgentCache, clock: Clock) -> None:
        self._store = store
        self._hub = hub
        self._agents = agents
        self._clock = clock

    @property
    def store_id(self) -> str:
        """What resume tokens are bound to."""
        return self._store.store_id

    def watch(self, request: WatchRequest) -> AsyncGenerator[WatchStep, None]:
        """The steps of a watch; see EventStream.steps."""
        return EventStream(request, store=self._store, hub=self._hub, agents=self._agents, clock=self._clock).steps()

    async def page(self, selection: EventSelection, after_revision: int, request: PageRequest) -> EventPage:
        """A page of past events. With ``after_revision`` the selection is of one agent.

        Raises InvalidPageToken, RevisionCompacted, RevisionInFuture, and what the store raises.
        """
        try:
            cursor = await self._find_start(selection, after_revision, request)
            return await self._read_page(cursor, selection, request)
        except JournalCompacted as compacted:
            raise RevisionCompacted(compacted.oldest_revision) from None

    async def _find_start(self, selection: EventSelection, after_revision: int, request: PageRequest) -> EventCursor:
        if request.token:
            point = decode_page(request.listing, request.token)
            return EventCursor(selection, point.first, point.second)
        if not after_revision:
            return EventCursor(selection, await self._store.journal_start())
        assert selection.agent_ids is not None
        (agent_id,) = selection.agent_ids
        revision = (await self._agents.writer(agent_id)).state.revision
        if after_revision > revision:
            raise RevisionInFuture(revision)
        cursor = EventCursor(selection, await self._store.locate(agent_id, after_revision) + 1)
        cursor.note_told(agent_id, after_revision)
        return cursor

    async def _read_page(self, cursor: EventCursor, selection: EventSelection, request: PageRequest) -> EventPage:
        events: list[tuple[str, Event]] = []
        size_bytes = 0
        for _ in range(_PAGE_READS_MAX):
            page = await self._store.read_journal(cursor.position - 1, JOURNAL_READ_COMMITS_MAX, selection.agent_ids)
            for row in page.rows:
                commit = published(row)
                first = cursor.offset if row.position == cursor.position else 0
                for each in cursor.slices([commit]):
                    for event in each.events:
                        if len(events) == request.size or size_bytes > PAGE_BYTES_MAX:
                            offset = commit.events.index(event, first)
                            return self._end(events, ResumePoint(row.position, offset), request)
                        events.append((row.agent_id, event))
                        size_bytes += event.payload_bytes
            cursor.move_to(page.end_position + 1)
            if page.complete:
                return EventPage(events, "", cursor.point)
        return self._end(events, cursor.point, request)

    def _end(self, events: list[tuple[str, Event]], point: ResumePoint, request: PageRequest) -> EventPage:
        token = encode_page(request.listing, PagePoint(point.position, point.offset))
        return EventPage(events, token, point)
