"""Removals that erase: by a marker in each record of each kind."""

import gc
from collections.abc import AsyncGenerator, Sequence
from types import FunctionType, ModuleType
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import message_draft
from tests.unit.engine.erasure.marked import SECRET, records_of, removals, stored_data, write
from tests.unit.engine.journal_data import events, journal_data
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, draft, request

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.commit import CommitWrites
from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.conversations.conversation_change import DeleteConversation
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.entities.entity_change import ClearEntities
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    RemoveEntry,
    RemoveOperation,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.error import RevisionMismatch, StoreUnavailable
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment_change import DeleteFragment
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle import erasing
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, ClearAgent, EndAgent
from memoryd_server.domain.lifecycle.erasing import Erase, Erased
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_change import (
    AddPlanStep,
    CreatePlan,
    PlanDraft,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    UpdatePlanStep,
)
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write

ONE_BY_ONE = [each for each in removals() if not isinstance(each, DeleteConversation)]
"""The conversation is deleted with what belongs to it, so that each record is erased by its own removal."""


async def erase(world: World, command: Command, write: Write = UNCONDITIONAL, agent: str = "a") -> Erased[Any]:
    """Execute a command, and erase what it removes."""
    erased = await world.do(Erase(command, new_id()), agent, write)
    (completed,) = await world.engine.erasures.complete(agent, [erased], command.removed_paths(erased.result))
    return completed


async def holds(world: World, marker: str) -> bool:
    """Return True if the store has a marker, in records or in the journal."""
    return marker.encode() in await stored_data(world.store)


@pytest.fixture(params=["own", "shared"])
async def world(request: pytest.FixtureRequest) -> AsyncGenerator[World, None]:
    if request.param == "own":
        async with World() as made:
            yield made
    else:
        async with sharing(SharedStore(), 1) as (made,):
            yield made


WAYS: dict[str, Sequence[Command]] = {
    "one by one": [*ONE_BY_ONE, DeleteConversation("talk")],
    "cleared": [ClearAgent(CLEARABLE)],
}


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_of_what_is_erased_is_left_and_other_records_keep_everything(world: World, way: str) -> None:
    other = records_of("bob", "pLain", "b-")
    if way == "one by one":
        await write(world, other)
    await write(world, records_of("zoe", SECRET))
    before = [event for event in await events(world.store) if b"pLain" in msgspec.msgpack.encode(event)]
    for command in WAYS[way]:
        await erase(world, command)
    data = await stored_data(world.store)
    assert (SECRET.encode() in data, b"seCr" in data) == (False, False)
    assert [event for event in await events(world.store) if b"pLain" in msgspec.msgpack.encode(event)] == [
        event for event in before if not event.type.name.startswith("FRAGMENT")
    ]
    assert await world.store.due_agents(world.clock.now, 9) == []


@pytest.mark.parametrize("way", WAYS)
async def test_what_was_removed_before_is_erased_by_its_name(world: World, way: str) -> None:
    await write(world, records_of("zoe", SECRET))
    await write(world, removals())
    assert await holds(world, SECRET)
    for command in WAYS[way]:
        await erase(world, command)
    assert not await holds(world, SECRET)


