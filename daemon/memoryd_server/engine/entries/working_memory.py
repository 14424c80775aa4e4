"""Use cases of working memory: an agent's entries and scopes."""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ENTRY_SHAPE, ROOT, Entry
from memoryd_server.domain.entries.reservation_change import EntryReserved, ReleaseReservation, ReserveEntry
from memoryd_server.domain.entries.scope import SCOPE_SHAPE, Scope
from memoryd_server.domain.entries.scope_change import RenewScope, ScopeRenewed
from memoryd_server.domain.entries.working_memory import WorkingMemory as WorkingMemoryValue
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.record_filter import EVERY_RECORD, Matcher, RecordFilter
from memoryd_server.domain.values.response_size import response_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache, ignore_failure
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import Listings, Page, PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.agents.writer import AgentWriter
from memoryd_server.engine.entries.entry_log import log, log_lookup
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry


class ReadEntry(msgspec.Struct, frozen=True):
    """An entry with the number of earlier reads, and the time of the last one; None before the first."""

    entry: Entry
    access_count: int
    last_access_time: int | None


class ScopeView(NamedTuple):
    """A scope and the number of its own entries."""

    scope: Scope
    entry_count: int


class ScopeQuery(NamedTuple):
    """A listing of scopes; see ListScopesRequest of the wire contract."""

    parent_scope_id: str | None = None
    filter: RecordFilter = EVERY_RECORD
    order: ListOrder = ListOrder.CREATE_TIME

    def id_of(self, scope: Scope) -> tuple[int, str]:
        """Return what orders scopes by id, or scopes of one time: a parent comes before its children."""
        is_by_id = self.order in (ListOrder.ID, ListOrder.ID_DESCENDING)
        return 0 if is_by_id else scope.revision, scope.scope_id


class EntryQuery(msgspec.Struct, frozen=True):
    """A listing of entries; see ListEntriesRequest of the wire contract."""

    scope_id: str
    include_inherited: bool = False
    filter: RecordFilter = EVERY_RECORD
    order: ListOrder = ListOrder.ID


