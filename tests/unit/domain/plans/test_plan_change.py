from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.random_record import random_plan_command
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, at

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.error import (
    LimitExceeded,
    PlanEnded,
    RecordExists,
    RecordNotFound,
    Refusal,
    RevisionMismatch,
)
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import CONTEXT_NOTES_PER_PLAN_MAX, SECOND_NS, STEPS_PER_PLAN_MAX, Limits
from memoryd_server.domain.plans.plan import (
    PART_BYTES,
    PLAN,
    Plan,
    PlanContextNote,
    PlanName,
    PlanStatus,
    PlanStep,
    PlanStepStatus,
)
from memoryd_server.domain.plans.plan_change import (
    AddContextNote,
    AddStep,
    CompletePlan,
    CreatePlan,
    DeletePlan,
    PlanCreated,
    StepText,
    UpdateStep,
)
from memoryd_server.domain.record_kind import RecordKind

P, CURRENT = PlanName("p"), PlanName(conversation_id="c")


def create(agent: Agent, plan_id: str = "p", conversation_id: str = "c", steps: str = "", **fields: Any) -> PlanCreated:
    done = agent.do(CreatePlan(plan_id, conversation_id, fields.pop("goal", "goal"), tuple(steps), **fields))
    assert isinstance(done, PlanCreated)
    return done


def plan(agent: Agent, plan_id: str = "p") -> Plan:
    found = agent.state.part(PLAN).aliased(PlanName(plan_id).alias)
    assert found is not None
    return found


def current(agent: Agent, conversation_id: str = "c") -> str | None:
    found = agent.state.part(PLAN).aliased(PlanName(conversation_id=conversation_id).alias)
    return None if found is None else found.plan_id


def put(agent: Agent, command: Command) -> Plan:
    done = agent.do(command)
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Plan)
    assert done.changed
    return done.record


def steps(agent: Agent, plan_id: str = "p") -> list[tuple[str, str]]:
    return [(step.step_id, step.description) for step in plan(agent, plan_id).steps]


def test_a_new_plan_is_the_current_one_with_pending_steps() -> None:
    agent = Agent()
    pending = tuple(PlanStep(number, text, PlanStepStatus.PENDING, "", NOW) for number, text in ("1a", "2b"))
    size = len("c") + len("göal".encode()) + 2 * (PART_BYTES + 1)
    made = Plan("p", "c", "göal", pending, (), PlanStatus.IN_PROGRESS, NOW, NOW, None, 3, 1, size)
    assert create(agent, steps="ab", goal="göal") == PlanCreated(made, changed=True, revision=1)
    assert (current(agent), agent.state.size_bytes) == ("p", size)


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
    assert refused.value.metadata == {"kind": "plan", "record_id": "p"}


def test_steps_of_templates_come_first_pending_and_without_notes() -> None:
    agent = Agent()
    create(agent, "t1", "", "ab", goal="first")
    create(agent, "t2", "d", "c", goal="second")
    agent.do(UpdateStep(PlanName("t1"), "1", StepText(PlanStepStatus.COMPLETED, "notes")))
    agent.do(AddContextNote(PlanName("t2"), "learned"))
    agent.do(CompletePlan(PlanName("t2")))
    agent.now += SECOND_NS
    made = create(agent, steps="d", goal="", template_plan_ids=("t1", "t2")).record
    assert isinstance(made, Plan)
    assert steps(agent) == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]
    assert {(step.status, step.notes, step.update_time) for step in made.steps} == {
        (PlanStepStatus.PENDING, "", agent.now)
    }
    assert (made.goal, made.context_notes, made.next_step_number) == ("first", (), 5)
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
    assert exists.value.metadata == {"kind": "plan", "record_id": "p"}
    with pytest.raises(RevisionMismatch):
        create(agent, "q", precondition=at(0))
    create(agent, "q", precondition=at(2))
    agent.do(CompletePlan(CURRENT))
    create(agent, "r", precondition=MUST_NOT_EXIST)
    assert current(agent) == "r"


def test_a_step_changes_in_what_is_named() -> None:
    agent = Agent()
    create(agent, steps="ab")
    agent.now += SECOND_NS
    after = put(agent, UpdateStep(CURRENT, "2", StepText(PlanStepStatus.BLOCKED, "waits")))
    assert after.steps == (
        PlanStep("1", "a", PlanStepStatus.PENDING, "", NOW),
        PlanStep("2", "b", PlanStepStatus.BLOCKED, "waits", agent.now),
    )
    assert (after.update_time, after.revision, after.create_time) == (agent.now, 2, NOW)
    after = put(agent, UpdateStep(P, "2", StepText(notes="", description="B")))
    assert after.steps[1] == PlanStep("2", "B", PlanStepStatus.BLOCKED, "", agent.now)


def test_a_step_that_is_so_already_is_not_changed() -> None:
    agent = Agent()
    before = create(agent, steps="a").record
    agent.now += SECOND_NS
    same = UpdateStep(P, "1", StepText(PlanStepStatus.PENDING, "", "a"))
    assert agent.do(same) == RecordPut(before, changed=False, revision=1)


