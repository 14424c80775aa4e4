import pytest
from tests.unit.domain.plans.plan_sample import CURRENT, P, create, plan, steps, subjects, update
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, at

from memoryd_server.domain.agent.part import ChangeKey
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import (
    RecordExists,
    RecordNotFound,
    RevisionMismatch,
)
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import NOTES_PER_PLAN_MAX, SECOND_NS
from memoryd_server.domain.plans.plan import PART_BYTES, PlanNote, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    MovePlanStep,
    PlanNoteAdded,
    PlanStepDraft,
    PlanStepPatch,
    PlanStepPut,
    PlanStepRemoved,
    RemovePlanStep,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject


def test_a_step_changes_in_what_is_named() -> None:
    agent = Agent()
    create(agent, steps="ab")
    agent.now += SECOND_NS
    done = update(agent, CURRENT, "2", status=PlanStepStatus.BLOCKED, notes="waits")
    changed = PlanStep("2", "b", PlanStepStatus.BLOCKED, "waits", NOW, agent.now, 2)
    assert done == PlanStepPut("p", changed, changed=True, revision=2)
    after = plan(agent)
    assert after.steps == (PlanStep("1", "a", PlanStepStatus.PENDING, "", NOW, NOW, 1), changed)
    assert (after.update_time, after.revision, after.create_time) == (agent.now, 2, NOW)
    changed = update(agent, P, "2", notes="", description="B").step
    assert changed == PlanStep("2", "B", PlanStepStatus.BLOCKED, "", NOW, agent.now, 3)


def test_the_event_of_a_changed_step_has_what_changed() -> None:
    agent = Agent()
    create(agent, steps="ab", user_id="ann")
    update(agent, P, "2", notes="waits")
    subjects(agent)
    step = update(agent, P, "2", status=PlanStepStatus.BLOCKED, notes="waits").step
    ((event_type, subject),) = subjects(agent)
    assert event_type is EventType.PLAN_STEP_UPDATED
    assert subject == PlanStepSubject("p", "c", "ann", step.without_content())
    update(agent, P, "2", description="B", notes="")
    (event,) = agent.events
    assert (event.changed, event.previous_revision) == (("description", "notes"), 3)
    assert (event.subject.step.description, event.subject.record_bytes) == ("B", PART_BYTES + 1)


def test_a_change_of_a_step_writes_that_step_and_the_plan_without_the_others() -> None:
    agent = Agent()
    create(agent, steps="ab")
    agent.do(AddPlanNote(P, "n"))
    update(agent, P, "2", notes="waits")
    assert {(change.kind, change.key) for change in agent.decision.changes} == {("plan", "c/p"), ("plan_step", "p/2")}
    agent.do(RemovePlanStep(P, "2"))
    assert agent.decision.changes[ChangeKey("plan_step", "p/2")] is None


def test_a_step_that_is_so_already_is_not_changed() -> None:
    agent = Agent()
    before = create(agent, steps="a").record
    agent.now += SECOND_NS
    same = update(agent, P, "1", status=PlanStepStatus.PENDING, notes="", description="a")
    assert same == PlanStepPut("p", before.steps[0], changed=False, revision=1)


def test_a_step_is_added_at_the_end_or_before_another_with_a_number_of_its_own() -> None:
    agent = Agent()
    create(agent, steps="ab")
    agent.do(AddPlanStep(CURRENT, PlanStepDraft("c")))
    subjects(agent)
    added = agent.do(AddPlanStep(P, PlanStepDraft("d", PlanStepStatus.IN_PROGRESS, "n"), "1"))
    step = PlanStep("4", "d", PlanStepStatus.IN_PROGRESS, "n", NOW, NOW, 3)
    assert added == PlanStepPut("p", step, changed=True, revision=3)
    assert steps(agent) == [("4", "d"), ("1", "a"), ("2", "b"), ("3", "c")]
    assert subjects(agent) == [
        (EventType.PLAN_STEP_ADDED, PlanStepSubject("p", "c", "", step, before_step_id="1")),
    ]


