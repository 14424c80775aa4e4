import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from memoryd.v1 import plan_pb2, precondition_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.plans.plan import Plan, PlanContextNote, PlanName, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import CreatePlan, StepText
from memoryd_server.transport.plans.plan_message import creation_of, plan_message, plan_name_of, step_text_of

LONG = "x" * 4_097


def test_a_plan_is_encoded_with_all_its_parts() -> None:
    steps = (PlanStep("2", "Pack", PlanStepStatus.BLOCKED, "shoes", 1),)
    plan = Plan("p", "c", "Go", steps, (PlanContextNote("It rains", 2),), PlanStatus.REPLACED, 3, 4, 5, 3, 6, 7)
    assert plan_message("ada", plan) == plan_pb2.Plan(
        plan_id="p",
        agent_id="ada",
        conversation_id="c",
        goal="Go",
        steps=[
            plan_pb2.PlanStep(
                step_id="2",
                description="Pack",
                status=plan_pb2.PLAN_STEP_STATUS_BLOCKED,
                notes="shoes",
                update_time=Timestamp(nanos=1),
            )
        ],
        context_notes=[plan_pb2.PlanContextNote(text="It rains", time=Timestamp(nanos=2))],
        status=plan_pb2.PLAN_STATUS_REPLACED,
        create_time=Timestamp(nanos=3),
        update_time=Timestamp(nanos=4),
        end_time=Timestamp(nanos=5),
        revision=6,
    )


def test_a_plan_without_an_id_gets_the_new_one() -> None:
    request = pb.CreatePlanRequest(conversation_id="c/1", goal="two\nlines", steps=["a"])
    assert creation_of(request, "new") == CreatePlan("new", "c/1", "two\nlines", ("a",))
    condition = precondition_pb2.Precondition(must_not_exist=True)
    request = pb.CreatePlanRequest(plan_id="p", conversation_id="c", template_plan_ids=["t"], precondition=condition)
    assert creation_of(request, "new") == CreatePlan("p", "c", "", (), ("t",), Precondition(must_not_exist=True))


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("plan_id", pb.CreatePlanRequest(plan_id="a/b", goal="g")),
        ("conversation_id", pb.CreatePlanRequest(conversation_id=" ", goal="g")),
        ("conversation_id", pb.CreatePlanRequest(conversation_id="x" * 257, goal="g")),
        ("goal", pb.CreatePlanRequest()),
        ("goal", pb.CreatePlanRequest(goal="\n ", template_plan_ids=["t"])),
        ("goal", pb.CreatePlanRequest(goal=LONG)),
        ("steps[1]", pb.CreatePlanRequest(goal="g", steps=["a", ""])),
        ("steps[0]", pb.CreatePlanRequest(goal="g", steps=[LONG])),
        ("steps", pb.CreatePlanRequest(goal="g", steps=["a"] * 201)),
        ("template_plan_ids", pb.CreatePlanRequest(goal="g", template_plan_ids=["a"] * 17)),
        ("template_plan_ids[0]", pb.CreatePlanRequest(goal="g", template_plan_ids=[""])),
        ("precondition", pb.CreatePlanRequest(goal="g", precondition={"expected_revision": 1})),
    ],
)
def test_a_draft_with_an_invalid_field_is_refused(field: str, request_: pb.CreatePlanRequest) -> None:
    with pytest.raises(InvalidField) as refused:
        creation_of(request_, "new")
    assert refused.value.field == field


def test_a_plan_is_named_by_its_id_or_its_conversation() -> None:
    assert plan_name_of(pb.GetPlanRequest(plan_id="p")) == PlanName("p")
    assert plan_name_of(pb.GetPlanRequest(conversation_id="c")) == PlanName(conversation_id="c")


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("plan_id", pb.GetPlanRequest()),
        ("plan_id", pb.GetPlanRequest(plan_id="a/b")),
        ("conversation_id", pb.GetPlanRequest(plan_id="p", conversation_id="c")),
        ("conversation_id", pb.GetPlanRequest(conversation_id=" ")),
    ],
)
def test_a_plan_is_named_by_exactly_one_valid_name(field: str, request_: pb.GetPlanRequest) -> None:
    with pytest.raises(InvalidField) as refused:
        plan_name_of(request_)
    assert refused.value.field == field


def test_a_change_of_a_step_has_the_fields_that_are_present() -> None:
    assert step_text_of(pb.UpdateStepRequest(notes="")) == StepText(notes="")
    full = pb.UpdateStepRequest(status=plan_pb2.PLAN_STEP_STATUS_COMPLETED, notes="n", description="d")
    assert step_text_of(full) == StepText(PlanStepStatus.COMPLETED, "n", "d")


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("status", pb.UpdateStepRequest()),
        ("status", pb.UpdateStepRequest(status=plan_pb2.PLAN_STEP_STATUS_UNSPECIFIED)),
        ("status", pb.UpdateStepRequest(status=9)),  # type: ignore[arg-type]
        ("notes", pb.UpdateStepRequest(notes=LONG)),
        ("description", pb.UpdateStepRequest(description=" ")),
    ],
)
def test_a_change_of_a_step_that_is_empty_or_invalid_is_refused(field: str, request_: pb.UpdateStepRequest) -> None:
    with pytest.raises(InvalidField) as refused:
        step_text_of(request_)
    assert refused.value.field == field
