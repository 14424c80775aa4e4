import pytest
from tests.unit.engine.world import World, request

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import AgentNotFound, InvalidPageToken, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.domain.values.json_key import json_key_of
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.metadata_condition import MetadataCondition
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.upkeep.agents import AgentListing
from memoryd_server.ports.snapshot import SnapshotInfo

LISTING = digest("agents")


async def test_an_agent_is_found_from_its_first_change_to_its_end() -> None:
    async with World() as world:
        agents = world.engine.agents
        for ask in (agents.get, agents.statistics):
            with pytest.raises(AgentNotFound):
                await ask("a")
        await world.set("k")
        begun = world.clock.now
        world.clock.now += 5
        await world.set("l")
        head = await agents.get("a")
        assert (head.revision, head.create_time, head.update_time, head.description) == (2, begun, begun + 5, None)
        await world.do(EndAgent())
        with pytest.raises(AgentNotFound):
            await agents.get("a")


def listing(*patterns: str, order: ListOrder = ListOrder.ID, chosen: RecordFilter = EVERY_RECORD) -> AgentListing:
    return AgentListing(AgentPatterns.of(patterns or ["*"]), order, chosen)


async def pages(world: World, listed: AgentListing, size: int) -> list[list[str]]:
    found, token = [], ""
    while True:
        agents, token = await world.engine.agents.page(listed, PageRequest(LISTING, size, token))
        found.append([each.agent_id for each in agents])
        if not token:
            return found


async def test_agents_are_listed_in_pages_in_any_order() -> None:
    async with World() as world:
        for agent_id in ("b", "ü", "a", "prefix-1", "prefix-2"):
            world.clock.now += 1
            await world.set("k", agent_id=agent_id)
        world.clock.now += 1
        await world.set("l", agent_id="ü")
        assert await pages(world, listing(), 2) == [["a", "b"], ["prefix-1", "prefix-2"], ["ü"]]
        assert await pages(world, listing("prefix*", "nobody"), 9) == [["prefix-1", "prefix-2"]]
        created = ["b", "ü", "a", "prefix-1", "prefix-2"]
        assert await pages(world, listing(order=ListOrder.CREATE_TIME), 3) == [created[:3], created[3:]]
        updated = listing(order=ListOrder.UPDATE_TIME_DESCENDING)
        assert await pages(world, updated, 4) == [["ü", "prefix-2", "prefix-1", "a"], ["b"]]
        _, token = await world.engine.agents.page(listing(), PageRequest(LISTING, 2, ""))
        with pytest.raises(InvalidPageToken):
            await world.engine.agents.page(listing(), PageRequest(digest("other"), 2, token))


async def test_listed_agents_have_their_descriptions_in_pages_of_bounded_size() -> None:
    async with World() as world:
        metadata_json = f'"{"x" * (PAGE_BYTES_MAX // 2)}"'
        for agent_id in ("a", "b", "c", "d"):
            await world.do(UpdateAgent(AgentPatch(agent_id, metadata_json=metadata_json)), agent_id=agent_id)
        await world.set("k", agent_id="e")
        agents, token = await world.engine.agents.page(listing(), PageRequest(LISTING, 9, ""))
        assert [each.description and each.description.display_name for each in agents] == ["a", "b"]
        rest, token = await world.engine.agents.page(listing(), PageRequest(LISTING, 9, token))
        assert [(each.agent_id, each.description is not None) for each in rest] == [("c", True), ("d", True)]
        last, token = await world.engine.agents.page(listing(), PageRequest(LISTING, 9, token))
        assert ([(each.agent_id, each.description) for each in last], token) == ([("e", None)], "")
        assert (await world.engine.agents.get("a")).description == agents[0].description