class WorkingMemory:
    """Entries and scopes. Every method raises what the domain and the store raise.

    Reads take ``consistency``. Commits of other daemons that are older than this, before the call, are always
    visible; 0 makes all commits visible that ended before the call.
    """

    def __init__(self, agents: AgentCache, clock: Clock, telemetry: WorkingMemoryTelemetry) -> None:
        self.set_latency = telemetry.set_latency_ms
        self._agents = agents
        self._clock = clock
        self._telemetry = telemetry
        self._entry_listings: Listings[Entry] = Listings()
        self._scope_listings: Listings[ScopeView] = Listings()
        self._renewals: dict[tuple[str, str], asyncio.Future[ScopeRenewed]] = {}

    def drop_listings(self, agent_id: str) -> None:
        """Drop the records that are kept for the next pages of an agent's listings."""
        self._entry_listings.drop(agent_id)
        self._scope_listings.drop(agent_id)

    async def get_entry(
        self, agent_id: str, scope_id: str, key: str, *, local_only: bool, consistency: Consistency = CURRENT
    ) -> tuple[ReadEntry | None, int]:
        """Look up an entry. Return it, or None, and the agent's revision. Counts as a read."""
        started = time.perf_counter()
        writer = self._agents.readable(agent_id, consistency) or await self._agents.current(agent_id, consistency)
        memory = writer.state.part(WORKING_MEMORY)
        now = self._clock()
        found = self._read(writer, memory, scope_id, key, now, local_only)
        if scope_id != ROOT:
            self._note_use(agent_id, memory, scope_id, now)
        self._telemetry.get_latency_ms.observe((time.perf_counter() - started) * 1000)
        return found, writer.state.revision

    async def get_entries(
        self, agent_id: str, scope_id: str, keys: Sequence[str], *, local_only: bool, consistency: Consistency = CURRENT
    ) -> tuple[list[ReadEntry | None], int]:
        """Look up entries at one revision. Return them in the order of the keys, and the revision. Counts as reads."""
        writer = self._agents.readable(agent_id, consistency) or await self._agents.current(agent_id, consistency)
        memory, now = writer.state.part(WORKING_MEMORY), self._clock()
        found = memory.find_each(scope_id, keys, now, local_only=local_only)
        if scope_id != ROOT:
            self._note_use(agent_id, memory, scope_id, now)
            self._note_lookups(agent_id, memory.scope(scope_id), zip(keys, found, strict=True))
        return _noted_each(writer, found, now), writer.state.revision

    async def contains_entry(
        self, agent_id: str, scope_id: str, key: str, *, local_only: bool, consistency: Consistency = CURRENT
    ) -> tuple[Entry | None, int]:
        """Look up an entry. Return it, or None, and the agent's revision. Does not count as a read."""
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        memory = state.part(WORKING_MEMORY)
        found = memory.find(scope_id, key, now, local_only=local_only)
        if scope_id != ROOT:
            self._note_use(agent_id, memory, scope_id, now)
            self._note_lookups(agent_id, memory.scope(scope_id), ((key, found),))
        return found, state.revision

    async def reserve_entry(self, agent_id: str, command: ReserveEntry, wait_ns: int, write: Write) -> EntryReserved:
        """Return the entry if it exists, else reserve it.

        If another caller holds the reservation, wait at most ``wait_ns`` for it to set the entry, give up, or expire.
        """
        wait_end = self._clock() + wait_ns
        result = await self._reserve(agent_id, command, write)
        if self._is_final(result, wait_end):
            return result
        async with self._agents.followed(agent_id) as may_have_changed:
            # Ask once more: a commit of another daemon between the first try and here wakes nobody.
            if may_have_changed:
                result = await self._reserve(agent_id, command, write)
            while not self._is_final(result, wait_end):
                await self._wait_for_holder(agent_id, command.key, result, wait_end)
                result = await self._reserve(agent_id, command, write)
        return result

    async def _reserve(self, agent_id: str, command: ReserveEntry, write: Write) -> EntryReserved:
        reserving = asyncio.ensure_future(self._agents.submit(agent_id, command, write))
        try:
            result = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            # The reservation may be committed already: the caller, who does not get its token, could not release it.
            reserving.add_done_callback(lambda _: self._withdraw(agent_id, reserving))
            raise
        if result.held_by_caller and not self._is_live(agent_id, command, result):
            # A repeated request, whose reservation has ended or was withdrawn: reserve again.
            return await self._reserve(agent_id, command, msgspec.structs.replace(write, request=None))
        return result

    def _is_live(self, agent_id: str, command: ReserveEntry, result: EntryReserved) -> bool:
        """Return True if a reservation was just made, or is one of an earlier call and still live."""
        assert result.reservation is not None
        if result.reservation.token == command.new_token:
            return True
        writer = self._agents.peek(agent_id)
        reservations = None if writer is None else writer.state.part(WORKING_MEMORY).reservations
        held = None if reservations is None else reservations.get((command.scope_id, command.key))
        return held is not None and held.token == result.reservation.token and held.is_live(self._clock())

    def _withdraw(self, agent_id: str, reserving: asyncio.Future[EntryReserved]) -> None:
        """Release the reservation of a cancelled call, if it got one."""
        if reserving.cancelled() or reserving.exception() is not None:
            return
        result = reserving.result()
        if result.held_by_caller and result.reservation is not None:
            held = result.reservation
            releasing = self._agents.submit(agent_id, ReleaseReservation(held.scope_id, held.key, held.token))
            asyncio.ensure_future(releasing).add_done_callback(ignore_failure)

    def _is_final(self, result: EntryReserved, wait_end: int) -> bool:
        return not result.held_by_other or self._clock() >= wait_end or self._agents.waits_ended

    async def _wait_for_holder(self, agent_id: str, key: str, result: EntryReserved, wait_end: int) -> None:
        """Wait until the key changes, the reservation expires, or ``wait_end``."""
        assert result.reservation is not None
        writer = self._agents.peek(agent_id)
        # A later revision may have changed the key already: do not wait, but try again.
        if writer is not None and writer.state.revision == result.revision and not writer.is_behind:
            end = min(wait_end, result.reservation.expire_time)
            await writer.wait_for(WORKING_MEMORY.name, max(end - self._clock(), 0) / SECOND_NS, key)

    def counted(self, agent_id: str, entry: Entry) -> ReadEntry:
        """Return an entry that a command found, and count this as a read."""
        writer = self._agents.peek(agent_id)
        if writer is None:
            return ReadEntry(entry, entry.access_count, entry.last_access_time)
        return _noted(writer, entry, self._clock())

    async def list_entries(
        self, agent_id: str, query: EntryQuery, request: PageRequest, consistency: Consistency = CURRENT
    ) -> Page[ReadEntry]:
        """Return a page of a scope's entries. Does not count as a read."""
        writer = await self._agents.current(agent_id, consistency)
        state, now = writer.state, self._clock()
        state.part(WORKING_MEMORY).lookup_path(query.scope_id)
        self._note_use(agent_id, state.part(WORKING_MEMORY), query.scope_id, now)
        listed: Sequence[Entry] = ()
        if not self._entry_listings.keeps(request, now):
            count = state.part(WORKING_MEMORY).entry_count
            listed = await offload(count, lambda: _listed(state, query, now))
        page = self._entry_listings.page(
            agent_id, request, state.revision, now, lambda: listed, response_bytes, PAGE_BYTES_MAX
        )
        items = [_counted(writer, entry) for entry in page.items if entry.is_live(now)]
        return Page(items, page.next_page_token, page.total_count, page.revision)

    async def get_scope(
        self, agent_id: str, scope_id: str, consistency: Consistency = CURRENT
    ) -> tuple[ScopeView, int]:
        """Return an active or a recently disposed scope, and the agent's revision. Counts as a use of the scope."""
        state = (await self._agents.current(agent_id, consistency)).state
        memory = state.part(WORKING_MEMORY)
        disposed = memory.disposed_scopes.get(scope_id)
        if disposed is not None:
            return ScopeView(disposed, 0), state.revision
        scope, now = memory.scope(scope_id), self._clock()
        self._note_use(agent_id, memory, scope_id, now)
        return ScopeView(scope, memory.live_count(scope_id, now)), state.revision

    async def list_scopes(
        self, agent_id: str, query: ScopeQuery, request: PageRequest, consistency: Consistency = CURRENT
    ) -> Page[ScopeView]:
        """Return a page of the active scopes."""
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        memory = state.part(WORKING_MEMORY)
        if query.parent_scope_id:
            memory.scope(query.parent_scope_id)

        def items() -> list[ScopeView]:
            keeps, parent_id = Matcher(query.filter, SCOPE_SHAPE).keeps, query.parent_scope_id
            there = (scope for scope in memory.scopes.values() if parent_id in (None, scope.parent_scope_id))
            kept = arranged(filter(keeps, there), query.order, query.id_of)
            return [ScopeView(scope, memory.live_count(scope.scope_id, now)) for scope in kept]

        is_kept = self._scope_listings.keeps(request, now)
        listed = () if is_kept else await offload(len(memory.scopes), items)
        return self._scope_listings.page(
            agent_id, request, state.revision, now, lambda: listed, _scope_bytes, PAGE_BYTES_MAX
        )

    def _note_use(self, agent_id: str, memory: WorkingMemoryValue, scope_id: str, now: int) -> None:
        """Put off the end of a scope that a read used, and of those above it. The read does not wait for that."""
        place = (agent_id, scope_id)
        if place in self._renewals or not any(True for _ in memory.unrenewed(scope_id, now)):
            return
        renewal = asyncio.ensure_future(self._agents.submit(agent_id, RenewScope(scope_id)))
        self._renewals[place] = renewal
        renewal.add_done_callback(lambda _: self._end_renewal(place))

    def _end_renewal(self, place: tuple[str, str]) -> None:
        renewal = self._renewals.pop(place)
        failure = None if renewal.cancelled() else renewal.exception()
        if failure is not None:
            # The next read tries again, well before the scope ends.
            fields = {"agent_id": place[0], "scope_id": place[1]}
            log.warning("scope not renewed", extra=fields, exc_info=None if isinstance(failure, Refusal) else failure)

    def _read(
        self, writer: AgentWriter, memory: WorkingMemoryValue, scope_id: str, key: str, now: int, local_only: bool
    ) -> ReadEntry | None:
        entry = memory.find(scope_id, key, now, local_only=local_only)
        if scope_id != ROOT:
            self._note_lookups(writer.state.agent_id, memory.scope(scope_id), ((key, entry),))
        if entry is None:
            return None
        # ``_noted``, inlined: every look-up passes here.
        count, last_time = writer.accesses.note(f"entry/{entry.scope_id}/{entry.key}", entry.entry_id, now)
        return ReadEntry(entry, entry.access_count + count, last_time or entry.last_access_time)

    def _note_lookups(self, agent_id: str, scope: Scope, found: Iterable[tuple[str, Entry | None]]) -> None:
        is_logged = log.isEnabledFor(logging.DEBUG)
        for key, entry in found:
            if is_logged:
                log_lookup(agent_id, scope, key, found=entry is not None)
            if entry is not None and entry.scope_id != scope.scope_id:
                self._telemetry.scope_fallback_total.add()