def test_a_step_is_added_at_the_end_or_before_another_with_a_number_of_its_own() -> None:
    agent = Agent()
    create(agent, steps="ab")
    agent.do(AddStep(CURRENT, "c"))
    added = put(agent, AddStep(P, "d", "1"))
    assert steps(agent) == [("4", "d"), ("1", "a"), ("2", "b"), ("3", "c")]
    assert added.next_step_number == 5


def test_the_newest_context_notes_are_kept() -> None:
    agent = Agent()
    create(agent)
    for number in range(CONTEXT_NOTES_PER_PLAN_MAX + 2):
        agent.now += SECOND_NS
        agent.do(AddContextNote(CURRENT, str(number)))
    notes = plan(agent).context_notes
    assert len(notes) == CONTEXT_NOTES_PER_PLAN_MAX
    assert (notes[0].text, notes[-1]) == ("2", PlanContextNote(str(CONTEXT_NOTES_PER_PLAN_MAX + 1), agent.now))


def test_a_completed_plan_is_no_longer_current() -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.now += SECOND_NS
    ended = put(agent, CompletePlan(CURRENT))
    assert (ended.status, ended.end_time, ended.revision) == (PlanStatus.COMPLETED, agent.now, 2)
    assert current(agent) is None
    assert create(agent, "q").replaced_plan_id == ""


def changes(name: PlanName, **fields: Any) -> list[Command]:
    return [
        UpdateStep(name, "1", StepText(notes="n"), **fields),
        AddStep(name, "x", **fields),
        AddContextNote(name, "x", **fields),
        CompletePlan(name, **fields),
    ]


def kind_of(command: Command) -> str:
    return type(command).__name__


@pytest.mark.parametrize("change", changes(P), ids=kind_of)
@pytest.mark.parametrize("ending", [CompletePlan(P), CreatePlan("q", "c", "goal")], ids=kind_of)
def test_a_plan_that_ended_is_not_changed(change: Command, ending: Command) -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.do(ending)
    with pytest.raises(PlanEnded) as refused:
        agent.do(change)
    assert refused.value.metadata == {"plan_id": "p"}


@pytest.mark.parametrize("change", changes(P, precondition=at(1)), ids=kind_of)
def test_a_change_that_lost_the_race_is_refused(change: Command) -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.do(AddContextNote(P, "faster"))
    with pytest.raises(RevisionMismatch):
        agent.do(change)
    assert agent.state.revision == 2


@pytest.mark.parametrize(
    ("change", "kind", "name"),
    [
        *((change, "plan", "lost") for change in changes(PlanName("lost"))),
        (CompletePlan(PlanName(conversation_id="d")), "plan", "d"),
        (UpdateStep(P, "9", StepText(notes="n")), "plan step", "9"),
        (AddStep(P, "x", "9"), "plan step", "9"),
    ],
)
def test_a_missing_record_raises_not_found(change: Command, kind: str, name: str) -> None:
    agent = Agent()
    create(agent, steps="a")
    with pytest.raises(RecordNotFound) as refused:
        agent.do(change)
    assert refused.value.metadata == {"agent_id": "a", "kind": kind, "record_id": name}


def test_a_plan_is_removed_whatever_became_of_it() -> None:
    agent = Agent()
    create(agent)
    create(agent, "q")
    with pytest.raises(RevisionMismatch):
        agent.do(DeletePlan("p", at(1)))
    assert agent.do(DeletePlan("p", at(2))) == RecordRemoved(1, 3)
    assert agent.do(DeletePlan("p", at(2))) == RecordRemoved(0, 3)
    assert current(agent) == "q"
    agent.do(DeletePlan("q"))
    assert (current(agent), agent.state.size_bytes) == (None, 0)


def test_there_are_at_most_so_many_plans_with_their_history() -> None:
    agent = Agent(Limits(plans_per_agent=1))
    create(agent)
    with pytest.raises(LimitExceeded) as refused:
        create(agent, "q")
    assert refused.value.metadata == {"limit": "plans_per_agent", "value": "1"}
    assert current(agent) == "p"


def test_a_plan_has_at_most_so_many_steps() -> None:
    agent = Agent()
    create(agent, steps="x" * STEPS_PER_PLAN_MAX)
    for change in (AddStep(P, "x"), CreatePlan("q", "d", "", ("x",), ("p",))):
        with pytest.raises(LimitExceeded) as refused:
            agent.do(change)
        assert refused.value.metadata == {"limit": "steps_per_plan", "value": str(STEPS_PER_PLAN_MAX)}


def test_a_plan_that_is_too_large_takes_no_more_but_becomes_smaller() -> None:
    agent = Agent()
    create(agent, steps="a")
    agent.limits = Limits(plan_bytes=1)
    with pytest.raises(LimitExceeded) as refused:
        agent.do(AddContextNote(P, "x"))
    assert refused.value.metadata == {"limit": "plan_bytes", "value": "1"}
    agent.do(UpdateStep(P, "1", StepText(PlanStepStatus.COMPLETED)))
    agent.do(CompletePlan(P))


def test_a_plan_counts_against_the_storage_limit() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=len("cgoal") + PART_BYTES + 1))
    create(agent, steps="a")
    with pytest.raises(LimitExceeded):
        agent.do(UpdateStep(P, "1", StepText(notes="n")))
    agent.do(UpdateStep(P, "1", StepText(PlanStepStatus.COMPLETED)))


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