async def test_agents_are_selected_by_what_a_writer_said_of_them_and_by_times() -> None:
    async with World() as world:
        begun = world.clock.now
        for agent_id, tags, metadata_json in (("a", ("x", "y"), '{"n": 1}'), ("b", ("x",), '{"n": 2}'), ("c", (), "")):
            await world.do(UpdateAgent(AgentPatch("", tags, metadata_json)), agent_id=agent_id)
            world.clock.now += 1
        await world.set("k", agent_id="d")
        await world.set("k", agent_id="a")
        one = MetadataCondition(("n",), equals=frozenset({json_key_of(1)}))
        for chosen, names in (
            (RecordFilter(ids=frozenset({"a", "d", "nobody", "*"})), "ad"),
            (RecordFilter(all_tags=frozenset({"x", "y"})), "a"),
            (RecordFilter(any_tags=frozenset({"x", "z"})), "ab"),
            (RecordFilter(metadata=(one,)), "a"),
            (RecordFilter(none_of=(RecordFilter(metadata=(one,)),)), "bcd"),
            (RecordFilter(any_of=(RecordFilter(ids=frozenset({"d"})), RecordFilter(any_tags=frozenset({"y"})))), "ad"),
            (RecordFilter(create_start=begun + 1, create_end=begun + 3), "bc"),
            (RecordFilter(update_start=begun + 2, update_end=begun + 3), "c"),
            (RecordFilter(any_of=(RecordFilter(update_start=begun + 3),), any_tags=frozenset({"x"})), "a"),
        ):
            for order in (ListOrder.ID, ListOrder.CREATE_TIME):
                for size in (1, 9):
                    found = await pages(world, listing(order=order, chosen=chosen), size)
                    assert [each for page in found for each in page] == list(names), chosen
        beyond = listing("b", "c*", chosen=RecordFilter(ids=frozenset({"a", "b"})))
        assert await pages(world, beyond, 9) == [["b"]]


async def test_a_page_reads_a_bounded_number_of_agents_and_continues_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memoryd_server.engine.upkeep.agents.PAGE_SIZE_MAX", 3)
    async with World() as world:
        for number in range(8):
            await world.do(UpdateAgent(AgentPatch(tags=("x",) if number % 6 == 5 else ())), agent_id=f"a{number}")
        chosen = RecordFilter(all_tags=frozenset({"x"}))
        assert await pages(world, listing(chosen=chosen), 2) == [[], ["a5"], []]
        nothing = RecordFilter(all_tags=frozenset({"nobody's"}))
        assert await pages(world, listing("a0", "a1", chosen=nothing), 2) == [[]]


async def test_statistics_count_live_records() -> None:
    async with World() as world:
        await world.set("k", "22", ttl_ns=SECOND_NS)
        begun = world.clock.now
        world.clock.now += 1
        await world.do(CreateScope("s", ROOT, "s"))
        await world.set("l", "333", scope_id="s")
        figures, revision = await world.engine.agents.statistics("a")
        assert (
            figures.record_counts[RecordKind.ENTRY],
            figures.counts["root_entries"],
            figures.record_counts[RecordKind.SCOPE],
            revision,
        ) == (2, 1, 1, 3)
        assert (figures.size_bytes, figures.oldest_time, figures.newest_time) == (7, begun, begun + 1)
        world.clock.now += SECOND_NS
        figures, _ = await world.engine.agents.statistics("a")
        assert (figures.record_counts[RecordKind.ENTRY], figures.counts["root_entries"], figures.size_bytes) == (
            1,
            0,
            4,
        )
        await world.do(ClearAgent())
        figures, _ = await world.engine.agents.statistics("a")
        assert (figures.record_counts[RecordKind.ENTRY], figures.oldest_time, figures.newest_time) == (0, None, None)


async def test_a_repeated_clear_or_end_returns_the_first_result() -> None:
    async with World() as world:
        agents = world.engine.agents
        await world.set("k")
        first = await world.do(ClearAgent(), write=request("c"))
        await world.set("k")
        assert await world.do(ClearAgent(), write=request("c")) == first
        ended = await agents.end("a", EndAgent(), request("e"), create_snapshot=False)
        assert ended[0].counts[RecordKind.ENTRY] == 1
        assert await agents.end("a", EndAgent(), request("e"), create_snapshot=False) == ended
        gone, _ = await agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=False)
        assert (gone.deleted, gone.counts, gone.revision) == (False, {}, ended[0].revision)


