from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.plans.plan_sample import CURRENT, P, create, current, plan, steps, subjects, update
from tests.unit.domain.random_record import random_plan_command
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, at
from tests.unit.record_filters import of_events

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.error import (
    PlanEnded,
    QuotaExceeded,
    RecordExists,
    RecordNotFound,
    Refusal,
    RevisionMismatch,
    TooLarge,
)
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, STEPS_PER_PLAN_MAX, Limits
from memoryd_server.domain.plans.plan import PART_BYTES, Plan, PlanName, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CompletePlan,
    CreatePlan,
    DeletePlan,
    MovePlanStep,
    PlanDraft,
    PlanPatch,
    PlanStarted,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    ReopenPlan,
    UpdatePlan,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_subject import PlanSubject
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import RecordFilter

LOST_PLAN = {"kind": "plan", "record_id": "lost"}
LOST_STEP = {"kind": "plan_step", "record_id": "9", "plan_id": "p"}


def test_a_new_plan_is_the_current_one_with_its_steps() -> None:
    agent = Agent()
    drafts = (PlanStepDraft("a"), PlanStepDraft("b", PlanStepStatus.COMPLETED, "done"))
    draft = PlanDraft("p", "c", "göal", drafts, (), "ann", ("t",), '{"a":1}')
    made_steps = (
        PlanStep("1", "a", PlanStepStatus.PENDING, "", NOW, NOW, 1),
        PlanStep("2", "b", PlanStepStatus.COMPLETED, "done", NOW, NOW, 1),
    )
    size = len("c" + "ann" + "t" + '{"a":1}') + len("göal".encode()) + 2 * PART_BYTES + len("a" + "b" + "done")
    fields = ("p", "c", "ann", "göal", made_steps, (), ("t",), '{"a":1}', PlanStatus.IN_PROGRESS)
    made = Plan(*fields, NOW, NOW, None, 3, 1, 1, size)
    assert agent.do(CreatePlan(draft)) == PlanStarted(made, changed=True, revision=1)
    assert (current(agent), agent.state.size_bytes, agent.state.record_count) == ("p", size, 3)
    assert subjects(agent) == [(EventType.PLAN_CREATED, made)]


def test_another_plan_replaces_the_current_one_which_stays_as_history() -> None:
    agent = Agent()
    create(agent)
    agent.now += SECOND_NS
    agent.events = []
    assert create(agent, "q").replaced_plan_id == "p"
    assert current(agent) == "q"
    before = plan(agent)
    assert (before.status, before.end_time, before.update_time, before.revision) == (
        PlanStatus.REPLACED,
        agent.now,
        agent.now,
        2,
    )
    assert [(each.type, each.cause) for each in agent.events] == [
        (EventType.PLAN_UPDATED, EventCause.REQUEST),
        (EventType.PLAN_CREATED, EventCause.REQUEST),
    ]
    assert agent.events[0].subject == PlanSubject(before.without_content())
    assert (agent.events[0].changed, agent.events[0].previous_revision) == (("status", "end_time"), 1)


def test_plans_of_other_conversations_and_templates_stay_as_they_are() -> None:
    agent = Agent()
    create(agent, "template", "")
    create(agent, "other", "d")
    assert create(agent).replaced_plan_id == ""
    assert create(agent, "template2", "").replaced_plan_id == ""
    assert (current(agent), current(agent, "d"), current(agent, "")) == ("p", "other", None)
    assert plan(agent, "template").status is PlanStatus.IN_PROGRESS


def test_an_id_is_given_once_whatever_the_conversation() -> None:
    agent = Agent()
    create(agent)
    with pytest.raises(RecordExists) as refused:
        create(agent, conversation_id="d")
    assert refused.value.metadata == {"kind": "plan", "record_id": "p", "revision": "1"}


def test_steps_of_templates_come_first_pending_and_without_notes() -> None:
    agent = Agent()
    create(agent, "t1", "", "ab", goal="first")
    create(agent, "t2", "d", "c", goal="second")
    update(agent, PlanName("t1"), "1", status=PlanStepStatus.COMPLETED, notes="notes")
    agent.do(AddPlanNote(PlanName("t2"), "learned"))
    agent.do(CompletePlan(PlanName("t2")))
    agent.now += SECOND_NS
    made = create(agent, steps="d", goal="", template_plan_ids=("t1", "t2")).record
    assert isinstance(made, Plan)
    assert steps(agent) == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]
    assert {(step.status, step.notes, step.update_time) for step in made.steps} == {
        (PlanStepStatus.PENDING, "", agent.now)
    }
    assert (made.goal, made.notes, made.next_step_number) == ("first", (), 5)
    assert create(agent, "q", template_plan_ids=("t2",), goal="own").record.goal == "own"


