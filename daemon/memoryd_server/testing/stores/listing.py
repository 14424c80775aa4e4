"""Tests of the listings of ``ports.store.Store`` for every store: agents by any order, and the journal backwards."""

import asyncio

from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.ports.store import AgentQuery, JournalRow, RecordKey, Store, TimeRange, all_agents
from memoryd_server.testing.stores.change import change, home, record

ORDERS = (
    (ListOrder.ID, ["a", "b-1", "b-2", "c", "\U0001f600"]),
    (ListOrder.CREATE_TIME, ["c", "a", "b-2", "b-1", "\U0001f600"]),
    (ListOrder.UPDATE_TIME, ["b-2", "\U0001f600", "a", "b-1", "c"]),
)
TIMES = {"a": (10, 30), "b-1": (30, 30), "b-2": (20, 20), "c": (5, 50), "\U0001f600": (30, 29)}
"""The creation and the last change of each agent."""


async def _fill(store: Store) -> None:
    await asyncio.gather(
        *(
            store.commit(change(name, 0, record(f"of {name}", name, "note"), count=1, created=created, time=updated))
            for name, (created, updated) in TIMES.items()
        )
    )


async def _ids(store: Store, query: AgentQuery) -> list[str]:
    return [each.head.agent_id async for each in all_agents(store, query)]


class Listing:
    """Tests of every store."""

    async def test_agents_are_listed_in_any_order_page_by_page(self, store: Store) -> None:
        await _fill(store)
        for order, ids in ORDERS:
            reverse = ListOrder(order + 1)
            for limit in (1, 2, 5, 9):
                assert await _ids(store, AgentQuery(limit, order=order)) == ids
                assert await _ids(store, AgentQuery(limit, order=reverse)) == ids[::-1]

    async def test_agents_are_listed_by_ids_and_prefixes(self, store: Store) -> None:
        await _fill(store)
        for patterns, ids in (
            (["b-*"], ["b-1", "b-2"]),
            (["c", "b-*", "b-1", "nobody", "a"], ["a", "b-1", "b-2", "c"]),
            (["b*", "c*", "a*"], ["a", "b-1", "b-2", "c"]),
            (["x*"], []),
            ([], []),
            (["a", *(f"p{number}*" for number in range(1_000)), "c"], ["a", "c"]),
        ):
            agents = AgentPatterns.of(patterns)
            assert await _ids(store, AgentQuery(2, agents)) == ids
            assert await _ids(store, AgentQuery(2, agents, ListOrder.ID_DESCENDING)) == ids[::-1]
            assert sorted(await _ids(store, AgentQuery(2, agents, ListOrder.UPDATE_TIME))) == ids

    async def test_agents_are_listed_by_their_times(self, store: Store) -> None:
        await _fill(store)
        for created, updated, ids in (
            (TimeRange(10, 30), TimeRange(), ["a", "b-2"]),
            (TimeRange(), TimeRange(30), ["a", "b-1", "c"]),
            (TimeRange(), TimeRange(None, 30), ["b-2", "\U0001f600"]),
            (TimeRange(30), TimeRange(None, 30), ["\U0001f600"]),
            (TimeRange(-(2**80), 2**80), TimeRange(), ["a", "b-1", "b-2", "c", "\U0001f600"]),
        ):
            query = AgentQuery(1, create_times=created, update_times=updated)
            assert await _ids(store, query) == ids

    async def test_a_listing_has_the_record_that_it_asks_for(self, store: Store) -> None:
        await _fill(store)
        for order in (ListOrder.ID, ListOrder.UPDATE_TIME_DESCENDING):
            query = AgentQuery(9, AgentPatterns.of(["a", "c"]), order, record=RecordKey("note", "of a"))
            found = {each.head.agent_id: each.record for each in await store.list_agents(query)}
            assert found == {"a": record("of a", "a", "note"), "c": None}
        assert {each.record for each in await store.list_agents(AgentQuery(9))} == {None}

    async def test_agents_that_ended_are_not_listed(self, store: Store) -> None:
        await _fill(store)
        await store.commit(change("a", 1, drop_records=True, ended=True, time=99))
        for order, ids in ORDERS:
            assert await _ids(store, AgentQuery(9, order=order)) == [each for each in ids if each != "a"]

    async def test_the_journal_is_read_backwards(self, store: Store) -> None:
        a, b, c = home(store, "a", "b", "c")
        for revision in range(4):
            for agent_id in (a, b, c):
                await store.commit(change(agent_id, revision))
        for agent_ids, texts in (
            (None, [f"{name}:{revision}" for revision in (4, 3, 2, 1) for name in "cba"]),
            ({a, c, "nobody"}, [f"{name}:{revision}" for revision in (4, 3, 2, 1) for name in "ca"]),
            ({b}, ["b:4", "b:3", "b:2", "b:1"]),
            ({"nobody"}, []),
            ((), []),
        ):
            for limit in (1, 3, 4, 12, 99):
                rows = await self._back(store, 13, limit, agent_ids)
                assert [row.data.decode() for row in rows] == texts
        assert [row.position for row in await self._back(store, 6, 2, {a})] == [4, 1]
        assert await self._back(store, 1, 2) == []

    async def test_reading_backwards_ends_at_the_oldest_row_that_is_left(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        for revision in range(4):
            await store.commit(change(a, revision))
            await store.commit(change(b, revision))
        await store.prune_journal(5 * store.shard_count, 0)
        for limit in (1, 2, 5, 9):
            assert [row.position for row in await self._back(store, 9, limit)] == [8, 7, 6, 5, 4]
            assert [row.position for row in await self._back(store, 9, limit, {a})] == [7, 5]
        assert await self._back(store, 3, 2) == []
        assert await self._back(store, 99, 2, {"nobody"}) == []

    async def _back(
        self, store: Store, before: int, limit: int, agent_ids: set[str] | tuple[str, ...] | None = None
    ) -> list[JournalRow]:
        """Return all rows before a position, read in pages."""
        rows: list[JournalRow] = []
        while True:
            page = await store.read_journal_back(before, limit, agent_ids)
            assert len(page.rows) <= limit
            rows += page.rows
            before = page.end_position
            if page.complete:
                return rows
