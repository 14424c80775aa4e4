from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.plans.plan import Plan, PlanName, PlanNote, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import CreatePlan, PlanDraft, PlanPatch, PlanStepDraft, PlanStepPatch
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.transport.fields.view import viewed
from memoryd_server.transport.plans.plan_message import (
    before_step_id_of,
    creation_of,
    plan_message,
    plan_name_of,
    plan_patch_of,
    step_draft_of,
    step_patch_of,
)

LONG = "x" * 4_097
STEPS = (PlanStep("2", "Pack", PlanStepStatus.BLOCKED, "shoes", 1, 2, 3),)
PLAN = Plan(
    "p",
    "c",
    "ann",
    "Go",
    STEPS,
    (PlanNote("It rains", 4),),
    ("t",),
    '{"a":1}',
    PlanStatus.REPLACED,
    5,
    6,
    7,
    next_step_number=3,
    next_note_number=2,
    revision=8,
    size_bytes=9,
)


def nanos(number: int) -> Timestamp:
    return Timestamp(nanos=number)


def test_a_plan_is_encoded_with_all_its_parts() -> None:
    step = plan_pb2.PlanStep(
        step_id="2",
        description="Pack",
        status=plan_pb2.PLAN_STEP_STATUS_BLOCKED,
        notes="shoes",
        create_time=nanos(1),
        update_time=nanos(2),
        revision=3,
    )
    expected = plan_pb2.Plan(
        plan_id="p",
        agent_id="ada",
        revision=8,
        create_time=nanos(5),
        update_time=nanos(6),
        user_id="ann",
        tags=["t"],
        conversation_id="c",
        goal="Go",
        steps=[step],
        notes=[plan_pb2.PlanNote(text="It rains", create_time=nanos(4))],
        status=plan_pb2.PLAN_STATUS_REPLACED,
        end_time=nanos(7),
    )
    expected.metadata["a"] = 1
    assert plan_message("ada", PLAN) == expected


def test_a_plan_without_content_keeps_what_identifies_and_dates_its_parts() -> None:
    shown = viewed(plan_message("ada", PLAN), RecordView.WITHOUT_CONTENT)
    step = plan_pb2.PlanStep(
        step_id="2",
        status=plan_pb2.PLAN_STEP_STATUS_BLOCKED,
        create_time=nanos(1),
        update_time=nanos(2),
        revision=3,
    )
    assert shown == plan_pb2.Plan(
        plan_id="p",
        agent_id="ada",
        revision=8,
        create_time=nanos(5),
        update_time=nanos(6),
        user_id="ann",
        conversation_id="c",
        steps=[step],
        notes=[plan_pb2.PlanNote(create_time=nanos(4))],
        status=plan_pb2.PLAN_STATUS_REPLACED,
        end_time=nanos(7),
    )


def create(precondition: dict[str, Any] | None = None, **draft: Any) -> pb.CreatePlanRequest:
    return pb.CreatePlanRequest(draft=draft, precondition=precondition)  # type: ignore[arg-type]


def test_a_plan_without_an_id_gets_the_new_one() -> None:
    request = create(conversation_id="c/1", goal="two\nlines", steps=[{"description": "a"}])
    expected = PlanDraft("new", "c/1", "two\nlines", (PlanStepDraft("a"),))
    assert creation_of(request, "new") == CreatePlan(expected)
    request = create({"must_not_exist": True}, plan_id="p", conversation_id="c", template_plan_ids=["t"])
    expected = PlanDraft("p", "c", "", (), ("t",))
    assert creation_of(request, "new") == CreatePlan(expected, Precondition(must_not_exist=True))


