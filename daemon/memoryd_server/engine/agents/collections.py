"""Use cases that all kinds of memory share: find a record, list records page by page, change them."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.part import Part, V
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.record_filter import EVERY_RECORD, Matcher, RecordFilter, RecordShape
from memoryd_server.domain.values.response_size import response_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import Listings, Page, PageRequest
from memoryd_server.engine.agents.offload import offload

log = logging.getLogger("memoryd.collections")

R = TypeVar("R", bound=Collected)
T = TypeVar("T")


class Collections:
    """The collected records of all agents. Every method raises what the domain and the store raise.

    Reads take ``consistency``; see ``engine.entries.working_memory.WorkingMemory``.
    """

    def __init__(self, agents: AgentCache, clock: Clock) -> None:
        self._agents = agents
        self._clock = clock
        self._listings: Listings[Collected] = Listings()

    def drop_listings(self, agent_id: str) -> None:
        """Drop the records that are kept for the next pages of an agent's listings."""
        self._listings.drop(agent_id)

    async def find(
        self, agent_id: str, kind: CollectionPart[R], group: str, key: str, consistency: Consistency = CURRENT
    ) -> tuple[R | None, int]:
        """Return a record, or None if it does not exist, and the agent's revision."""
        state = (await self._agents.current(agent_id, consistency)).state
        return state.part(kind).find(group, key), state.revision

    async def all_of(
        self, agent_id: str, kind: CollectionPart[R], consistency: Consistency = CURRENT
    ) -> tuple[Collection[R], int]:
        """Return all records of a kind, and the agent's revision."""
        state = (await self._agents.current(agent_id, consistency)).state
        return state.part(kind), state.revision

    async def aliased(
        self, agent_id: str, kind: CollectionPart[R], alias: str, consistency: Consistency = CURRENT
    ) -> tuple[R | None, int]:
        """Return the record that has an alias, or None if no record has it, and the agent's revision."""
        state = (await self._agents.current(agent_id, consistency)).state
        return state.part(kind).aliased(alias), state.revision

    async def get(
        self, agent_id: str, kind: CollectionPart[R], group: str, key: str, consistency: Consistency = CURRENT
    ) -> tuple[R, int]:
        """Return a record and the agent's revision. Raises RecordNotFound."""
        record, revision = await self.find(agent_id, kind, group, key, consistency)
        if record is None:
            raise RecordNotFound(agent_id, kind.name, kind.record_id(group, key), **kind.place(group))
        return record, revision

    async def list(
        self,
        agent_id: str,
        kind: CollectionPart[R],
        request: PageRequest,
        *,
        group: str | None = None,
        chosen: RecordFilter = EVERY_RECORD,
        shape: RecordShape | None = None,
        keeps: Callable[[R], bool] = lambda _: True,
        order: ListOrder = ListOrder.CREATE_TIME,
        consistency: Consistency = CURRENT,
    ) -> Page[R]:
        """Return a page of the records that a filter keeps and for which ``keeps`` returns True, of a group or of all.

        ``shape`` is that of the records; None for the one of their kind.
        """
        shape = shape or kind.shape
        matcher = None if shape is None or chosen == EVERY_RECORD else Matcher(chosen, shape)
        groups: Iterable[str] | None = None if group is None else (group,)
        if groups is None and shape is not None and shape.conversation_of is not None and chosen.conversation_ids:
            # The records of these kinds are grouped by their conversations.
            groups = chosen.conversation_ids

        def found(records: Collection[R], now: int) -> Sequence[R]:
            there = records if groups is None else (each for name in groups for each in records.group(name).values())
            kept = filter(keeps, there if matcher is None else filter(matcher.keeps, there))
            return arranged(kept, order, lambda each: (each.group, each.key))

        return await self.list_found(agent_id, kind, request, found, consistency=consistency)

    async def read(
        self, agent_id: str, part: Part[V, Any], look_up: Callable[[V, int], T], consistency: Consistency = CURRENT
    ) -> tuple[T, int]:
        """Return what ``look_up`` returns for the value of any part and the current time, and the agent's revision."""
        state = (await self._agents.current(agent_id, consistency)).state
        return look_up(state.part(part), self._clock()), state.revision

    async def list_found(
        self,
        agent_id: str,
        part: Part[V, Any],
        request: PageRequest,
        found: Callable[[V, int], Sequence[R]],
        *,
        is_live: Callable[[R, int], bool] = lambda record, now: True,
        consistency: Consistency = CURRENT,
    ) -> Page[R]:
        """Return a page of the records that ``found`` returns for the value of any part and the current time.

        Later pages are of the same listing: what ``is_live`` is false for by then, since it has expired, is left out.
        """
        state, now = (await self._agents.current(agent_id, consistency)).state, self._clock()
        value = state.part(part)
        kept = self._listings.keeps(request, now)
        listed = [] if kept else await offload(value.record_count, lambda: found(value, now))
        page = self._listings.page(
            agent_id, request, state.revision, now, lambda: listed, response_bytes, PAGE_BYTES_MAX
        )
        items = [record for record in cast("Sequence[R]", page.items) if is_live(record, now)]
        return Page(items, page.next_page_token, page.total_count, page.revision)


def log_change(agent_id: str, command: Command, result: Result) -> None:
    """Log the result of a command."""
    log.debug("records changed", extra={"agent_id": agent_id, "operation": type(command).__name__})
