"""Use cases of whole agents: describe, list and end them."""

import logging
import re
from collections.abc import Callable
from operator import attrgetter

import msgspec

from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.agent import AGENT, Agent, description_of
from memoryd_server.domain.error import AgentNotFound, InvalidPageToken, RevisionMismatch, SnapshotNotFound
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.domain.lifecycle.erasing import Erased
from memoryd_server.domain.lifecycle.record import decode_record
from memoryd_server.domain.lifecycle.user_removal import UserForgotten
from memoryd_server.domain.limit import PAGE_BYTES_MAX, PAGE_SIZE_MAX
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD, Matcher, RecordFilter, RecordShape
from memoryd_server.domain.values.response_size import response_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.token import decode_text_page, encode_text_page
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.entries.entry_log import log_change
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.engine.limit import END_TRIES_MAX, TOKEN_NUMBER_MAX
from memoryd_server.engine.upkeep.statistics import AgentStatistics, statistics_of
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.ports.store import AgentPlace, AgentQuery, ListedAgent, RecordKey, Store, TimeRange

DESCRIPTION = RecordKey(AGENT.name, f"/{Agent().key}")
"""The record of an agent that describes it."""


class DescribedAgent(msgspec.Struct, frozen=True):
    """An agent with what a writer said of it, None for nothing. Times are in nanoseconds since the Unix epoch."""

    agent_id: str
    revision: int
    create_time: int
    update_time: int
    description: Agent | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """The labels."""
        return () if self.description is None else self.description.tags

    @property
    def metadata_json(self) -> str:
        """The metadata as a JSON object, empty for none."""
        return "" if self.description is None else self.description.metadata_json


AGENT_SHAPE = RecordShape("agent", attrgetter("agent_id"), user_of=None, has_users=False)
"""The fields of described agents that a filter asks for."""


class AgentListing(msgspec.Struct, frozen=True):
    """The agents of a listing, those that match the patterns and that the filter keeps, and their order."""

    agents: AgentPatterns
    order: ListOrder = ListOrder.ID
    chosen: RecordFilter = EVERY_RECORD


log = logging.getLogger("memoryd.agents")