def test_a_missing_template_raises_not_found_and_nothing_is_replaced() -> None:
    agent = Agent()
    create(agent)
    with pytest.raises(RecordNotFound) as refused:
        create(agent, "q", template_plan_ids=("p", "lost"))
    assert refused.value.metadata == {"agent_id": "a", "kind": "plan", "record_id": "lost"}
    assert current(agent) == "p"


def test_a_precondition_is_about_the_plan_that_is_to_be_replaced() -> None:
    agent = Agent()
    create(agent, "template", "")
    with pytest.raises(RevisionMismatch) as none:
        create(agent, precondition=at(1))
    assert none.value.metadata == {"expected_revision": "1", "actual_revision": "0"}
    create(agent, precondition=at(0))
    with pytest.raises(RecordExists) as exists:
        create(agent, "q", precondition=MUST_NOT_EXIST)
    assert exists.value.metadata == {"kind": "plan", "record_id": "p", "revision": "2", "conversation_id": "c"}
    with pytest.raises(RecordNotFound) as missing:
        create(agent, "q", conversation_id="d", precondition=Precondition(must_exist=True))
    assert missing.value.metadata == {"agent_id": "a", "kind": "plan", "conversation_id": "d"}
    assert missing.value.message == "agent 'a' has no plan of conversation 'd'"
    with pytest.raises(RevisionMismatch):
        create(agent, "q", precondition=at(0))
    create(agent, "q", precondition=at(2))
    agent.do(CompletePlan(CURRENT))
    create(agent, "r", precondition=MUST_NOT_EXIST)
    assert current(agent) == "r"


def test_a_plan_changes_in_what_is_named() -> None:
    agent = Agent()
    before = create(agent, steps="a", tags=("old",)).record
    agent.now += SECOND_NS
    done = agent.do(UpdatePlan(CURRENT, PlanPatch(goal="new", metadata_json='{"a":1}')))
    after = plan(agent)
    assert (after.goal, after.tags, after.metadata_json, after.steps) == ("new", ("old",), '{"a":1}', before.steps)
    assert (after.update_time, after.revision, after.create_time) == (agent.now, 2, NOW)
    assert after.size_bytes == before.size_bytes + len('new{"a":1}') - len("goal")
    assert done == RecordPut(after, changed=True, revision=2)
    assert agent.do(UpdatePlan(P, PlanPatch("new", ("old",)))) == RecordPut(after, changed=False, revision=2)
    agent.do(UpdatePlan(P, PlanPatch(tags=(), metadata_json="")))
    assert (plan(agent).goal, plan(agent).tags, plan(agent).metadata_json) == ("new", (), "")


def test_events_of_plans_steps_and_notes_are_selected_by_their_conversation_and_user() -> None:
    agent = Agent()
    create(agent, steps="ab", user_id="ann")
    update(agent, P, "1", notes="n")
    agent.do(AddPlanNote(P, "n"))
    agent.do(UpdatePlan(P, PlanPatch(goal="new")))
    agent.do(DeletePlan("p"))
    assert len(agent.events) == 5
    for owners, kept in (
        ({"conversation_ids": {"c"}}, 5),
        ({"user_ids": {"ann"}}, 5),
        ({"conversation_ids": {"other"}}, 0),
        ({"user_ids": {"bob", ""}}, 0),
        ({"kinds": {RecordKind.PLAN}}, 4),
        ({"kinds": {RecordKind.PLAN_STEP}}, 1),
    ):
        fields: dict[str, Any] = {name: frozenset(ids) for name, ids in owners.items()}
        chosen = EventFilter(**fields) if "kinds" in fields else of_events(RecordFilter(**fields))
        assert sum(chosen.keeps("a", event) for event in agent.events) == kept


def test_the_event_of_a_changed_plan_has_what_changed() -> None:
    agent = Agent()
    create(agent, steps="a", tags=("old",))
    agent.do(AddPlanNote(P, "n"))
    subjects(agent)
    agent.do(UpdatePlan(P, PlanPatch(goal="new", tags=("old",))))
    (event,) = agent.events
    assert (event.type, event.changed, event.previous_revision) == (EventType.PLAN_UPDATED, ("goal",), 2)
    assert event.subject == PlanSubject(msgspec.structs.replace(plan(agent).without_content(), goal="new"))
    assert event.subject.record_bytes == len("c" + "new")


def test_a_completed_plan_is_no_longer_current() -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.now += SECOND_NS
    done = agent.do(CompletePlan(CURRENT))
    ended = plan(agent)
    assert done == RecordPut(ended, changed=True, revision=2)
    assert (ended.status, ended.end_time, ended.revision) == (PlanStatus.COMPLETED, agent.now, 2)
    assert current(agent) is None
    assert agent.do(CompletePlan(P)) == RecordPut(ended, changed=False, revision=2)
    assert create(agent, "q").replaced_plan_id == ""


