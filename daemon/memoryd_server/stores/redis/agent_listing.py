"""Listing of agents, whose names Redis keeps in one sorted set for each shard."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.ports.store import AgentQuery, ListedAgent, RecordKey
from memoryd_server.stores.redis.limit import NAMES_TOGETHER


class Span(NamedTuple):
    """A range of names in the order of their bytes, as ZRANGEBYLEX takes it."""

    first: bytes
    last: bytes
    is_descending: bool = False

    @classmethod
    def of(cls, prefix: str, *, is_descending: bool = False) -> "Span":
        """Return the span of all names with a prefix."""
        if not prefix:
            return cls(b"-", b"+", is_descending)
        name = prefix.encode()
        # UTF-8 never contains the byte 0xFF, so that this sorts after all ids with the prefix.
        return cls(b"[" + name, b"[" + name + b"\xff", is_descending)

    def beyond(self, name: str) -> "Span":
        """Return the rest of the span after a name, in its order. The name may lie before or after the span."""
        bound = b"(" + name.encode()
        if self.is_descending:
            return self if self.last != b"+" and self.last[1:] < bound[1:] else self._replace(last=bound)
        return self if self.first != b"-" and self.first[1:] > bound[1:] else self._replace(first=bound)


class AgentListing:
    """Lists agents by what reads names of a shard, and what reads an agent's head with one of its records."""

    def __init__(
        self,
        names: Callable[[int, Span, int], Awaitable[list[str]]],
        read: Callable[[str, RecordKey | None], Awaitable[ListedAgent | None]],
        shard_count: int,
    ) -> None:
        self._names = names
        self._read = read
        self._shard_count = shard_count

    async def page(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the agents that a query lists."""
        if query.order.ascending is ListOrder.ID:
            return await self._first(query)
        kept: list[ListedAgent] = []
        # Without the records of the many agents that are not in the page.
        async for found in self._walk(query, None, NAMES_TOGETHER):
            by_id = {each.head.agent_id: each for each in (*kept, *found)}
            kept = [by_id[head.agent_id] for head in query.page_of(each.head for each in by_id.values())]
        if query.record is None:
            return kept
        return await self._read_all([each.head.agent_id for each in kept], query.record)

    async def _first(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the page of an order by id: the first agents that are found."""
        found: list[ListedAgent] = []
        async for some in self._walk(query, query.record, min(query.limit, NAMES_TOGETHER)):
            found += [each for each in some if query.selects(each.head) and query.is_after(each.head)]
            if len(found) >= query.limit:
                break
        return found[: query.limit]

    async def _walk(self, query: AgentQuery, record: RecordKey | None, count: int) -> AsyncIterator[list[ListedAgent]]:
        """Yield the agents that match the patterns, in the order of their ids, or the reverse for an order by it."""
        is_by_id, is_descending = query.order.ascending is ListOrder.ID, query.order.is_descending
        # No pattern matches agents between those of another one, so that the patterns' order is that of the agents.
        for name, is_prefix in sorted(
            [*((each, False) for each in query.agents.ids), *((each, True) for each in query.agents.prefixes)],
            key=lambda each: each[0].encode(),
            reverse=is_by_id and is_descending,
        ):
            if not is_prefix:
                yield await self._read_all([name], record)
                continue
            span: Span | None = Span.of(name, is_descending=is_by_id and is_descending)
            if span is not None and is_by_id and query.after is not None:
                span = span.beyond(query.after[1])
            while span is not None:
                names = await self._names_in(span, count)
                yield await self._read_all(names, record)
                span = span.beyond(names[-1]) if len(names) == count else None

    async def _names_in(self, span: Span, count: int) -> list[str]:
        """Return the first names of a span, of all shards."""
        shards = range(self._shard_count)
        found = await asyncio.gather(*(self._names(shard, span, count) for shard in shards))
        return sorted((name for each in found for name in each), key=str.encode, reverse=span.is_descending)[:count]

    async def _read_all(self, names: list[str], record: RecordKey | None) -> list[ListedAgent]:
        """Return those of the named agents that exist: another daemon may have ended one since its name was read."""
        found = await asyncio.gather(*(self._read(name, record) for name in names))
        return [each for each in found if each is not None and not each.head.ended]