async def test_a_repeated_end_returns_the_first_snapshot() -> None:
    async with World() as world:
        agents = world.engine.agents
        await world.set("k")
        first = await agents.end("a", EndAgent(), request("e"), create_snapshot=True)
        assert first[1] is not None
        assert await agents.end("a", EndAgent(), request("e"), create_snapshot=True) == first
        await world.set("again")
        assert await agents.end("a", EndAgent(), request("e"), create_snapshot=True) == first
        assert list(world.repository.snapshots) == [first[1].snapshot_id]
        await world.engine.snapshots.delete(first[1].snapshot_id)
        assert await agents.end("a", EndAgent(), request("e"), create_snapshot=True) == (first[0], None)


async def test_the_snapshot_at_the_end_of_an_agent_has_all_its_records() -> None:
    async with World() as world:
        await world.set("k", "7")
        result, snapshot = await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=True)
        assert snapshot is not None
        assert (snapshot.trigger, snapshot.revision, result.revision) == ("end_agent", 1, 2)
        await world.engine.snapshots.restore(snapshot.snapshot_id)
        assert await world.value("k") == "7"


async def test_ending_an_unknown_agent_leaves_no_snapshot() -> None:
    async with World() as world:
        result, snapshot = await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=True)
        assert (result.deleted, snapshot) == (False, None)
        assert world.repository.snapshots == {}


async def test_the_snapshot_and_the_end_are_repeated_after_a_write_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        await world.set("k")
        create = world.engine.snapshots.create
        writes = ["late"]

        async def create_and_write(*arguments: object) -> SnapshotInfo:
            snapshot = await create(*arguments)  # type: ignore[arg-type]
            if writes:
                await world.set(writes.pop())
            return snapshot

        monkeypatch.setattr(world.engine.snapshots, "create", create_and_write)
        result, snapshot = await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=True)
        assert snapshot is not None
        assert (snapshot.revision, result.revision, result.counts[RecordKind.ENTRY]) == (2, 3, 2)
        assert len(world.repository.snapshots) == 1


async def test_an_end_with_a_snapshot_fails_under_continuous_writes_and_leaves_no_snapshot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        await world.set("k")
        create = world.engine.snapshots.create

        async def create_and_write(*arguments: object) -> SnapshotInfo:
            snapshot = await create(*arguments)  # type: ignore[arg-type]
            await world.set("late")
            return snapshot

        monkeypatch.setattr(world.engine.snapshots, "create", create_and_write)
        with pytest.raises(RevisionMismatch):
            await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=True)
        assert world.repository.snapshots == {}
        assert await world.value("k") == "1"


async def test_an_end_with_a_failed_precondition_leaves_no_snapshot() -> None:
    async with World() as world:
        await world.set("k")
        failing = Write(precondition=Precondition(expected_revision=7))
        with pytest.raises(RevisionMismatch):
            await world.engine.agents.end("a", EndAgent(), failing, create_snapshot=True)
        assert world.repository.snapshots == {}
        holding = Write(precondition=Precondition(expected_revision=1))
        assert (await world.engine.agents.end("a", EndAgent(), holding, create_snapshot=True))[0].revision == 2


async def test_a_repeated_end_with_a_snapshot_returns_the_first_result() -> None:
    async with World() as world:
        await world.set("k")
        first, _ = await world.engine.agents.end("a", EndAgent(), request("e"), create_snapshot=True)
        again, _ = await world.engine.agents.end("a", EndAgent(), request("e"), create_snapshot=True)
        assert again == first
        await world.set("anew")
        again, _ = await world.engine.agents.end("a", EndAgent(), request("e"), create_snapshot=True)
        assert again == first
        assert await world.value("anew") == "1"
        assert len(world.repository.snapshots) == 1