def test_a_reopened_plan_is_the_current_one_again() -> None:
    agent = Agent()
    create(agent, steps="a")
    create(agent, "q")
    agent.now += SECOND_NS
    done = agent.do(ReopenPlan("p"))
    reopened = plan(agent)
    assert done == PlanStarted(reopened, changed=True, revision=3, replaced_plan_id="q")
    assert (reopened.status, reopened.end_time, reopened.update_time) == (PlanStatus.IN_PROGRESS, None, agent.now)
    assert (current(agent), plan(agent, "q").status) == ("p", PlanStatus.REPLACED)
    assert agent.do(ReopenPlan("p")) == PlanStarted(reopened, changed=False, revision=3)
    agent.do(CompletePlan(P))
    with pytest.raises(RevisionMismatch):
        agent.do(ReopenPlan("p", at(3)))
    assert agent.do(ReopenPlan("p", at(4))).replaced_plan_id == ""
    update(agent, CURRENT, "1", notes="goes on")


def test_a_template_is_reopened_without_a_conversation() -> None:
    agent = Agent()
    create(agent, conversation_id="")
    create(agent, "q", "")
    agent.do(CompletePlan(P))
    assert agent.do(ReopenPlan("p")).replaced_plan_id == ""
    assert {plan(agent, name).status for name in "pq"} == {PlanStatus.IN_PROGRESS}


def changes_of_plan(name: PlanName, **fields: Any) -> list[Command]:
    return [
        UpdatePlan(name, PlanPatch(goal="new"), **fields),
        AddPlanStep(name, PlanStepDraft("x"), **fields),
        AddPlanNote(name, "x", **fields),
    ]


def changes(name: PlanName) -> list[Command]:
    step = UpdatePlanStep(name, "1", PlanStepPatch(notes="n"))
    return [*changes_of_plan(name), step, MovePlanStep(name, "1"), RemovePlanStep(name, "1")]


def kind_of(command: Command) -> str:
    return type(command).__name__


@pytest.mark.parametrize("change", changes(P), ids=kind_of)
@pytest.mark.parametrize("ending", [CompletePlan(P), CreatePlan(PlanDraft("q", "c", "goal"))], ids=kind_of)
def test_a_plan_that_ended_is_not_changed(change: Command, ending: Command) -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.do(ending)
    with pytest.raises(PlanEnded) as refused:
        agent.do(change)
    assert refused.value.metadata == {"plan_id": "p"}


def test_a_replaced_plan_is_not_completed() -> None:
    agent = Agent()
    create(agent)
    create(agent, "q")
    with pytest.raises(PlanEnded):
        agent.do(CompletePlan(P))


@pytest.mark.parametrize(
    "change", [*changes_of_plan(P, precondition=at(1)), CompletePlan(P, at(1)), ReopenPlan("p", at(1))], ids=kind_of
)
def test_a_change_that_lost_the_race_is_refused(change: Command) -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.do(AddPlanNote(P, "faster"))
    with pytest.raises(RevisionMismatch):
        agent.do(change)
    assert agent.state.revision == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        *((change, LOST_PLAN) for change in changes(PlanName("lost"))),
        (CompletePlan(PlanName(conversation_id="d")), {"kind": "plan", "conversation_id": "d"}),
        (ReopenPlan("lost"), LOST_PLAN),
        (UpdatePlanStep(P, "9", PlanStepPatch(notes="n")), LOST_STEP),
        (MovePlanStep(P, "9"), LOST_STEP),
        (MovePlanStep(P, "1", "9"), LOST_STEP),
        (AddPlanStep(P, PlanStepDraft("x"), "9"), LOST_STEP),
    ],
)
def test_a_missing_record_raises_not_found(change: Command, named: dict[str, str]) -> None:
    agent = Agent()
    create(agent, steps="a")
    with pytest.raises(RecordNotFound) as refused:
        agent.do(change)
    assert refused.value.metadata == {"agent_id": "a", **named}


def test_a_plan_is_removed_whatever_became_of_it() -> None:
    agent = Agent()
    create(agent)
    create(agent, "q")
    with pytest.raises(RevisionMismatch):
        agent.do(DeletePlan("p", at(1)))
    assert agent.do(DeletePlan("p", at(2))) == RecordRemoved(1, 3)
    assert agent.do(DeletePlan("p")) == RecordRemoved(0, 3)
    assert current(agent) == "q"
    agent.do(DeletePlan("q"))
    assert (current(agent), agent.state.size_bytes) == (None, 0)


def test_there_are_at_most_so_many_plans_with_their_history() -> None:
    agent = Agent(Limits(plans_per_agent=1))
    create(agent)
    with pytest.raises(QuotaExceeded) as refused:
        create(agent, "q")
    assert refused.value.metadata == {"limit": "plans_per_agent", "value": "1"}
    assert current(agent) == "p"


