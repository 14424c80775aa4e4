"""Plans over the wire, beyond what scenarios can express: HM-05."""

import random
from typing import Any

import grpc
from google.protobuf.field_mask_pb2 import FieldMask
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory
from tests.unit.transport.plans.plan_watcher import PlanWatcher

from memoryd.v1 import event_pb2, plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd.v1.plan_service_pb2_grpc import PlanServiceStub

STATUSES = (1, 2, 3, 4)


class Plans:
    """The plans of one agent."""

    def __init__(self, agent: Memory) -> None:
        self._agent = agent
        self._stub = PlanServiceStub(agent.wire.channel)

    def create(self, plan_id: str, *descriptions: str, **draft: Any) -> plan_pb2.Plan:
        steps = [plan_pb2.PlanStepDraft(description=each) for each in descriptions]
        new = plan_pb2.PlanDraft(plan_id=plan_id, goal="goal", steps=steps, **draft)
        return self._stub.CreatePlan(pb.CreatePlanRequest(agent_id=self._agent.id, draft=new)).plan

    def call(self, name: str, **fields: Any) -> Any:
        request = getattr(pb, f"{name}Request")(agent_id=self._agent.id, **fields)
        return getattr(self._stub, name)(request)

    def set_status(self, plan_id: str, step_id: str, status: int, **fields: Any) -> pb.UpdatePlanStepResponse:
        draft, mask = plan_pb2.PlanStepDraft(status=status), FieldMask(paths=["status"])  # type: ignore[arg-type]
        answer: pb.UpdatePlanStepResponse = self.call(
            "UpdatePlanStep", plan_id=plan_id, step_id=step_id, draft=draft, update_mask=mask, **fields
        )
        return answer

    def all(self) -> dict[str, plan_pb2.Plan]:
        return {plan.plan_id: plan for plan in self.call("ListPlans").plans}


def test_a_watch_that_begins_with_the_state_has_the_plans_after_any_changes(agent: Memory) -> None:
    plans, choice, mirror = Plans(agent), random.Random(7), PlanWatcher()
    plans.create("p1", "a", "b", "c", conversation_id="talk")
    plans.create("p2", "a")
    with Watcher(agent.wire, agent.id, include_initial_state=True).opened() as watch:
        for _ in range(200):
            try:
                _change(plans, choice)
            except grpc.RpcError as error:
                assert error.code() in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION)  # noqa: PT017
        revision = agent.set("last").revision
        watch.wait(lambda: any(event.revision == revision for event in watch.events))
        for event in watch.events:
            mirror.apply(event)
    assert mirror.plans == plans.all()


def _change(plans: Plans, choice: random.Random) -> None:
    plan = {"plan_id": choice.choice(["p1", "p2", "p3"])}
    step = plan | {"step_id": str(choice.randint(1, 6))}
    before = choice.choice(["", str(choice.randint(1, 6))])
    match choice.randint(0, 9):
        case 0:
            plans.call("DeletePlan", **plan)
            plans.create(plan["plan_id"], "x", "y", conversation_id="talk")
        case 1:
            mask = FieldMask(paths=["goal", "tags"])
            plans.call("UpdatePlan", **plan, draft={"goal": str(choice.random()), "tags": ["t"]}, update_mask=mask)
        case 2:
            plans.call("CompletePlan", **plan)
        case 3 | 4:
            plans.call("ReopenPlan", **plan)
        case 5:
            plans.call("AddPlanStep", **plan, draft={"description": "new"}, before_step_id=before)
        case 6:
            plans.call("MovePlanStep", **step, before_step_id=before)
        case 7:
            plans.call("RemovePlanStep", **step)
        case 8:
            plans.call("AddPlanNote", **plan, text=str(choice.random()))
        case _:
            plans.set_status(plan["plan_id"], step["step_id"], choice.choice(STATUSES))


def test_a_change_of_one_step_is_small_however_large_the_plan_is(agent: Memory) -> None:
    plans = Plans(agent)
    whole = plans.create("p", *("x" * 4_000 for _ in range(200)), conversation_id="talk")
    assert whole.ByteSize() > 800_000
    with Watcher(agent.wire, agent.id).opened() as watch:
        plans.set_status("p", "100", plan_pb2.PLAN_STEP_STATUS_COMPLETED, request_id="once")
        plans.call("MovePlanStep", plan_id="p", step_id="100", before_step_id="1")
        plans.call("RemovePlanStep", plan_id="p", step_id="100")
        plans.call("AddPlanNote", plan_id="p", text="n")
        plans.call("CompletePlan", plan_id="p")
        events = watch.until_events(5)
    assert max(event.ByteSize() for event in events) < 1_000
    assert [event.type for event in events] == [
        event_pb2.EVENT_TYPE_PLAN_STEP_UPDATED,
        event_pb2.EVENT_TYPE_PLAN_STEP_MOVED,
        event_pb2.EVENT_TYPE_PLAN_STEP_REMOVED,
        event_pb2.EVENT_TYPE_PLAN_NOTE_ADDED,
        event_pb2.EVENT_TYPE_PLAN_UPDATED,
    ]
    repeated = plans.set_status("p", "100", plan_pb2.PLAN_STEP_STATUS_COMPLETED, request_id="once")
    assert repeated.ByteSize() < 5_000
    assert (repeated.step.step_id, repeated.changed, repeated.revision) == ("100", True, 2)
