import asyncio
from typing import Any

import pytest
from tests.unit.domain.sample import Agent
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.limit import PREVIOUS_BYTES_MAX, STEP_DESCRIPTION_BYTES_MAX, STEPS_PER_PLAN_MAX
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CreatePlan,
    DeletePlan,
    MovePlanStep,
    PlanDraft,
    PlanPatch,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    UpdatePlan,
    UpdatePlanStep,
)
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.watching.events import EventListing

OF_A = EventSelection((EventFilter(AgentPatterns.of({"a"})),))


async def previous(world: World) -> list[Any]:
    """Return the record before the change of each event of agent "a"."""
    page = await world.engine.events.page(EventListing(OF_A), PageRequest(digest("events"), 100, ""))
    found = await world.engine.events.previous_records(OF_A).find("a", [event for _, event in page.events])
    # Whether the events before are among those of the page or read from the store.
    assert found == await world.engine.events.previous_records(OF_A, page.events).find(
        "a", [event for _, event in page.events]
    )
    return found


async def test_the_record_before_a_change_is_that_of_the_event_before() -> None:
    async with World() as world:
        first = await world.set("k", "1")
        second = await world.set("k", "2")
        await world.do(RemoveEntry(ROOT, "k"))
        await world.set("k", "3")
        found = await previous(world)
    assert [each and each.value_json for each in found] == [None, "1", "2", None]
    assert [each.revision for each in found[1:3]] == [first.revision, second.revision]


async def test_the_store_is_not_asked_for_what_the_page_has(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        for value in "123":
            await world.set("k", value)
        page = await world.engine.events.page(EventListing(OF_A), PageRequest(digest("events"), 100, ""))
        events = [event for _, event in page.events]

        async def asked(*_: Any) -> None:
            raise AssertionError

        monkeypatch.setattr(world.store, "locate", asked)
        found = await world.engine.events.previous_records(OF_A, page.events).find("a", events)
        assert [each and each.value_json for each in found] == [None, "1", "2"]
        # Of the events of a commit about the record, these may be some: the last one is in the journal.
        some = EventSelection((EventFilter(event_types=frozenset({EventType.ENTRY_SET})),))
        with pytest.raises(AssertionError):
            await world.engine.events.previous_records(some, page.events).find("a", events)


async def test_changes_of_one_commit_follow_each_other() -> None:
    async with World() as world:
        await asyncio.gather(*(world.set("k", value) for value in "123"))
        found = await previous(world)
    assert [each and each.value_json for each in found] == [None, "1", "2"]


async def test_a_scope_that_ends_was_the_one_that_was_created() -> None:
    async with World() as world:
        await world.do(CreateScope("name", ROOT, "s"))
        await world.do(DisposeScope("s"))
        created, disposed = await previous(world)
    assert (created, disposed.name) == (None, "name")


async def test_a_step_was_as_the_event_before_left_it_be_it_the_plans_or_its_own() -> None:
    plan, draft = PlanName("p"), PlanStepDraft("x" * STEP_DESCRIPTION_BYTES_MAX)
    async with World() as world:
        await world.do(CreatePlan(PlanDraft("p", "c", "goal", (draft,) * (STEPS_PER_PLAN_MAX - 1))))
        await world.do(UpdatePlanStep(plan, "1", PlanStepPatch(notes="n")))
        await world.do(MovePlanStep(plan, "1"))
        await world.do(AddPlanStep(plan, PlanStepDraft("new")))
        await world.do(RemovePlanStep(plan, "200"))
        found = await previous(world)
    assert [each and (each.step_id, len(each.description), each.notes) for each in found] == [
        None,
        ("1", STEP_DESCRIPTION_BYTES_MAX, ""),
        ("1", 0, "n"),
        None,
        ("200", 3, ""),
    ]


async def test_a_plan_was_as_its_own_event_before_left_it_which_has_what_changed_then() -> None:
    plan = PlanName("p")
    async with World() as world:
        await world.do(CreatePlan(PlanDraft("p", "c", "goal", (PlanStepDraft("a"),))))
        await world.do(UpdatePlan(plan, PlanPatch(goal="new")))
        await world.do(UpdatePlan(plan, PlanPatch(tags=("t",))))
        await world.do(AddPlanNote(plan, "n"))
        await world.do(DeletePlan("p"))
        found = await previous(world)
    assert [each and (each.goal, len(each.steps)) for each in found] == [None, ("goal", 1), ("new", 0), None, None]


async def test_a_step_was_as_a_restore_left_it() -> None:
    plan, agent = PlanName("p"), Agent()
    agent.do(CreatePlan(PlanDraft("p", "c", "goal", (PlanStepDraft("a"),))))
    async with World() as world:
        await world.do(CreatePlan(PlanDraft("p", "c", "other", (PlanStepDraft("b"),))))
        await world.do(RestoreAgent(agent.image(), "snapshot"))
        await world.do(UpdatePlanStep(plan, "1", PlanStepPatch(notes="n")))
        *_, found = await previous(world)
    assert (found.description, found.revision) == ("a", 2)


async def test_a_record_whose_event_was_pruned_is_not_found() -> None:
    async with World() as world:
        await world.set("k", "1")
        await world.set("k", "2")
        await world.set("k", "3")
        await world.store.prune_journal(2, 0)
        page = await world.engine.events.page(EventListing(EventSelection()), PageRequest(digest("events"), 100, ""))
        found = await world.engine.events.previous_records(EventSelection()).find(
            "a", [event for _, event in page.events]
        )
    assert [each and each.value_json for each in found] == [None, "2"]


async def test_records_before_changes_are_found_up_to_a_size() -> None:
    async with World() as world:
        value = '"' + "x" * (PREVIOUS_BYTES_MAX // 2) + '"'
        for key in ("a", "b", "a", "b"):
            await world.set(key, value)
        found = await previous(world)
    assert [each is not None for each in found] == [False, False, True, False]


async def test_another_daemon_finds_the_same_records() -> None:
    store = SharedStore()
    async with World(store) as one, World(store) as other:
        await one.set("k", "1")
        await one.set("k", "2")
        assert [each and each.value_json for each in await previous(other)] == [None, "1"]