def _noted_each(writer: AgentWriter, found: Sequence[Entry | None], now: int) -> list[ReadEntry | None]:
    """Count reads. Return the entries with the number of reads before them, each where it was."""
    there = [entry for entry in found if entry is not None]
    paths = [f"entry/{entry.scope_id}/{entry.key}" for entry in there]
    noted = writer.accesses.note_each(paths, [entry.entry_id for entry in there], now)
    reads = [
        ReadEntry(entry, entry.access_count + count, last_time or entry.last_access_time)
        for entry, (count, last_time) in zip(there, noted, strict=True)
    ]
    if len(reads) == len(found):
        return cast("list[ReadEntry | None]", reads)
    rest = iter(reads)
    return [None if entry is None else next(rest) for entry in found]


def _noted(writer: AgentWriter, entry: Entry, now: int) -> ReadEntry:
    """Count a read. Return the entry with the number of reads before it."""
    count, last_time = writer.accesses.note(f"entry/{entry.scope_id}/{entry.key}", entry.entry_id, now)
    return ReadEntry(entry, entry.access_count + count, last_time or entry.last_access_time)


def _counted(writer: AgentWriter, entry: Entry) -> ReadEntry:
    """Return an entry with the number of its reads. Counts nothing."""
    count, last_time = writer.accesses.counted(f"entry/{entry.scope_id}/{entry.key}", entry.entry_id)
    return ReadEntry(entry, entry.access_count + count, last_time or entry.last_access_time)


def _listed(state: AgentState, query: EntryQuery, now: int) -> list[Entry]:
    memory = state.part(WORKING_MEMORY)
    entries = (
        memory.visible_entries(query.scope_id, now)
        if query.include_inherited
        else memory.live_entries(query.scope_id, now)
    )
    return arranged(filter(Matcher(query.filter, ENTRY_SHAPE).keeps, entries), query.order, lambda entry: entry.key)


def _scope_bytes(_: ScopeView) -> int:
    return 0
