"""Plans: the goal of a conversation and the ordered steps towards it."""

import enum

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes

PART_BYTES = 128
"""Bytes that each step and each context note counts besides its texts, so that many empty ones are limited too."""


class PlanStatus(enum.IntEnum):
    """State of a plan's life cycle. The numbers are those of the contract and are stored: never renumber."""

    IN_PROGRESS = 1
    COMPLETED = 2
    REPLACED = 3


class PlanStepStatus(enum.IntEnum):
    """Progress of a step. The numbers are those of the contract and are stored: never renumber."""

    PENDING = 1
    IN_PROGRESS = 2
    COMPLETED = 3
    BLOCKED = 4


class PlanStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One step of a plan. Fields are stored in this order.

    ``step_id`` is a decimal number from 1, unique within the plan and never reused. ``update_time`` is in nanoseconds
    since the Unix epoch.
    """

    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    update_time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the step counts against the storage limit."""
        return PART_BYTES + size_bytes(self.description) + size_bytes(self.notes)


class PlanContextNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A finding that was recorded while a plan was followed. ``time`` is in nanoseconds since the Unix epoch."""

    text: str
    time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the context note counts against the storage limit."""
        return PART_BYTES + size_bytes(self.text)


class PlanName(msgspec.Struct, frozen=True):
    """The name of a plan in a request: a plan id, or a conversation id for that conversation's current plan.

    Exactly one of the two is set.
    """

    plan_id: str = ""
    conversation_id: str = ""

    @property
    def alias(self) -> str:
        """The alias under which the collection finds the plan."""
        return f"id/{self.plan_id}" if self.plan_id else f"current/{self.conversation_id}"

    def __str__(self) -> str:
        return self.plan_id or self.conversation_id


class Plan(Collected, frozen=True, array_like=True, gc=False, tag="plan"):
    """One plan. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``conversation_id`` is empty for a template. ``end_time`` is None until the plan is completed or replaced.
    ``next_step_number`` becomes the id of the next added step.
    """

    plan_id: str
    conversation_id: str
    goal: str
    steps: tuple[PlanStep, ...]
    context_notes: tuple[PlanContextNote, ...]
    status: PlanStatus
    create_time: int
    update_time: int
    end_time: int | None
    next_step_number: int
    revision: int
    size_bytes: int

    @property
    def group(self) -> str:
        """The conversation's id, since the plans of a conversation are listed together."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """The plan's id."""
        return self.plan_id

    @property
    def is_current(self) -> bool:
        """True if the plan is the one that its conversation follows now."""
        return self.conversation_id != "" and self.status is PlanStatus.IN_PROGRESS

    @property
    def aliases(self) -> tuple[str, ...]:
        """The plan's id without a conversation and, while the plan is current, the conversation's id."""
        by_id = PlanName(plan_id=self.plan_id).alias
        return (by_id, PlanName(conversation_id=self.conversation_id).alias) if self.is_current else (by_id,)

    def without_content(self) -> "Plan":
        """Return the plan without its texts, for events to clients that may not read content."""
        return msgspec.structs.replace(self, goal="", steps=(), context_notes=())


PLAN = CollectionPart(
    "plan", Plan, RecordKind.PLAN, EventType.PLAN_CREATED, EventType.PLAN_UPDATED, EventType.PLAN_DELETED
)
