from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.random_record import random_plan_command
from tests.unit.domain.sample import Agent
from tests.unit.transport.plans.plan_watcher import PlanWatcher

from memoryd.v1 import event_pb2, plan_pb2
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, STEP_DESCRIPTION_BYTES_MAX, STEPS_PER_PLAN_MAX
from memoryd_server.domain.plans.plan import PlanName, PlanStepStatus
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CreatePlan,
    MovePlanStep,
    PlanDraft,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.agents.journal import encode_row
from memoryd_server.transport.events.event_message import event_message
from memoryd_server.transport.plans.plan_message import plan_message

P = PlanName("p")
PLANS = frozenset({RecordKind.PLAN})


@given(st.data())
def test_a_watcher_has_the_plans_after_any_changes(data: st.DataObject) -> None:
    agent = Agent()
    for _ in range(data.draw(st.integers(0, 5))):
        _change(data, agent)
    watcher, image = PlanWatcher(), agent.image()
    for initial in PLAN.initial_events(agent.state.part(PLAN), agent.now):
        # What the initial state of a watch has of an event.
        message = event_pb2.Event(type=int(initial.type))  # type: ignore[arg-type]
        message.plan.plan_id = initial.subject.plan_id  # type: ignore[attr-defined]
        message.plan.plan.CopyFrom(plan_message("a", initial.subject))  # type: ignore[arg-type]
        watcher.apply(message)
    for _ in range(data.draw(st.integers(1, 25))):
        agent.events = []
        what = data.draw(st.integers(0, 19))
        if what == 0:
            image = agent.image()
        elif what == 1:
            agent.do(RestoreAgent(image, "s"))
        elif what == 2 and agent.state.exists:
            agent.do(data.draw(st.sampled_from([ClearAgent(PLANS), EndAgent()])))
        else:
            _change(data, agent)
        for event in agent.events:
            watcher.apply(event_message("a", event, RecordView.FULL))
        assert watcher.plans == {each.plan_id: plan_message("a", each) for each in agent.state.part(PLAN)}


def _change(data: st.DataObject, agent: Agent) -> None:
    agent.now += data.draw(st.sampled_from([-SECOND_NS, 0, SECOND_NS]))
    try:
        agent.do(random_plan_command(data.draw))
    except Refusal:
        return


def large_plan() -> Agent:
    agent = Agent()
    steps = tuple(PlanStepDraft("x" * 4_000) for _ in range(STEPS_PER_PLAN_MAX))
    agent.do(CreatePlan(PlanDraft("p", "c", "goal", steps)))
    agent.events = []
    return agent


def only_event(agent: Agent) -> Event:
    (event,) = agent.events
    agent.events = []
    return event


def test_the_event_of_one_step_is_small_however_large_the_plan_is() -> None:
    agent = large_plan()
    agent.do(UpdatePlanStep(P, "100", PlanStepPatch(status=PlanStepStatus.COMPLETED)))
    event = only_event(agent)
    assert event_message("a", event, RecordView.FULL).ByteSize() < 1_000
    assert len(encode_row((event,), ())) < 1_000
    agent.do(MovePlanStep(P, "100", "1"))
    assert event_message("a", only_event(agent), RecordView.FULL).ByteSize() < 1_000
    agent.do(RemovePlanStep(P, "100"))
    assert event_message("a", only_event(agent), RecordView.FULL).ByteSize() < 1_000
    agent.do(AddPlanStep(P, PlanStepDraft("short")))
    assert event_message("a", only_event(agent), RecordView.FULL).ByteSize() < 1_000
    agent.do(AddPlanNote(P, "short"))
    assert event_message("a", only_event(agent), RecordView.FULL).ByteSize() < 1_000
    agent.do(UpdatePlanStep(P, "1", PlanStepPatch(description="y" * STEP_DESCRIPTION_BYTES_MAX)))
    assert STEP_DESCRIPTION_BYTES_MAX < event_message("a", only_event(agent), RecordView.FULL).ByteSize() < 5_000


def test_events_without_content_have_no_texts() -> None:
    agent = large_plan()
    agent.do(UpdatePlanStep(P, "1", PlanStepPatch("y", PlanStepStatus.COMPLETED, "n")))
    message = event_message("a", only_event(agent), RecordView.WITHOUT_CONTENT)
    assert (message.plan_step.plan_id, message.plan_step.step_id) == ("p", "1")
    step = message.plan_step.plan_step
    assert step.status == plan_pb2.PLAN_STEP_STATUS_COMPLETED
    assert list(message.changed_fields.paths) == ["description", "status", "notes"]
    assert (step.description, step.notes) == ("", "")
    agent.do(AddPlanNote(P, "n"))
    message = event_message("a", only_event(agent), RecordView.WITHOUT_CONTENT)
    note = message.plan_note.plan_note
    assert (message.plan_note.plan_id, note.text, note.HasField("create_time")) == ("p", "", True)
