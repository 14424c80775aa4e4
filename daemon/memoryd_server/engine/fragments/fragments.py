"""Use cases of fragments: create them, search them, lease them to consumers."""

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.fragments.lease_change import FragmentsLeased, LeaseFragments
from memoryd_server.domain.limit import FRAGMENT_TTL_NS_DEFAULT, PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter
from memoryd_server.domain.values.response_size import response_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import Listings, Page, PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.agents.writer import AgentWriter
from memoryd_server.engine.fragments.fragment_log import log_fragment_change, measure_fragment_change
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry


class FragmentPolicy(msgspec.Struct, frozen=True):
    """The settings of fragments: their default time to live, and the number of pending ones that causes a flush.

    A ``flush_threshold`` of 0 disables that flush. If ``consolidates`` is true, the daemon turns flushed fragments into
    memories.
    """

    ttl_ns: int = FRAGMENT_TTL_NS_DEFAULT
    flush_threshold: int = 0
    consolidates: bool = False


class FragmentCounts(msgspec.Struct, frozen=True):
    """The numbers of live fragments: all, flushed, and leased by a consumer."""

    all: int
    flushed: int
    leased: int


class Handover(msgspec.Struct, frozen=True):
    """The leased fragments of a consumer, oldest first. ``lease`` is None if no fragment was available."""

    lease: Lease | None
    fragments: Sequence[Fragment]
    revision: int