@pytest.mark.parametrize(
    ("step_id", "before", "order"),
    [("1", "3", "2134"), ("1", "", "2341"), ("4", "1", "4123"), ("3", "2", "1324"), ("2", "4", "1324")],
)
def test_a_step_is_moved_before_another_or_to_the_end(step_id: str, before: str, order: str) -> None:
    agent = Agent()
    create(agent, steps="abcd")
    subjects(agent)
    agent.now += SECOND_NS
    moved = agent.do(MovePlanStep(CURRENT, step_id, before))
    assert "".join(step_id for step_id, _ in steps(agent)) == order
    assert (moved.changed, moved.step.revision, moved.step.update_time) == (True, 2, agent.now)
    subject = PlanStepSubject("p", "c", "", moved.step.without_content(), before_step_id=before)
    assert subjects(agent) == [(EventType.PLAN_STEP_MOVED, subject)]


@pytest.mark.parametrize(("step_id", "before"), [("1", "1"), ("1", "2"), ("2", "")])
def test_a_step_that_is_there_already_is_not_moved(step_id: str, before: str) -> None:
    agent = Agent()
    made = create(agent, steps="ab").record
    moved = agent.do(MovePlanStep(P, step_id, before))
    assert moved == PlanStepPut("p", made.steps[int(step_id) - 1], changed=False, revision=1)


def test_a_removed_step_is_gone_and_its_number_is_not_used_again() -> None:
    agent = Agent()
    create(agent, steps="ab")
    removed = plan(agent).steps[1]
    subjects(agent)
    assert agent.do(RemovePlanStep(CURRENT, "2")) == PlanStepRemoved("p", 1, 2)
    subject = PlanStepSubject("p", "c", "", removed.without_content())
    assert subjects(agent) == [(EventType.PLAN_STEP_REMOVED, subject)]
    assert agent.do(RemovePlanStep(P, "2")) == PlanStepRemoved("p", 0, 2)
    assert agent.do(AddPlanStep(P, PlanStepDraft("c"))).step.step_id == "3"
    assert steps(agent) == [("1", "a"), ("3", "c")]


def test_the_precondition_of_a_change_of_a_step_is_about_that_step() -> None:
    agent = Agent()
    create(agent, steps="ab")
    update(agent, P, "1", notes="other")
    notes = PlanStepPatch(notes="n")
    agent.do(UpdatePlanStep(P, "2", notes, at(1)))
    for late in (UpdatePlanStep(P, "2", notes, at(1)), MovePlanStep(P, "2", "1", at(1)), RemovePlanStep(P, "2", at(1))):
        with pytest.raises(RevisionMismatch) as refused:
            agent.do(late)
        assert refused.value.metadata == {"expected_revision": "1", "actual_revision": "3"}
    with pytest.raises(RecordExists):
        agent.do(RemovePlanStep(P, "2", MUST_NOT_EXIST))
    with pytest.raises(RecordNotFound) as missing:
        agent.do(RemovePlanStep(P, "9", Precondition(must_exist=True)))
    assert missing.value.metadata == {"agent_id": "a", "kind": "plan_step", "record_id": "9", "plan_id": "p"}
    with pytest.raises(RevisionMismatch):
        agent.do(RemovePlanStep(P, "9", at(7)))
    agent.do(MovePlanStep(P, "2", "1", at(3)))
    agent.do(RemovePlanStep(P, "2", at(4)))


def test_the_newest_notes_are_kept() -> None:
    agent = Agent()
    create(agent)
    for number in range(NOTES_PER_PLAN_MAX + 2):
        agent.now += SECOND_NS
        done = agent.do(AddPlanNote(CURRENT, str(number)))
    newest = PlanNote(str(NOTES_PER_PLAN_MAX + 1), agent.now)
    assert done == PlanNoteAdded("p", newest, agent.state.revision)
    notes = plan(agent).notes
    assert len(notes) == NOTES_PER_PLAN_MAX
    assert (notes[0].text, notes[-1]) == ("2", newest)
    (event_type, subject) = subjects(agent)[-1]
    assert (event_type, subject) == (EventType.PLAN_NOTE_ADDED, PlanNoteSubject("p", "c", "", newest))
    assert (subject.record, subject.record_bytes, subject.place) == (newest, newest.size_bytes, None)


def test_results_count_the_memory_of_what_they_carry() -> None:
    agent = Agent()
    create(agent, steps="a")
    assert update(agent, P, "1", notes="n" * 100).memory_bytes > 100
    assert agent.do(AddPlanNote(P, "n" * 100)).memory_bytes > 100