def test_a_draft_has_an_owner_labels_and_steps_in_any_state() -> None:
    step = {"description": "a", "status": plan_pb2.PLAN_STEP_STATUS_COMPLETED, "notes": "n"}
    request = create(goal="g", user_id="ann", tags=["t", "u", "t"], metadata={"a": [1.5]}, steps=[step])
    steps = (PlanStepDraft("a", PlanStepStatus.COMPLETED, "n"),)
    expected = PlanDraft("new", "", "g", steps, (), "ann", ("t", "u"), '{"a":[1.5]}')
    assert creation_of(request, "new").draft == expected


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("draft.plan_id", create(plan_id="a/b", goal="g")),
        ("draft.conversation_id", create(conversation_id=" ", goal="g")),
        ("draft.conversation_id", create(conversation_id="x" * 257, goal="g")),
        ("draft.user_id", create(user_id="x" * 257, goal="g")),
        ("draft.tags", create(tags=[" "], goal="g")),
        ("draft.metadata", create(metadata={"a": "x" * 65_537}, goal="g")),
        ("draft.goal", create()),
        ("draft.goal", create(goal="\n ", template_plan_ids=["t"])),
        ("draft.goal", create(goal=LONG)),
        ("draft.steps[1].description", create(goal="g", steps=[{"description": "a"}, {}])),
        ("draft.steps[0].description", create(goal="g", steps=[{"description": LONG}])),
        ("draft.steps[0].notes", create(goal="g", steps=[{"description": "a", "notes": LONG}])),
        ("draft.steps[0].status", create(goal="g", steps=[{"description": "a", "status": 9}])),
        ("draft.steps", create(goal="g", steps=[{"description": "a"}] * 201)),
        ("draft.template_plan_ids", create(goal="g", template_plan_ids=["a"] * 17)),
        ("draft.template_plan_ids[0]", create(goal="g", template_plan_ids=[""])),
        ("precondition", create({"expected_revision": 1}, goal="g")),
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


def plan_patch(*paths: str, **draft: Any) -> PlanPatch:
    return plan_patch_of(plan_pb2.PlanDraft(**draft), FieldMask(paths=paths))


def step_patch(*paths: str, **draft: Any) -> PlanStepPatch:
    return step_patch_of(plan_pb2.PlanStepDraft(**draft), FieldMask(paths=paths))


def test_a_change_has_the_fields_that_the_mask_names() -> None:
    assert plan_patch("goal", "goal", goal="g", tags=["t"]) == PlanPatch(goal="g")
    metadata = {"a": True}
    assert plan_patch("metadata", "tags", metadata=metadata) == PlanPatch(tags=(), metadata_json='{"a":true}')
    assert plan_patch("metadata") == PlanPatch(metadata_json="")
    assert step_patch("notes") == PlanStepPatch(notes="")
    full = {"status": plan_pb2.PLAN_STEP_STATUS_COMPLETED, "notes": "n", "description": "d"}
    assert step_patch(*full, **full) == PlanStepPatch("d", PlanStepStatus.COMPLETED, "n")


@pytest.mark.parametrize(
    ("field", "paths", "draft"),
    [
        ("update_mask", (), {"goal": "g"}),
        ("update_mask", ("goal", "status"), {"goal": "g"}),
        ("update_mask", ("conversation_id",), {"conversation_id": "c"}),
        ("draft.goal", ("goal",), {"goal": " "}),
        ("draft.tags", ("tags",), {"tags": ["x" * 257]}),
        ("draft.metadata", ("metadata",), {"metadata": {"a": "x" * 65_537}}),
    ],
)
def test_a_change_of_a_plan_that_is_empty_or_invalid_is_refused(
    field: str, paths: tuple[str, ...], draft: dict[str, Any]
) -> None:
    with pytest.raises(InvalidField) as refused:
        plan_patch(*paths, **draft)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("field", "paths", "draft"),
    [
        ("update_mask", (), {"notes": "n"}),
        ("update_mask", ("step_id",), {}),
        ("draft.status", ("status",), {}),
        ("draft.status", ("status",), {"status": 9}),
        ("draft.notes", ("notes",), {"notes": LONG}),
        ("draft.description", ("description",), {"description": " "}),
    ],
)
def test_a_change_of_a_step_that_is_empty_or_invalid_is_refused(
    field: str, paths: tuple[str, ...], draft: dict[str, Any]
) -> None:
    with pytest.raises(InvalidField) as refused:
        step_patch(*paths, **draft)
    assert refused.value.field == field


def test_a_new_step_is_pending_unless_its_draft_has_a_status() -> None:
    assert step_draft_of("draft", plan_pb2.PlanStepDraft(description="d")) == PlanStepDraft("d")
    blocked = plan_pb2.PlanStepDraft(description="d", status=plan_pb2.PLAN_STEP_STATUS_BLOCKED)
    assert step_draft_of("draft", blocked).status is PlanStepStatus.BLOCKED


def test_a_step_goes_before_another_or_to_the_end() -> None:
    assert (before_step_id_of(""), before_step_id_of("2")) == ("", "2")
    with pytest.raises(InvalidField, match="before_step_id"):
        before_step_id_of("a/b")
