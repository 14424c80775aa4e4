"""Plans, between the domain and the contract."""

from collections.abc import Callable
from typing import Any, Protocol

from google.protobuf import field_mask_pb2

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.plans.plan import Plan, PlanName, PlanNote, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import CreatePlan, PlanDraft, PlanPatch, PlanStepDraft, PlanStepPatch
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import precondition_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.update_mask import paths_of


class NamesPlan(Protocol):
    """A request that names a plan by its id, or by the conversation of which it is the current plan."""

    plan_id: str
    conversation_id: str


def plan_message(agent_id: str, plan: Plan) -> plan_pb2.Plan:
    """Encode a plan, for responses and events."""
    message = plan_pb2.Plan(
        plan_id=plan.plan_id,
        agent_id=agent_id,
        revision=plan.revision,
        create_time=timestamp(plan.create_time),
        update_time=timestamp(plan.update_time),
        user_id=plan.user_id,
        tags=plan.tags,
        conversation_id=plan.conversation_id,
        goal=plan.goal,
        steps=map(plan_step_message, plan.steps),
        notes=map(plan_note_message, plan.notes),
        status=int(plan.status),  # type: ignore[arg-type]
        end_time=None if plan.end_time is None else timestamp(plan.end_time),
    )
    if plan.metadata_json:
        write_json(plan.metadata_json, message.metadata)
    return message


def plan_step_message(step: PlanStep) -> plan_pb2.PlanStep:
    """Encode a step of a plan, for responses and events."""
    return plan_pb2.PlanStep(
        step_id=step.step_id,
        description=step.description,
        status=int(step.status),  # type: ignore[arg-type]
        notes=step.notes,
        create_time=timestamp(step.create_time),
        update_time=timestamp(step.update_time),
        revision=step.revision,
    )


def plan_note_message(note: PlanNote) -> plan_pb2.PlanNote:
    """Encode a note of a plan, for responses and events."""
    return plan_pb2.PlanNote(text=note.text, create_time=timestamp(note.create_time))


def plan_name_of(request: NamesPlan) -> PlanName:
    """Decode the name of a plan. Raises InvalidField."""
    if request.plan_id and request.conversation_id:
        raise InvalidField("conversation_id", "must be empty if plan_id is set")
    if request.plan_id:
        return PlanName(record_id_of("plan_id", request.plan_id))
    if not request.conversation_id:
        raise InvalidField("plan_id", "must not be empty without a conversation_id")
    return PlanName(conversation_id=plan_conversation_id_of("conversation_id", request.conversation_id))


def plan_conversation_id_of(field: str, value: str) -> str:
    """Return the conversation id of a plan, if it is valid; empty for a template. Raises InvalidField."""
    if value.isspace():
        raise InvalidField(field, "must not be blank")
    return validation.optional_text(field, value, limit.CONVERSATION_ID_BYTES_MAX)


def plan_user_id_of(field: str, value: str) -> str:
    """Return the user id of a plan, if it is valid; empty for no user. Raises InvalidField."""
    return validation.optional_text(field, value, limit.USER_ID_BYTES_MAX)


def creation_of(request: pb.CreatePlanRequest, new_id: str) -> CreatePlan:
    """Decode a plan to create. Raises InvalidField."""
    draft = request.draft
    # Before each is decoded: too many would block the event loop.
    validation.within("draft.steps", len(draft.steps), 0, limit.STEPS_PER_PLAN_MAX)
    validation.within("draft.template_plan_ids", len(draft.template_plan_ids), 0, limit.TEMPLATES_PER_PLAN_MAX)
    precondition = precondition_of(request)
    if precondition is not None and not draft.conversation_id:
        raise InvalidField("precondition", "must not be set for a template, which replaces no plan")
    copies_goal = not draft.goal and draft.template_plan_ids
    plan = PlanDraft(
        record_id_of("draft.plan_id", draft.plan_id) if draft.plan_id else new_id,
        plan_conversation_id_of("draft.conversation_id", draft.conversation_id),
        "" if copies_goal else _goal_of(draft),
        tuple(step_draft_of(f"draft.steps[{index}]", each) for index, each in enumerate(draft.steps)),
        tuple(
            record_id_of(f"draft.template_plan_ids[{index}]", each)
            for index, each in enumerate(draft.template_plan_ids)
        ),
        plan_user_id_of("draft.user_id", draft.user_id),
        _tags_of(draft),
        _metadata_json_of(draft),
    )
    return CreatePlan(plan, precondition)


