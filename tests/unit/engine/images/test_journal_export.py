"""The export of the journal, and its replay on a base."""

import msgspec
import pytest
from tests.unit.engine.world import World

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import (
    DataDamaged,
    ForeignResumeToken,
    HistoryLost,
    InvalidResumeToken,
    RevisionCompacted,
)
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.lifecycle.record import encode
from memoryd_server.engine.agents.journal import RecordChange, decode_row
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, encode_resume
from memoryd_server.engine.images import journal_export
from memoryd_server.engine.images.content import content_of
from memoryd_server.engine.images.replay import Replay
from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.in_memory import InMemoryStore


@pytest.fixture(params=[False, True], ids=["embedded", "shared"])
def store(request: pytest.FixtureRequest) -> InMemoryStore:
    return InMemoryStore(3 if request.param else 1, is_shared=request.param)


async def token_of(world: World) -> str:
    async with world.engine.journal_export.segment("") as segment:
        assert segment.file is None
        return segment.end.end_token


async def rows_after(world: World, token: str) -> list[JournalRow]:
    """Return the rows of all segments up to the end."""
    rows: list[JournalRow] = []
    while True:
        async with world.engine.journal_export.segment(token) as segment:
            rows += segment.draft.rows if segment.draft is not None else []  # type: ignore[attr-defined]
            assert segment.start_token == token
            token = segment.end.end_token
            if segment.end.complete:
                return rows


async def change(world: World) -> None:
    await world.fill(["k", "l"], "2")
    await world.set("m", agent_id="b")
    await world.do(CreateScope("task", ROOT, world.new_id()), "c")
    await world.do(RemoveEntry(ROOT, "k"))
    await world.do(EndAgent(), "b")
    await world.set("n", agent_id="d")
    await world.do(EndAgent(), "d")
    await world.set("n", agent_id="d")


async def test_a_base_and_the_rows_after_it_lead_to_what_the_store_has(store: InMemoryStore) -> None:
    async with World(store=store) as world:
        await change(world)
        token, replay = await token_of(world), Replay()
        await change(world)
        async for agent in store.scan():
            replay.add_agent(agent)
        await change(world)
        for row in await rows_after(world, token):
            replay.add_row(row)
        found = {each.head.agent_id: content_of(each) for each in replay.agents()}
        assert found == {each.head.agent_id: content_of(each) async for each in store.scan()}
        assert found.keys() == {"a", "c", "d"}


async def test_a_row_in_between_that_is_missing_is_noticed(store: InMemoryStore) -> None:
    async with World(store=store) as world:
        token = await token_of(world)
        for number in range(3):
            await world.set("k", str(number))
        first, _, last = await rows_after(world, token)
        replay = Replay()
        replay.add_row(first)
        replay.add_row(first)
        with pytest.raises(DataDamaged, match="revision 2 of agent 'a' follows 1"):
            replay.add_row(last)


async def test_large_rows_end_a_segment_and_the_next_one_continues(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_export, "SEGMENT_BYTES_MAX", 1)
    monkeypatch.setattr(journal_export, "JOURNAL_READ_COMMITS_MAX", 2)
    async with World(store=store) as world:
        token = await token_of(world)
        for number in range(7):
            await world.set("k", str(number), agent_id=f"agent-{number}")
        async with world.engine.journal_export.segment(token) as segment:
            assert (segment.end.complete, segment.end.commit_count <= 2) == (False, True)
        assert len(await rows_after(world, token)) == 7


async def test_a_point_must_be_one_of_this_store(store: InMemoryStore) -> None:
    async with World(store=store) as world:
        await world.set("k")
        token = await token_of(world)
        shards = range(store.shard_count)
        ahead = encode_resume(store.store_id, ResumePoint(tuple(ShardPoint(shard, 99) for shard in shards)))
        other = encode_resume(store.store_id, ResumePoint((ShardPoint(7, 1),)))
        foreign = encode_resume("another", ResumePoint((ShardPoint(0, 1),)))
        refusals = {ahead: HistoryLost, other: InvalidResumeToken, foreign: ForeignResumeToken, "x": InvalidResumeToken}
        for each, refusal in refusals.items():
            with pytest.raises(refusal):
                await rows_after(world, each)
        assert await rows_after(world, token) == []
        await world.set("l")
        await store.prune_journal(0, 0)
        with pytest.raises(RevisionCompacted):
            await rows_after(world, token)


async def test_rows_of_a_version_that_recorded_no_changes_are_not_exported(store: InMemoryStore) -> None:
    async with World(store=store) as world:
        token = await token_of(world)
        await world.set("k")
        (row,) = await rows_after(world, token)
        old = encode(msgspec.structs.replace(decode_row(row), has_changes=False))
        await store.rewrite_journal("a", {row.position: old})
        with pytest.raises(RevisionCompacted):
            await rows_after(world, token)


@pytest.mark.parametrize("number", [1, -1])
async def test_a_row_that_names_an_event_which_it_does_not_have_is_damage(store: InMemoryStore, number: int) -> None:
    async with World(store=store) as world:
        token = await token_of(world)
        await world.set("k", "1")
        (row,) = await rows_after(world, token)
        changes = (RecordChange("entry", "k", number),)
        damaged = encode(msgspec.structs.replace(decode_row(row), changes=changes))
        with pytest.raises(DataDamaged, match="none of its events"):
            Replay().add_row(msgspec.structs.replace(row, data=damaged))
