"""Forgetting of users, over an engine: by a marker in each record of each kind."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import memory_draft, message_draft
from tests.unit.engine.erasure.marked import POLICY, SECRET, USER, records_of, removals, stored_data, write
from tests.unit.engine.journal_data import events, journal_data
from tests.unit.engine.remembering import create
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, request

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.conversations.conversation_change import (
    ConversationText,
    CreateConversation,
    UpdateConversation,
)
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.entities.entity_change import AddEntities
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.error import PageTokenExpired, RevisionMismatch, StoreUnavailable
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle import user_removal
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.lifecycle.user_removal import UserForgotten
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_change import (
    AddPlanStep,
    CreatePlan,
    PlanDraft,
    PlanStepDraft,
)
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.erasure.target import Target


async def forget(world: World, user_id: str = USER, write: Write = UNCONDITIONAL, **options: Any) -> UserForgotten:
    """Forget a user of agent a."""
    result, _, _ = await world.engine.agents.forget_user(
        "a", user_id, write, blocks_reimport=options.get("blocks_reimport", False)
    )
    return result


@pytest.fixture(params=["own", "shared"])
async def world(request: pytest.FixtureRequest) -> AsyncGenerator[World, None]:
    if request.param == "own":
        async with World() as made:
            yield made
    else:
        async with sharing(SharedStore(), 1) as (made,):
            yield made


async def test_the_records_of_these_tests_are_of_every_kind_and_each_holds_the_marker(world: World) -> None:
    await write(world, records_of(USER, SECRET))
    stored = await world.store.load("a")
    assert stored is not None
    found = {record.kind for record in stored.records if SECRET.encode() in record.data or record.kind == "embedding"}
    assert found == {name for part in PARTS for name in part.records} - {
        "reservation",  # a key and a token
        "lease",  # a token
        "link",  # ids
        "purge",  # an id and digests
        "erasure",  # digests
        "agent",  # no user's
        "due_ingestion",  # an id and a time
    }


async def test_nothing_of_a_forgotten_user_is_left_and_another_user_keeps_everything(world: World) -> None:
    await write(world, records_of("bob", "pLain", "b-"))
    kept = await world.store.load("a")
    await write(world, records_of(USER, SECRET))
    result = await forget(world)
    assert result.counts == {
        RecordKind.ENTRY: 3,
        RecordKind.SCOPE: 2,
        RecordKind.FRAGMENT: 1,
        RecordKind.MEMORY: 2,
        RecordKind.MEMORY_PROPOSAL: 1,
        RecordKind.NOTE: 1,
        RecordKind.PLAN: 1,
        RecordKind.PLAN_STEP: 2,
        RecordKind.CONVERSATION: 1,
        RecordKind.MESSAGE: 1,
        RecordKind.ENTITY_WINDOW: 1,
        RecordKind.ENTITY: 1,
        RecordKind.DOCUMENT: 1,
        RecordKind.DOCUMENT_CHUNK: 2,
    }
    left = await world.store.load("a")
    assert kept is not None
    assert left is not None
    assert sorted(left.records, key=str) == sorted(kept.records, key=str)
    data = await stored_data(world.store)
    assert (SECRET.encode() in data, b"pLain" in data, b"seCr" in data) == (False, True, False)
    assert await world.store.due_agents(world.clock.now, 9) == []


@pytest.mark.parametrize("way", ["one by one", "cleared", "ended"])
async def test_what_was_deleted_before_is_erased_too(world: World, way: str) -> None:
    await write(world, records_of(USER, SECRET))
    if way == "one by one":
        await write(world, removals())
    elif way == "cleared":
        await world.do(ClearAgent(frozenset(part.kind for part in PARTS)))
    else:
        await world.do(EndAgent())
    await write(world, records_of("bob", "pLain"))
    assert SECRET.encode() in await stored_data(world.store)
    kept = [event for event in await events(world.store) if b"pLain" in msgspec.msgpack.encode(event)]
    assert (await forget(world)).counts == {}
    data = await stored_data(world.store)
    assert (SECRET.encode() in data, b"seCr" in data) == (False, False)
    assert [event for event in await events(world.store) if b"pLain" in msgspec.msgpack.encode(event)] == kept


async def test_a_user_of_an_agent_that_has_ended_is_erased_from_its_journal(world: World) -> None:
    await write(world, records_of(USER, SECRET))
    await world.do(EndAgent())
    result = await forget(world)
    assert (result.counts, world.cache.peek("a").state.exists) == ({}, False)
    assert SECRET.encode() not in await stored_data(world.store)


async def test_forgetting_a_user_of_an_agent_that_never_was_changes_nothing(world: World) -> None:
    assert await forget(world) == UserForgotten({}, 0)
    assert await events(world.store) == []


async def test_a_repeated_request_returns_no_content_of_a_forgotten_user(world: World) -> None:
    commands = records_of(USER, SECRET)
    for number, command in enumerate(commands):
        await world.do(command, "a", request(str(number)))
    await world.do(CreateNote("other", "pLain", "pLain", "", 0.5), "a", request("other"))
    await forget(world)
    for number, command in enumerate(commands):
        again = await world.do(command, "a", request(str(number)))
        assert SECRET.encode() not in msgspec.msgpack.encode(again)
    kept = await world.do(CreateNote("other", "pLain", "pLain", "", 0.5), "a", request("other"))
    assert b"pLain" in msgspec.msgpack.encode(kept)


async def test_another_daemon_has_nothing_left_of_a_forgotten_user() -> None:
    async with sharing(SharedStore()) as (a, b):
        commands = records_of(USER, SECRET)
        for number, command in enumerate(commands):
            await b.do(command, "a", request(str(number)))
        await forget(a)
        await b.value("key")
        state = b.cache.peek("a").state
        assert {name: value.record_count for name, value in state.parts.items() if value.record_count} == {}
        for number, command in enumerate(commands):
            assert SECRET.encode() not in msgspec.msgpack.encode(await b.do(command, "a", request(str(number))))


async def test_each_removed_record_has_an_event_that_every_watcher_by_user_gets(world: World) -> None:
    await write(world, records_of(USER, SECRET))
    result = await forget(world)
    emitted = [event for event in await events(world.store) if event.revision == result.revision]
    assert emitted[-1].type is EventType.USER_FORGOTTEN
    assert {event.cause for event in emitted[:-1]} == {EventCause.USER_FORGOTTEN}
    assert Counter(event.type for event in emitted[:-1]) == Counter(
        [
            EventType.ENTRY_REMOVED,
            EventType.SCOPE_DISPOSED,
            EventType.SCOPE_DISPOSED,
            EventType.FRAGMENT_DELETED,
            EventType.MEMORY_PURGED,
            EventType.MEMORY_PURGED,
            EventType.MEMORY_PROPOSAL_DELETED,
            EventType.NOTE_DELETED,
            EventType.PLAN_DELETED,
            EventType.CONVERSATION_DELETED,
            EventType.ENTITY_WINDOW_DELETED,
            EventType.DOCUMENT_DELETED,
        ]
    )
    by_other_user = EventSelection((EventFilter(record=RecordFilter(user_ids=frozenset({"ann"}))),))
    assert all(by_other_user.keeps("a", event) for event in emitted)
    assert emitted[-1].subject.counts == result.counts


async def test_a_plan_and_a_window_without_a_user_go_with_the_users_conversation(world: World) -> None:
    await world.do(CreatePlan(PlanDraft("p", "talk", SECRET)))
    await world.do(AddPlanStep(PlanName("p"), PlanStepDraft(SECRET)))
    await world.do(AddEntities("talk", (EntityDraft("t", "e", SECRET),)))
    await world.do(CreatePlan(PlanDraft("q", "talk", "pLain", user_id="bob")))
    await world.do(AppendMessages("talk", (message_draft(SECRET),)))
    await world.do(UpdateConversation("talk", ConversationText(user_id=USER)))
    result = await forget(world)
    assert result.counts == {
        RecordKind.PLAN: 1,
        RecordKind.PLAN_STEP: 1,
        RecordKind.ENTITY_WINDOW: 1,
        RecordKind.ENTITY: 1,
        RecordKind.CONVERSATION: 1,
        RecordKind.MESSAGE: 1,
    }
    data = await stored_data(world.store)
    assert (SECRET.encode() in data, b"pLain" in data) == (False, True)


async def test_the_messages_of_a_conversation_that_became_another_users_stay(world: World) -> None:
    await world.do(CreateConversation("talk", USER, "pLain title"))
    await world.do(AppendMessages("talk", (message_draft("pLain message"),)))
    await world.do(UpdateConversation("talk", ConversationText(user_id="bob")))
    await forget(world)
    data = await journal_data(world.store)
    assert (USER.encode() in data, b"pLain message" in data) == (False, True)


async def test_a_user_who_comes_back_keeps_what_is_written_after(world: World) -> None:
    await write(world, records_of(USER, SECRET))
    await forget(world)
    await write(world, records_of(USER, "pLain"))
    await forget(world, "nobody")
    data = await journal_data(world.store)
    assert data.count(b"pLain again") >= 3
    assert len(await world.store.due_agents(world.clock.now, 9)) == 0
    state = world.cache.peek("a").state
    assert state.part(MEMORIES).memories["memory"].content == "pLain again"


async def test_a_disposed_scope_of_the_user_is_not_remembered(world: World) -> None:
    await world.do(CreateScope(SECRET, ROOT, "s", user_id=USER))
    await world.do(DisposeScope("s"))
    await forget(world)
    assert len(world.cache.peek("a").state.part(WORKING_MEMORY).disposed_scopes) == 0
    assert SECRET.encode() not in await stored_data(world.store)


async def test_forgotten_and_archived_memories_go_too_and_can_be_blocked(world: World) -> None:
    await world.do(CreateMemories((memory_draft(SECRET, USER, memory_id="m"),), "x", POLICY))
    await world.do(ForgetMemory("m", POLICY))
    await forget(world, blocks_reimport=True)
    (again,) = await create(world, memory_draft(SECRET, USER))
    assert again.outcome is CreateMemoryOutcome.BLOCKED
    assert SECRET.encode() not in await stored_data(world.store)


async def test_a_large_user_is_removed_in_several_revisions_with_one_result(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", 3)
    await write(world, records_of(USER, SECRET))
    before = world.cache.peek("a").state.revision
    result = await forget(world, write=request("forget"))
    assert sum(result.counts.values()) == 20
    assert result.revision > before + 2
    assert SECRET.encode() not in await stored_data(world.store)
    assert await forget(world, write=request("forget")) == result


async def test_the_precondition_holds_for_the_first_revision_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", 1)
    await write(world, records_of(USER, SECRET))
    revision = world.cache.peek("a").state.revision
    with pytest.raises(RevisionMismatch):
        await forget(world, write=Write(precondition=Precondition(expected_revision=revision - 1)))
    assert world.cache.peek("a").state.revision == revision
    result = await forget(world, write=Write(precondition=Precondition(expected_revision=revision)))
    assert sum(result.counts.values()) == 20


async def test_a_user_who_was_forgotten_before_is_not_looked_for_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write(world, records_of(USER, SECRET))
    await forget(world)
    await create(world, memory_draft("pLain", "bob", memory_id="m"))
    monkeypatch.setattr(Target, "add_user", lambda *_: pytest.fail("a user is looked for"))
    await world.do(PurgeMemory("m"))
    await world.engine.memories.erase("a")
    assert b"pLain" not in await journal_data(world.store)


async def _refuses(*_: object) -> int:
    raise StoreUnavailable


async def test_an_interrupted_erasure_is_completed_by_another_engine() -> None:
    store = SharedStore()
    async with World(store) as world:
        await write(world, records_of(USER, SECRET))
        rewriting, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await forget(world)
        store.rewrite_journal = rewriting  # type: ignore[method-assign]
    async with World(store) as again:
        await again.engine.maintenance.expire()
        assert SECRET.encode() not in await stored_data(store)
        assert len(again.cache.peek("a").state.part(ERASURES)) == 0
        assert await store.due_agents(again.clock.now, 9) == []


@pytest.mark.parametrize("rewrites", range(0, 40, 3))
async def test_an_erasure_that_stops_after_any_row_is_completed(rewrites: int) -> None:
    store = SharedStore()
    async with World(store) as world:
        await write(world, records_of(USER, SECRET))
        await write(world, removals())
        await write(world, records_of("bob", "pLain"))
        rewriting, left = store.rewrite_journal, rewrites

        async def rewrite_some(agent_id: str, rows: dict[int, bytes]) -> int:
            nonlocal left
            for position, data in rows.items():
                if not left:
                    raise StoreUnavailable
                left -= 1
                await rewriting(agent_id, {position: data})
            return len(rows)

        store.rewrite_journal = rewrite_some  # type: ignore[method-assign]
        try:
            await forget(world)
        except StoreUnavailable:
            store.rewrite_journal = rewriting  # type: ignore[method-assign]
            await world.engine.maintenance.expire()
        assert SECRET.encode() not in await stored_data(store)


async def test_a_removal_that_stands_still_is_continued(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", 3)
    await write(world, records_of(USER, SECRET))
    submit, calls = world.cache.submit, 0

    def submit_once(*args: Any) -> Awaitable[Any]:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise StoreUnavailable
        return submit(*args)

    monkeypatch.setattr(world.cache, "submit", submit_once)
    with pytest.raises(StoreUnavailable):
        await forget(world)
    monkeypatch.setattr(world.cache, "submit", submit)
    await world.engine.maintenance.expire()
    assert len(world.cache.peek("a").state.part(ERASURES)) == 1
    world.clock.now += 31 * SECOND_NS
    await world.engine.maintenance.expire()
    assert len(world.cache.peek("a").state.part(ERASURES)) == 0
    assert SECRET.encode() not in await stored_data(world.store)


async def test_an_agent_ends_after_its_erasures_are_complete() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (world,):
        await write(world, records_of(USER, SECRET))
        rewriting, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await forget(world)
        with pytest.raises(StoreUnavailable):
            await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=False)
        assert world.cache.peek("a").state.exists
        store.rewrite_journal = rewriting  # type: ignore[method-assign]
        await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=False)
        assert SECRET.encode() not in await stored_data(store)


async def test_two_users_who_are_forgotten_by_two_daemons_at_once_are_both_erased() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await write(a, [*records_of(USER, SECRET), *records_of("max-hidden", "hiDden", "m-")])
        await create(a, memory_draft(f"{SECRET} alike", USER), memory_draft("hiDden alike", "max-hidden"))
        rewriting, is_held, may_go_on = store.rewrite_journal, asyncio.Event(), asyncio.Event()

        async def rewrite_late(agent_id: str, rows: dict[int, bytes]) -> int:
            if not is_held.is_set():
                is_held.set()
                await may_go_on.wait()
            return await rewriting(agent_id, rows)

        store.rewrite_journal = rewrite_late  # type: ignore[method-assign]
        late = asyncio.create_task(forget(a))
        await is_held.wait()
        await forget(b, "max-hidden")
        may_go_on.set()
        await late
        data = await stored_data(store)
        assert (SECRET.encode() in data, b"hiDden" in data) == (False, False)


async def test_listings_of_other_agents_go_on_when_a_user_is_forgotten(world: World) -> None:
    for agent in ("a", "b"):
        await world.do(CreateNote("n1", "Title", SECRET, "", 0.5, USER), agent)
        await world.do(CreateNote("n2", "Title", "Text", "", 0.5), agent)
    first = await world.engine.collections.list("b", NOTE, PageRequest(b"listing1", 1, ""))
    await world.do(CreateNote("n3", "Title", "Text", "", 0.5), "b")
    await forget(world)
    rest = await world.engine.collections.list("b", NOTE, PageRequest(b"listing1", 9, first.next_page_token))
    assert len(rest.items) == 1


async def test_a_later_page_of_a_listing_has_nothing_of_a_forgotten_user(world: World) -> None:
    for number in range(3):
        await world.do(CreateNote(f"n{number}", SECRET, SECRET, "", 0.5, USER))
    first = await world.engine.collections.list("a", NOTE, PageRequest(b"listing1", 1, ""))
    assert first.items[0].content == SECRET
    await forget(world)
    with pytest.raises(PageTokenExpired):
        await world.engine.collections.list("a", NOTE, PageRequest(b"listing1", 1, first.next_page_token))
