"""Work on all records of a large agent runs on a thread, so that it does not block the event loop."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.engine.embedder import FakeEmbedder
from tests.unit.engine.remembering import ACTIVE, found, link, memories, remember
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World

from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import EVERY_RECORD
from memoryd_server.engine.agents import agent_cache, offload
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import UNCONDITIONAL
from memoryd_server.engine.upkeep import agents


async def test_only_work_on_many_items_runs_on_a_thread() -> None:
    here = threading.get_ident()
    items_max = offload.LOOP_ITEMS_MAX
    assert await offload.offload(items_max, threading.get_ident) == here
    assert await offload.offload(items_max + 1, threading.get_ident) != here


@pytest.mark.parametrize("count", [0, offload.LOOP_ITEMS_MAX + 1])
async def test_an_error_of_the_work_is_raised(count: int) -> None:
    def fail() -> None:
        raise DataDamaged("it")

    with pytest.raises(DataDamaged):
        await offload.offload(count, fail)


async def test_every_call_that_reads_a_whole_agent_runs_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, set[int]] = {}

    def watched(owner: Any, name: str) -> None:
        done: Callable[..., object] = getattr(owner, name)

        def run(*args: object, **fields: object) -> object:
            threads.setdefault(name, set()).add(threading.get_ident())
            return done(*args, **fields)

        monkeypatch.setattr(owner, name, run)

    monkeypatch.setattr(offload, "LOOP_ITEMS_MAX", 0)
    store = SharedStore()
    async with World(store, embedder=FakeEmbedder()) as world:
        first, second = await remember(world, "one"), await remember(world, "two")
        await link(world, first, second)
    watched(agent_cache, "state_of")
    watched(agents, "statistics_of")
    for name in ("live", "all_at"):
        watched(LongTermMemory, name)
    async with World(store, embedder=FakeEmbedder()) as world:
        use = memories(world)
        request = PageRequest(digest("l"), 1, "")
        page = await use.list("a", ACTIVE, request)
        rest = await use.list("a", ACTIVE, PageRequest(digest("l"), 1, page.next_page_token))
        assert [each.memory.content for each in (*page.items, *rest.items)] == ["two", "one"]
        assert len((await use.list_links("a", "", EVERY_RECORD, request)).items) == 1
        assert (await world.engine.agents.statistics("a"))[0].record_counts[RecordKind.MEMORY] == 2
        assert (await use.reembed("a", 9, UNCONDITIONAL, replaces_given=True)).left == 0
        assert await found(world, "one", read_time=world.clock.now) == ["one"]
    assert threads.keys() == {"state_of", "statistics_of", "live", "all_at"}
    assert threading.get_ident() not in set().union(*threads.values())