class Agents:
    """The use cases of whole agents. Every method raises what the domain and the store raise."""

    def __init__(
        self,
        store: Store,
        agents: AgentCache,
        snapshots: Snapshots,
        erasures: JournalErasures,
        clock: Clock,
        *,
        embeds: bool = False,
    ) -> None:
        self._store = store
        self._agents = agents
        self._snapshots = snapshots
        self._erasures = erasures
        self._clock = clock
        self._embeds = embeds

    async def get(self, agent_id: str, consistency: Consistency = CURRENT) -> DescribedAgent:
        """Return an agent. Raises AgentNotFound."""
        state = await self._existing(agent_id, consistency)
        return DescribedAgent(agent_id, state.revision, state.create_time, state.update_time, description_of(state))

    async def page(self, listing: AgentListing, request: PageRequest) -> tuple[list[DescribedAgent], str]:
        """Return a page of agents, and the token of the next page. Raises InvalidPageToken.

        The store is read once for each page, whatever the filter keeps of what it finds.
        """
        chosen, agents = listing.chosen, listing.agents
        if chosen.ids:
            agents = agents.shared_with(AgentPatterns(chosen.ids))
        rest = msgspec.structs.replace(
            chosen, ids=frozenset(), create_start=None, create_end=None, update_start=None, update_end=None
        )
        query = AgentQuery(
            (request.size if rest == EVERY_RECORD else PAGE_SIZE_MAX) + 1,
            agents,
            listing.order,
            _place_in(request) if request.token else None,
            create_times=TimeRange(chosen.create_start, chosen.create_end),
            update_times=TimeRange(chosen.update_start, chosen.update_end),
            record=DESCRIPTION,
        )
        found = await self._store.list_agents(query)
        keeps = Matcher(rest, AGENT_SHAPE).keeps
        page, last = await offload(len(found), lambda: _page_of(found, keeps, request.size))
        if last is None or (last == found[-1] and len(found) < query.limit):
            return page, ""
        time, agent_id = query.place_of(last.head)
        return page, encode_text_page(request.listing, f"{time} {agent_id}")

    async def statistics(self, agent_id: str, consistency: Consistency = CURRENT) -> tuple[AgentStatistics, int]:
        """Return the figures of an agent's memory, and its revision. Raises AgentNotFound."""
        state, now = await self._existing(agent_id, consistency), self._clock()

        def counted() -> AgentStatistics:
            figures = statistics_of(state, now, self._agents.tiers.limits_of(state))
            if not self._embeds:
                # Without an embedder, no memory is waiting for a vector.
                figures.counts["unembedded_memories"] = 0
            return figures

        return await offload(state.record_count, counted), state.revision

    async def forget_user(
        self, agent_id: str, user_id: str, write: Write, *, blocks_reimport: bool
    ) -> tuple[UserForgotten, int, list[SnapshotInfo]]:
        """Remove all records of a user.

        Return the result, the number of journal rows that were rewritten, and the snapshots that may still hold records
        of the user.

        When this returns, nothing of the records is left in the store and in the journal.
        """
        result, rows = await self._erasures.forget_user(agent_id, user_id, write, blocks_reimport=blocks_reimport)
        log.info("user forgotten", extra={"agent_id": agent_id, "count": sum(result.counts.values())})
        snapshots = await self._snapshots.list()
        return result, rows, [each for each in snapshots if each.agent_id in ("", agent_id)]

    async def end_erased(self, agent_id: str, write: Write) -> Erased[AgentCleared]:
        """End an agent, of which nothing is left in the store and in the journal when this returns."""
        erased = await self._erasures.end_erased(agent_id, write)
        log.info("agent ended and erased", extra={"agent_id": agent_id, "count": sum(erased.counts.values())})
        return erased

    async def end(
        self, agent_id: str, command: EndAgent, write: Write, *, create_snapshot: bool
    ) -> tuple[AgentCleared, SnapshotInfo | None]:
        """End an agent. With ``create_snapshot``, take a snapshot before that has all of its changes.

        The agent ends only at the revision of the snapshot. If it changed since, the snapshot is deleted and both are
        tried again, unless the caller gave a precondition.
        """
        for tries_left in reversed(range(END_TRIES_MAX)):
            state = (await self._agents.current(agent_id)).state
            if not create_snapshot or not state.exists:
                break
            snapshot = await self._snapshots.create(agent_id, "", "end_agent")
            at_snapshot = Precondition(expected_revision=snapshot.revision)
            at_its_revision = msgspec.structs.replace(write, precondition=at_snapshot)
            try:
                check_agent(write.precondition, state)
                ending = msgspec.structs.replace(command, snapshot_id=snapshot.snapshot_id)
                result = await self._end(agent_id, ending, at_its_revision)
            except RevisionMismatch:
                await self._snapshots.delete(snapshot.snapshot_id)
                if not tries_left or write.precondition is not None:
                    raise
            else:
                if result.snapshot_id == snapshot.snapshot_id:
                    return result, snapshot
                # The request was repeated: its first result names the snapshot of then.
                await self._snapshots.delete(snapshot.snapshot_id)
                return result, await self._snapshot_of(result)
        result = await self._end(agent_id, command, write)
        return result, await self._snapshot_of(result)

    async def _snapshot_of(self, result: AgentCleared) -> SnapshotInfo | None:
        """Return the snapshot that a result names, None if it names none or the snapshot was deleted since."""
        if not result.snapshot_id:
            return None
        try:
            return await self._snapshots.get(result.snapshot_id)
        except SnapshotNotFound:
            return None

    async def _end(self, agent_id: str, command: EndAgent, write: Write) -> AgentCleared:
        result = await self._erasures.end(agent_id, command, write)
        log_change(agent_id, command, result)
        return result

    async def _existing(self, agent_id: str, consistency: Consistency) -> AgentState:
        state = (await self._agents.current(agent_id, consistency)).state
        if not state.exists:
            raise AgentNotFound(agent_id)
        return state


def _place_in(request: PageRequest) -> AgentPlace:
    """Return the place in a token. Raises InvalidPageToken."""
    time, _, agent_id = decode_text_page(request.listing, request.token).partition(" ")
    # Of 19 digits at most: a store has no larger times.
    if re.fullmatch("[0-9]{1,19}", time) is None or int(time) > TOKEN_NUMBER_MAX:
        raise InvalidPageToken
    return int(time), agent_id


def _page_of(
    found: list[ListedAgent], keeps: Callable[[DescribedAgent], bool], size: int
) -> tuple[list[DescribedAgent], ListedAgent | None]:
    """Return the first of the agents that are kept, and the last one that was looked at, after which a page goes on."""
    page, size_bytes, last = list[DescribedAgent](), 0, None
    for each in found:
        if len(page) == size or size_bytes > PAGE_BYTES_MAX:
            break
        last, described = each, _described(each)
        if keeps(described):
            size_bytes += 0 if described.description is None else response_bytes(described.description)
            page.append(described)
    return page, last


def _described(listed: ListedAgent) -> DescribedAgent:
    head, record = listed
    description = None if record is None else decode_record(record.kind, record.data)
    return DescribedAgent(head.agent_id, head.revision, head.create_time, head.update_time, description)