class Fragments:
    """The fragments of all agents. Every method raises what the domain and the store raise.

    Reads take ``consistency``; see ``engine.entries.working_memory.WorkingMemory``.
    """

    def __init__(
        self, agents: AgentCache, policy: FragmentPolicy, clock: Clock, telemetry: WorkingMemoryTelemetry
    ) -> None:
        self.policy = policy
        self._agents = agents
        self._clock = clock
        self._telemetry = telemetry
        self._listings: Listings[Fragment] = Listings()

    def drop_listings(self, agent_id: str) -> None:
        """Drop the records that are kept for the next pages of an agent's listings."""
        self._listings.drop(agent_id)

    async def get(self, agent_id: str, fragment_id: str, consistency: Consistency = CURRENT) -> tuple[Fragment, int]:
        """Return a fragment, and the agent's revision. Raises RecordNotFound."""
        state = (await self._agents.current(agent_id, consistency)).state
        fragment = state.part(FRAGMENTS).find(fragment_id, self._clock())
        if fragment is None:
            raise RecordNotFound(agent_id, FRAGMENTS.name, fragment_id)
        return fragment, state.revision

    async def search(
        self,
        agent_id: str,
        query: str,
        count_max: int,
        chosen: RecordFilter = EVERY_RECORD,
        consistency: Consistency = CURRENT,
    ) -> tuple[list[Fragment], int]:
        """Return the newest fragments that have any word of the query and pass a filter, and the agent's revision.

        There are at most ``count_max``.
        """
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        buffer = state.part(FRAGMENTS)

        def searched() -> list[Fragment]:
            found: list[Fragment] = []
            size_bytes = 0
            for fragment in buffer.search(query, chosen, now):
                if len(found) == count_max or size_bytes >= PAGE_BYTES_MAX:
                    break
                found.append(fragment)
                size_bytes += response_bytes(fragment)
            return found

        # Without a filter of its own, the search ends with the newest that match.
        return await offload(0 if buffer.is_every(chosen) else len(buffer), searched), state.revision

    async def list(
        self,
        agent_id: str,
        request: PageRequest,
        chosen: RecordFilter = EVERY_RECORD,
        order: ListOrder = ListOrder.CREATE_TIME_DESCENDING,
        consistency: Consistency = CURRENT,
    ) -> Page[Fragment]:
        """Return a page of the live fragments that pass a filter."""
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        buffer = state.part(FRAGMENTS)

        listed: Sequence[Fragment] = ()
        if buffer.is_every(chosen) and order is ListOrder.CREATE_TIME_DESCENDING:
            listed = _Recent(buffer, now)
        elif not self._listings.keeps(request, now):
            listed = await offload(len(buffer), lambda: buffer.selected(chosen, order, now))
        page = self._listings.page(
            agent_id, request, state.revision, now, lambda: listed, response_bytes, PAGE_BYTES_MAX
        )
        items = [fragment for fragment in page.items if fragment.is_live(now)]
        return Page(items, page.next_page_token, page.total_count, page.revision)

    async def count(self, agent_id: str, consistency: Consistency = CURRENT) -> tuple[FragmentCounts, int]:
        """Return the numbers of live fragments, and the agent's revision."""
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        buffer = state.part(FRAGMENTS)
        live = buffer.live_count(now)
        return FragmentCounts(live, live - buffer.waiting_count(now), buffer.leased_count(now)), state.revision

    def note_change(self, agent_id: str, command: Command, result: Result) -> None:
        """Log and count the result of a command."""
        log_fragment_change(agent_id, command, result)
        measure_fragment_change(self._telemetry, command, result)

    async def lease(self, agent_id: str, command: LeaseFragments, wait_ns: int, write: Write) -> Handover:
        """Lease available fragments. If there is none, wait for one, at most ``wait_ns``."""
        wait_end = self._clock() + wait_ns
        result = await self.change(agent_id, command, write)
        if result.lease is None and wait_ns:
            async with self._agents.followed(agent_id) as may_have_changed:
                while result.lease is None and (may_have_changed or await self._becomes_available(agent_id, wait_end)):
                    may_have_changed = False
                    result = await self.change(agent_id, command, write)
        return await self.handover(agent_id, result)

    async def handover(self, agent_id: str, result: FragmentsLeased) -> Handover:
        """Return the part of a lease that is still held.

        For a repeated request the first result is returned, but its lease may be settled or expired by now.
        """
        if result.lease is None:
            return Handover(None, (), result.revision)
        buffer = (await self._agents.writer(agent_id)).state.part(FRAGMENTS)
        lease, now = buffer.leases.get(result.lease.token), self._clock()
        fragments = buffer.held(lease) if lease is not None and lease.is_live(now) else []
        return Handover(lease if fragments else None, fragments, result.revision)

    async def change(self, agent_id: str, command: Command[R], write: Write) -> R:
        """Execute a command. Return its result once the change is committed."""
        result = await self._agents.submit(agent_id, command, write)
        self.note_change(agent_id, command, result)
        return result

    async def _becomes_available(self, agent_id: str, wait_end: int) -> bool:
        """Wait for an available fragment. Return False if ``wait_end`` comes first, or the daemon drains."""
        while True:
            writer = await self._agents.writer(agent_id)
            now = self._clock()
            if now >= wait_end or self._agents.waits_ended:
                return False
            if writer.is_behind or writer.state.part(FRAGMENTS).has_available(now):
                return True
            wake_time = min(wait_end, _first_lease_end(writer, now, wait_end))
            await writer.wait_for(FRAGMENTS.name, (wake_time - now) / SECOND_NS)


class _Recent(Sequence[Fragment]):
    """The live fragments, newest first, read lazily: a page needs only the first of them."""

    def __init__(self, buffer: FragmentBuffer, now: int) -> None:
        self._count = buffer.live_count(now)
        self._rest: Iterator[Fragment] = buffer.newest_first(now)
        self._found: list[Fragment] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Fragment: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Fragment]: ...
    def __getitem__(self, place: int | slice) -> Fragment | Sequence[Fragment]:
        end = place.stop if isinstance(place, slice) else place + 1
        while len(self._found) < end:
            self._found.append(next(self._rest))
        return self._found[place]


def _first_lease_end(writer: AgentWriter, now: int, otherwise: int) -> int:
    leases = writer.state.part(FRAGMENTS).leases.values()
    return min((lease.expire_time for lease in leases if lease.is_live(now)), default=otherwise)