async def test_an_erased_agent_leaves_nothing(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    await world.do(UpdateAgent(AgentPatch(display_name=SECRET)), "a", request("describe"))
    await write(world, records_of("bob", "pLain"), "b")
    erased = await world.engine.agents.end_erased("a", request("end"))
    assert erased.result.deleted
    assert erased.counts[RecordKind.ENTRY] == 3
    assert erased.journal_rows > 10
    assert not await holds(world, SECRET)
    assert b"pLain" in await journal_data(world.store, "b")
    assert [event.type for event in await events(world.store) if event.cause is EventCause.ERASED][-1] is (
        EventType.AGENT_ENDED
    )
    assert await world.engine.agents.end_erased("a", request("end")) == erased
    await world.do(SetEntry(ROOT, draft("k", '"pLain"'), "e"))
    assert world.cache.peek("a").state.revision > erased.revision


async def test_an_agent_that_has_ended_is_erased(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    await world.do(EndAgent())
    erased = await world.engine.agents.end_erased("a", UNCONDITIONAL)
    assert (erased.result.deleted, erased.counts) == (False, {})
    assert not await holds(world, SECRET)


async def test_a_record_of_an_agent_that_has_ended_is_erased(world: World) -> None:
    await world.do(SetEntry(ROOT, draft("k", f'"{SECRET}"'), "e"))
    await world.do(EndAgent())
    erased = await erase(world, RemoveEntry(ROOT, "k"))
    assert (erased.result.deleted, erased.journal_rows) == (False, 1)
    assert not await holds(world, SECRET)
    assert not world.cache.peek("a").state.exists


async def test_an_agent_that_never_was_is_not_created(world: World) -> None:
    erased = await erase(world, RemoveEntry(ROOT, "k"))
    assert (erased.counts, erased.journal_rows, erased.revision) == ({}, 0, 0)
    assert not (await world.engine.agents.end_erased("a", UNCONDITIONAL)).result.deleted
    assert await events(world.store) == []


async def test_the_precondition_of_the_end_holds_for_the_agent_as_the_caller_knew_it(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    revision = world.cache.peek("a").state.revision
    with pytest.raises(RevisionMismatch):
        await world.engine.agents.end_erased("a", Write(precondition=Precondition(expected_revision=revision - 1)))
    assert world.cache.peek("a").state.revision == revision
    ending = await world.engine.agents.end_erased("a", Write(precondition=Precondition(expected_revision=revision)))
    assert ending.result.deleted


async def test_a_record_that_is_made_again_keeps_what_is_written_after(world: World) -> None:
    await world.do(SetEntry(ROOT, draft("k", f'"{SECRET}"'), "e"), "a", request("first"))
    await erase(world, RemoveEntry(ROOT, "k"))
    await world.do(SetEntry(ROOT, draft("k", '"pLain"'), "f"), "a", request("second"))
    await erase(world, RemoveEntry(ROOT, "other"))
    assert (await holds(world, SECRET), await holds(world, "pLain")) == (False, True)


async def test_what_a_batch_removes_is_erased_and_what_it_sets_stays(world: World) -> None:
    for key in ("k", "l"):
        await world.do(SetEntry(ROOT, draft(key, f'"{SECRET}"'), key))
    batch = WriteEntries(ROOT, (RemoveOperation("k"), RemoveOperation("l"), SetOperation(draft("m", '"pLain"'))), "b")
    erased = await erase(world, batch)
    assert erased.counts == {RecordKind.ENTRY: 2}
    assert (await holds(world, SECRET), await holds(world, "pLain")) == (False, True)


async def test_the_entries_of_one_scope_are_erased_and_not_those_below_it(world: World) -> None:
    await world.do(CreateScope("name", ROOT, "s"))
    await world.do(CreateScope("inner", "s", "t"))
    await world.do(SetEntry("s", draft("k", f'"{SECRET}"'), "e"))
    await world.do(SetEntry("t", draft("k", '"pLain"'), "f"))
    await world.do(SetEntry(ROOT, draft("k", '"pLain too"'), "g"))
    await erase(world, ClearEntries("s"))
    data = await stored_data(world.store)
    assert (SECRET.encode() in data, data.count(b"pLain") > 3) == (False, True)


async def test_the_name_of_a_scope_is_erased_also_if_it_was_disposed_before(world: World) -> None:
    await world.do(CreateScope(SECRET, ROOT, "s"))
    await world.do(CreateScope(SECRET, "s", "t"))
    await world.do(SetEntry("t", draft("k", '"v"'), "e"))
    await world.do(CreateScope(SECRET, ROOT, "u"))
    await world.do(DisposeScope("s"))
    revision = world.cache.peek("a").state.revision
    for scope_id in ("s", "t"):
        assert not (await erase(world, DisposeScope(scope_id))).result.deleted
    assert world.cache.peek("a").state.revision == revision
    assert (await erase(world, DisposeScope("u"))).counts == {RecordKind.SCOPE: 1}
    assert not await holds(world, SECRET)
    assert set(world.cache.peek("a").state.part(WORKING_MEMORY).disposed_scopes) == {"s", "t", "u"}


async def test_a_step_is_erased_and_its_plan_stays(world: World) -> None:
    steps = (PlanStepDraft(SECRET, notes=SECRET), PlanStepDraft("pLain"))
    await world.do(CreatePlan(PlanDraft("p", "talk", "pLain goal", steps)), "a", request("create"))
    await world.do(UpdatePlanStep(PlanName("p"), "1", PlanStepPatch(notes=f"{SECRET} again")), "a", request("update"))
    await world.do(AddPlanStep(PlanName("p"), PlanStepDraft(SECRET)), "a", request("add"))
    for step_id in ("1", "3"):
        erased = await erase(world, RemovePlanStep(PlanName(conversation_id="talk"), step_id))
        assert erased.counts == {RecordKind.PLAN_STEP: 1}
    data = await journal_data(world.store)
    assert (SECRET.encode() in data, b"pLain goal" in data, data.count(b"pLain") > 2) == (False, True, True)
    again = await world.do(CreatePlan(PlanDraft("p", "talk", "pLain goal", steps)), "a", request("create"))
    assert SECRET.encode() not in msgspec.msgpack.encode(again)


async def test_truncated_messages_are_erased_and_those_before_them_stay(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "ERASED_PATHS_MAX", 1)
    await world.do(AppendMessages("talk", (message_draft("pLain", message_id="m0"),)))
    for number in range(3):
        await world.do(AppendMessages("talk", (message_draft(SECRET, message_id=f"m{number + 1}"),)))
    erased = await erase(world, TruncateMessages("talk", from_number=2))
    assert erased.counts == {RecordKind.MESSAGE: 3}
    data = await journal_data(world.store)
    assert (SECRET.encode() in data, b"pLain" in data) == (False, True)


async def test_the_windows_of_a_conversation_are_erased_with_it_if_the_request_says_so(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    await write(world, removals())
    await erase(world, DeleteConversation("talk", include_plans=True, include_entities=True))
    kinds = {type(event.subject).__name__ for event in await events(world.store) if SECRET in str(event.subject)}
    assert not kinds & {"Conversation", "ConversationMessage", "EntityWindow"}
    await erase(world, ClearEntities())


async def test_the_fragment_of_a_purged_memory_is_erased_and_not_one_that_exists(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    await erase(world, PurgeMemory("memory"))
    assert await holds(world, SECRET)
    fragment_id = next(
        each.subject.fragment_id for each in await events(world.store) if each.type is EventType.FRAGMENT_CREATED
    )
    assert (await erase(world, DeleteFragment(fragment_id))).counts == {RecordKind.FRAGMENT: 1}
    assert not any(
        SECRET in str(event.subject) for event in await events(world.store) if event.type.name.startswith("FRAGMENT")
    )


async def test_all_writes_of_a_commit_that_erase_are_erased_and_the_others_are_not(world: World) -> None:
    await world.do(SetEntry(ROOT, draft("k", f'"{SECRET}"'), "e"))
    await world.do(CreateNote("n", SECRET, SECRET, "", 0.5))
    await world.do(CreateNote("m", "pLain", "pLain", "", 0.5))
    removing, deleting = RemoveEntry(ROOT, "k"), DeleteNote("n")
    writes = (Erase(removing, new_id()), DeleteNote("m"), Erase(deleting, new_id()))
    done = await world.do(CommitWrites(writes), "a", request("commit"))
    erased = [each for each in done.results if isinstance(each, Erased)]
    completed = await world.engine.erasures.complete("a", erased, ())
    assert [each.counts for each in completed] == [{RecordKind.ENTRY: 1}, {RecordKind.NOTE: 1}]
    assert (await holds(world, SECRET), await holds(world, "pLain")) == (False, True)
    again = await world.do(CommitWrites(writes), "a", request("commit"))
    assert again.revision == done.revision


async def test_a_repeated_request_returns_the_same_receipt(world: World) -> None:
    await world.do(SetEntry(ROOT, draft("k", f'"{SECRET}"'), "e"), "a", request("set"))
    await world.do(SetEntry(ROOT, draft("k", f'"{SECRET} too"'), "e"), "a", request("set again"))
    first = await erase(world, RemoveEntry(ROOT, "k"), request("remove"))
    assert (first.counts, first.journal_rows) == ({RecordKind.ENTRY: 1}, 2)
    assert await erase(world, RemoveEntry(ROOT, "k"), request("remove")) == first


async def test_a_repeated_request_returns_no_erased_content(world: World) -> None:
    commands = records_of("zoe", SECRET)
    for number, command in enumerate(commands):
        await world.do(command, "a", request(str(number)))
    for command in WAYS["one by one"]:
        await erase(world, command)
    for number, command in enumerate(commands):
        again = await world.do(command, "a", request(str(number)))
        assert SECRET.encode() not in msgspec.msgpack.encode(again)


async def test_the_event_of_an_erased_record_says_nothing_and_passes_every_filter_of_records(world: World) -> None:
    await world.do(CreateNote("n", SECRET, SECRET, "", 0.5, SECRET, (SECRET,)))
    await erase(world, DeleteNote("n"))
    (event,) = [each for each in await events(world.store) if each.type is EventType.NOTE_DELETED]
    assert (event.cause, event.subject.note_id, event.subject.user_id) == (EventCause.ERASED, "n", "")
    by_user = EventSelection((EventFilter(record=RecordFilter(user_ids=frozenset({"ann"}))),))
    assert by_user.keeps("a", event)


async def test_another_daemon_has_nothing_left_of_erased_records() -> None:
    async with sharing(SharedStore()) as (a, b):
        commands = records_of("zoe", SECRET)
        for number, command in enumerate(commands):
            await b.do(command, "a", request(str(number)))
        for command in WAYS["one by one"]:
            await erase(a, command)
        await b.value("key")
        state = b.cache.peek("a").state
        assert {name: value.record_count for name, value in state.parts.items() if value.record_count} == {
            WORKING_MEMORY.name: 2  # the disposed scopes, of which the ids are remembered
        }
        for number, command in enumerate(commands):
            assert SECRET.encode() not in msgspec.msgpack.encode(await b.do(command, "a", request(str(number))))


async def _refuses(*_: object) -> int:
    raise StoreUnavailable


@pytest.mark.parametrize("ends", [False, True])
async def test_an_interrupted_erasure_is_completed_by_another_engine(ends: bool) -> None:
    store = SharedStore()
    async with World(store) as world:
        await write(world, records_of("zoe", SECRET))
        rewriting, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        agents = world.engine.agents
        calling = agents.end_erased("a", request("end")) if ends else erase(world, ClearAgent(CLEARABLE))
        with pytest.raises(StoreUnavailable):
            await calling
        store.rewrite_journal = rewriting  # type: ignore[method-assign]
    async with World(store) as again:
        again.clock.now += 3_600_000_000_000
        await again.engine.maintenance.expire()
        assert SECRET.encode() not in await stored_data(store)
        state = (await again.cache.current("a")).state
        assert (state.exists, len(state.part(ERASURES))) == (not ends, 0)
        assert await store.due_agents(again.clock.now, 9) == []


async def test_an_agent_that_is_written_to_while_it_is_erased_ends_without_that_as_well() -> None:
    store = SharedStore()
    async with World(store) as world:
        await world.do(SetEntry(ROOT, draft("k", f'"{SECRET}"'), "e"))
        rewriting, left = store.rewrite_journal, 2

        async def rewrite(agent_id: str, rows: dict[int, bytes]) -> int:
            nonlocal left
            if left:
                left -= 1
                await world.do(SetEntry(ROOT, draft(f"k{left}", f'"{SECRET}"'), "e"))
            return await rewriting(agent_id, rows)

        store.rewrite_journal = rewrite  # type: ignore[method-assign]
        erased = await world.engine.agents.end_erased("a", UNCONDITIONAL)
        assert (erased.result.deleted, erased.counts) == (True, {RecordKind.ENTRY: 3})
        assert SECRET.encode() not in await stored_data(store)


async def test_every_kind_of_record_is_in_these_tests(world: World) -> None:
    await write(world, records_of("zoe", SECRET))
    stored = await world.store.load("a")
    assert stored is not None
    without_content = {"reservation", "lease", "link", "purge", "erasure", "agent", "due_ingestion"}
    names = {name for part in PARTS for name in part.records}
    assert {record.kind for record in stored.records} | without_content == names


def held(root: object, but: object) -> set[str]:
    """Return the texts and bytes with the marker that can be reached from an object, but not from another one."""
    found, seen, pending = set[str](), {id(but)}, [root]
    while pending:
        each = pending.pop()
        if isinstance(each, msgspec.Struct):
            parts: list[Any] = [getattr(each, name) for name in each.__struct_fields__]
        elif isinstance(each, (type, ModuleType)):
            continue
        else:
            parts = gc.get_referents(each)
        for part in parts:
            if isinstance(part, str | bytes | bytearray):
                text = part if isinstance(part, str) else part.decode("latin-1")
                if SECRET in text:
                    found.add(f"{type(each).__name__}: {text[:80]}")
            elif id(part) not in seen and not isinstance(part, FunctionType):
                seen.add(id(part))
                pending.append(part)
    return found


async def test_no_object_of_the_engine_holds_what_is_erased(world: World) -> None:
    engine = world.engine
    for number, command in enumerate(records_of("zoe", SECRET)):
        await world.do(command, "a", request(str(number)))
    await engine.memories.list("a", RecordFilter(), PageRequest(b"", 1, ""))
    await engine.collections.list("a", NOTE, PageRequest(b"", 1, ""))
    parts = (engine.cache, engine.hub, engine.leftovers, engine.memories, engine.documents, engine.fragments)
    assert held(parts, world.store)
    for command in WAYS["one by one"]:
        await erase(world, command)
    assert held(parts, world.store) == set()
