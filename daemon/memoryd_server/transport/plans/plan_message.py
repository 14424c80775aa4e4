"""Plans, between the domain and the contract."""

from typing import Any, Protocol

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.plans.plan import Plan, PlanContextNote, PlanName, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_change import CreatePlan, StepText
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp


class NamesPlan(Protocol):
    """A request that names a plan by its id, or by the conversation of which it is the current plan."""

    plan_id: str
    conversation_id: str


def plan_message(agent_id: str, plan: Plan) -> plan_pb2.Plan:
    """Encode a plan, for responses and events."""
    return plan_pb2.Plan(
        plan_id=plan.plan_id,
        agent_id=agent_id,
        conversation_id=plan.conversation_id,
        goal=plan.goal,
        steps=map(_step_message, plan.steps),
        context_notes=map(_note_message, plan.context_notes),
        status=int(plan.status),  # type: ignore[arg-type]
        create_time=timestamp(plan.create_time),
        update_time=timestamp(plan.update_time),
        end_time=None if plan.end_time is None else timestamp(plan.end_time),
        revision=plan.revision,
    )


def part_count(plan: Plan) -> int:
    """Return the number of messages that a plan is encoded in: itself, its steps and its notes."""
    return 1 + len(plan.steps) + len(plan.context_notes)


def plan_name_of(request: NamesPlan) -> PlanName:
    """Decode the name of a plan. Raises InvalidField."""
    if request.plan_id and request.conversation_id:
        raise InvalidField("conversation_id", "must be empty if plan_id is set")
    if request.plan_id:
        return PlanName(record_id_of("plan_id", request.plan_id))
    if not request.conversation_id:
        raise InvalidField("plan_id", "must not be empty without a conversation_id")
    return PlanName(conversation_id=plan_conversation_id_of(request.conversation_id))


def plan_conversation_id_of(value: str) -> str:
    """Return the conversation id of a plan, if it is valid; empty for a template. Raises InvalidField."""
    if value.isspace():
        raise InvalidField("conversation_id", "must not be blank")
    return validation.optional_text("conversation_id", value, limit.CONVERSATION_ID_BYTES_MAX)


def creation_of(request: pb.CreatePlanRequest, new_id: str) -> CreatePlan:
    """Decode a plan to create. Raises InvalidField."""
    # Before each is decoded: too many would block the event loop.
    validation.within("steps", len(request.steps), 0, limit.STEPS_PER_PLAN_MAX)
    validation.within("template_plan_ids", len(request.template_plan_ids), 0, limit.TEMPLATES_PER_PLAN_MAX)
    precondition = precondition_of(request, allow_must_not_exist=True)
    if precondition is not None and not request.conversation_id:
        raise InvalidField("precondition", "must not be set for a template, which replaces no plan")
    copies_goal = not request.goal and request.template_plan_ids
    return CreatePlan(
        record_id_of("plan_id", request.plan_id) if request.plan_id else new_id,
        plan_conversation_id_of(request.conversation_id),
        "" if copies_goal else _text("goal", request.goal, limit.GOAL_BYTES_MAX),
        tuple(description_of(f"steps[{index}]", each) for index, each in enumerate(request.steps)),
        tuple(
            record_id_of(f"template_plan_ids[{index}]", each) for index, each in enumerate(request.template_plan_ids)
        ),
        precondition,
    )


def step_text_of(request: pb.UpdateStepRequest) -> StepText:
    """Decode the changes of a step. Raises InvalidField."""
    fields: dict[str, Any] = {}
    if request.HasField("status"):
        fields["status"] = validation.known("status", request.status, PlanStepStatus)
    if request.HasField("notes"):
        fields["notes"] = _within_bytes("notes", request.notes, limit.STEP_NOTES_BYTES_MAX)
    if request.HasField("description"):
        fields["description"] = description_of("description", request.description)
    if not fields:
        raise InvalidField("status", "must be set, or notes or description")
    return StepText(**fields)


def step_id_of(field: str, value: str) -> str:
    """Return the id of a step, if it is valid. Raises InvalidField."""
    return record_id_of(field, value)


def description_of(field: str, value: str) -> str:
    """Return the description of a step, if it is valid. Raises InvalidField."""
    return _text(field, value, limit.STEP_DESCRIPTION_BYTES_MAX)


def context_note_of(value: str) -> str:
    """Return the text of a context note, if it is valid. Raises InvalidField."""
    return _text("text", value, limit.CONTEXT_NOTE_BYTES_MAX)


def status_of(number: int) -> PlanStatus | None:
    """Decode the status to list; None for all. Raises InvalidField."""
    return validation.known("status", number, PlanStatus) if number else None


def _text(field: str, value: str, bytes_max: int) -> str:
    """Return a text, which may have many lines and must not be blank. Raises InvalidField."""
    if not value or value.isspace():
        raise InvalidField(field, "must not be blank" if value else "must not be empty")
    return _within_bytes(field, value, bytes_max)


def _within_bytes(field: str, value: str, bytes_max: int) -> str:
    if validation.size_bytes(value) > bytes_max:
        raise InvalidField(field, f"must be at most {bytes_max} bytes")
    return value


def _step_message(step: PlanStep) -> plan_pb2.PlanStep:
    return plan_pb2.PlanStep(
        step_id=step.step_id,
        description=step.description,
        status=int(step.status),  # type: ignore[arg-type]
        notes=step.notes,
        update_time=timestamp(step.update_time),
    )


def _note_message(note: PlanContextNote) -> plan_pb2.PlanContextNote:
    return plan_pb2.PlanContextNote(text=note.text, time=timestamp(note.time))
