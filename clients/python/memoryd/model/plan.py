"""Plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.v1 import plan_pb2


class PlanStatus(StrEnum):
    """The state of a plan. One that is completed or replaced does not change until it is reopened."""

    UNSPECIFIED = "unspecified"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    REPLACED = "replaced"


class PlanStepStatus(StrEnum):
    """The state of a step."""

    UNSPECIFIED = "unspecified"
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    BLOCKED = "blocked"


PLAN_STATUS = EnumWords(plan_pb2.PlanStatus, "PLAN_STATUS")
PLAN_STEP_STATUS = EnumWords(plan_pb2.PlanStepStatus, "PLAN_STEP_STATUS")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan.

    ``notes`` is what was learned while doing it. ``revision`` is the agent's revision that last changed or moved it.
    """

    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    create_time: datetime
    update_time: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class PlanNote:
    """Something that was learned while a plan was followed."""

    text: str
    create_time: datetime


@dataclass(frozen=True, slots=True)
class Plan:
    """A goal of a conversation, with ordered steps.

    ``conversation_id`` is empty for a template, ``user_id`` for a plan that is for no user. ``end_time`` is when the
    plan was completed or replaced; None before. ``revision`` is the agent's revision that last wrote the plan, its
    steps or its notes.
    """

    plan_id: str
    agent_id: str
    conversation_id: str
    user_id: str
    goal: str
    steps: tuple[PlanStep, ...]
    notes: tuple[PlanNote, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    status: PlanStatus
    create_time: datetime
    update_time: datetime
    end_time: datetime | None
    revision: int


def plan_from(message: plan_pb2.Plan) -> Plan:
    """Return the plan of a message."""
    return Plan(
        plan_id=message.plan_id,
        agent_id=message.agent_id,
        conversation_id=message.conversation_id,
        user_id=message.user_id,
        goal=message.goal,
        steps=tuple(map(plan_step_from, message.steps)),
        notes=tuple(map(plan_note_from, message.notes)),
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        status=PLAN_STATUS.word(PlanStatus, message.status),
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        end_time=datetime_in(message, "end_time"),
        revision=message.revision,
    )


def plan_step_from(message: plan_pb2.PlanStep) -> PlanStep:
    """Return the step of a message."""
    return PlanStep(
        step_id=message.step_id,
        description=message.description,
        status=PLAN_STEP_STATUS.word(PlanStepStatus, message.status),
        notes=message.notes,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
    )


def plan_note_from(message: plan_pb2.PlanNote) -> PlanNote:
    """Return the note of a message."""
    return PlanNote(message.text, datetime_from(message.create_time))