def test_a_plan_has_at_most_so_many_steps() -> None:
    agent = Agent()
    create(agent, steps="x" * STEPS_PER_PLAN_MAX)
    step = PlanStepDraft("x")
    for change, refusal in (
        (AddPlanStep(P, step), QuotaExceeded),
        (CreatePlan(PlanDraft("q", "d", "", (step,), ("p",))), TooLarge),
    ):
        with pytest.raises(refusal) as refused:
            agent.do(change)
        assert refused.value.metadata == {"limit": "steps_per_plan", "value": str(STEPS_PER_PLAN_MAX)}


def test_a_plan_that_is_too_large_takes_no_more_but_becomes_smaller() -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.limits = Limits(plan_bytes=1)
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(AddPlanNote(P, "x"))
    assert refused.value.metadata == {"limit": "plan_bytes", "value": "1"}
    with pytest.raises(TooLarge) as new:
        create(agent, "q", "d")
    assert new.value.metadata == refused.value.metadata
    update(agent, P, "1", status=PlanStepStatus.COMPLETED)
    agent.do(CompletePlan(P))


def test_a_plan_counts_against_the_storage_limit() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=len("cgoal") + PART_BYTES + 1))
    create(agent, steps="a")
    with pytest.raises(QuotaExceeded):
        update(agent, P, "1", notes="n")
    update(agent, P, "1", status=PlanStepStatus.COMPLETED)


def test_clearing_other_kinds_leaves_plans() -> None:
    agent = Agent()
    create(agent)
    agent.do(ClearAgent(kinds=frozenset(RecordKind) - {RecordKind.PLAN}))
    assert current(agent) == "p"
    agent.do(ClearAgent(kinds=frozenset({RecordKind.PLAN})))
    assert (current(agent), agent.state.size_bytes) == (None, 0)


def test_a_restore_makes_that_plan_current_again_which_was() -> None:
    agent = Agent()
    create(agent)
    image = agent.image()
    create(agent, "q")
    agent.do(RestoreAgent(image, "snapshot"))
    assert current(agent) == "p"
    assert len(agent.state.part(PLAN)) == 1


def test_a_restored_plan_is_reported_with_all_that_differs() -> None:
    agent = Agent()
    create(agent, steps="ab")
    image = agent.image()
    update(agent, P, "1", notes="n")
    agent.do(AddPlanNote(P, "n"))
    subjects(agent)
    agent.do(RestoreAgent(image, "snapshot"))
    event, _ = agent.events
    assert (event.type, event.changed) == (EventType.PLAN_UPDATED, ("steps", "notes", "next_note_number"))
    agent.events = []
    assert {step.revision for step in plan(agent).steps} == {agent.state.revision}
    agent.do(RestoreAgent(image, "again"))
    assert [each for each, _ in subjects(agent)] == [EventType.AGENT_RESTORED]


def test_a_restore_takes_an_id_to_another_conversation() -> None:
    agent = Agent()
    create(agent)
    create(agent, "q")
    image = agent.image()
    agent.do(DeletePlan("p"))
    agent.do(DeletePlan("q"))
    agent.now -= SECOND_NS
    create(agent, "q", "d")
    create(agent, "p")
    agent.do(RestoreAgent(image, "snapshot"))
    assert (current(agent), current(agent, "d")) == ("q", None)
    assert plan(agent).status is PlanStatus.REPLACED


@pytest.mark.whole
@given(st.data())
def test_a_conversation_has_at_most_one_current_plan(data: st.DataObject) -> None:
    agent = Agent(Limits(plans_per_agent=4))
    image = agent.image()
    for _ in range(data.draw(st.integers(1, 25))):
        agent.now += data.draw(st.sampled_from([-SECOND_NS, 0, SECOND_NS]))
        what = data.draw(st.integers(0, 9))
        if what == 0:
            image = agent.image()
        try:
            agent.do(RestoreAgent(image, "s") if what == 1 else random_plan_command(data.draw))
        except Refusal:
            continue
        _check_plans(agent)


def _check_plans(agent: Agent) -> None:
    plans = agent.state.part(PLAN)
    following = [each for each in plans if each.conversation_id and each.status is PlanStatus.IN_PROGRESS]
    assert len({each.conversation_id for each in following}) == len(following)
    by_alias = {PlanName(each.plan_id).alias: each for each in plans}
    assert len(by_alias) == len(plans)
    by_alias |= {PlanName(conversation_id=each.conversation_id).alias: each for each in following}
    assert dict(plans.by_alias) == by_alias
    for each in plans:
        numbers = [int(step.step_id) for step in each.steps]
        assert len(set(numbers)) == len(numbers)
        assert max(numbers, default=0) < each.next_step_number
        assert (each.end_time is None) is (each.status is PlanStatus.IN_PROGRESS)