def plan_patch_of(draft: plan_pb2.PlanDraft, mask: field_mask_pb2.FieldMask) -> PlanPatch:
    """Decode the changes of a plan. Raises InvalidField."""
    return PlanPatch(**_patch(draft, mask, _PLAN_FIELDS))


def step_draft_of(field: str, draft: plan_pb2.PlanStepDraft) -> PlanStepDraft:
    """Decode a new step. ``field`` is the path of the message in the request. Raises InvalidField."""
    return PlanStepDraft(
        _text(f"{field}.description", draft.description, limit.STEP_DESCRIPTION_BYTES_MAX),
        validation.known(f"{field}.status", draft.status or PlanStepStatus.PENDING, PlanStepStatus),
        _within_bytes(f"{field}.notes", draft.notes, limit.STEP_NOTES_BYTES_MAX),
    )


def step_patch_of(draft: plan_pb2.PlanStepDraft, mask: field_mask_pb2.FieldMask) -> PlanStepPatch:
    """Decode the changes of a step. Raises InvalidField."""
    return PlanStepPatch(**_patch(draft, mask, _STEP_FIELDS))


def step_id_of(field: str, value: str) -> str:
    """Return the id of a step, if it is valid. Raises InvalidField."""
    return record_id_of(field, value)


def before_step_id_of(value: str) -> str:
    """Return the id of the following step, if it is valid; empty for the end of the plan. Raises InvalidField."""
    return step_id_of("before_step_id", value) if value else ""


def plan_note_of(value: str) -> str:
    """Return the text of a note, if it is valid. Raises InvalidField."""
    return _text("text", value, limit.PLAN_NOTE_BYTES_MAX)


def _goal_of(draft: plan_pb2.PlanDraft) -> str:
    return _text("draft.goal", draft.goal, limit.GOAL_BYTES_MAX)


def _tags_of(draft: plan_pb2.PlanDraft) -> tuple[str, ...]:
    return validation.tags("draft.tags", draft.tags)


def _metadata_json_of(draft: plan_pb2.PlanDraft) -> str:
    return json_text_of(draft.metadata, "draft.metadata", limit.METADATA_BYTES_MAX) if draft.metadata.fields else ""


_PLAN_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "goal": ("goal", _goal_of),
    "tags": ("tags", _tags_of),
    "metadata": ("metadata_json", _metadata_json_of),
}
"""The paths of an update mask of a plan, each with the field of ``PlanPatch`` and the function that decodes it."""

_STEP_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "description": (
        "description",
        lambda draft: _text("draft.description", draft.description, limit.STEP_DESCRIPTION_BYTES_MAX),
    ),
    "status": ("status", lambda draft: validation.known("draft.status", draft.status, PlanStepStatus)),
    "notes": ("notes", lambda draft: _within_bytes("draft.notes", draft.notes, limit.STEP_NOTES_BYTES_MAX)),
}
"""The same for a step and ``PlanStepPatch``."""


def _patch(
    draft: Any, mask: field_mask_pb2.FieldMask, fields: dict[str, tuple[str, Callable[[Any], Any]]]
) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for path in paths_of(mask, fields):
        name, read = fields[path]
        patch[name] = read(draft)
    return patch


def _text(field: str, value: str, bytes_max: int) -> str:
    """Return a text, which may have many lines and must not be blank. Raises InvalidField."""
    if not value or value.isspace():
        raise InvalidField(field, "must not be blank" if value else "must not be empty")
    return _within_bytes(field, value, bytes_max)


def _within_bytes(field: str, value: str, bytes_max: int) -> str:
    if validation.size_bytes(value) > bytes_max:
        raise InvalidField(field, f"must be at most {bytes_max} bytes")
    return value
