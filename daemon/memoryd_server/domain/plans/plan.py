"""Plans: what is to be reached in a conversation, and the ordered steps to it."""

import enum

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes

PART_BYTES = 128
"""What a step or a context note counts beside its texts: thousands of short ones have a size, too."""


class PlanStatus(enum.IntEnum):
    """Where a plan is in its life. The numbers are those of the contract and are stored: never renumber."""

    IN_PROGRESS = 1
    COMPLETED = 2
    REPLACED = 3


class PlanStepStatus(enum.IntEnum):
    """How far a step is. The numbers are those of the contract and are stored: never renumber."""

    PENDING = 1
    IN_PROGRESS = 2
    COMPLETED = 3
    BLOCKED = 4


class PlanStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One step. ``update_time`` is in nanoseconds since the Unix epoch; fields are stored in this order.

    ``step_id`` is a number, from 1, that no other step of the plan ever has.
    """

    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    update_time: int

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        return PART_BYTES + size_bytes(self.description) + size_bytes(self.notes)


class PlanContextNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that was learned while a plan was followed. ``time`` is in nanoseconds since the Unix epoch."""

    text: str
    time: int

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        return PART_BYTES + size_bytes(self.text)


class PlanName(msgspec.Struct, frozen=True):
    """Which plan is meant: exactly one of both is there; the conversation's means its current plan."""

    plan_id: str = ""
    conversation_id: str = ""

    @property
    def alias(self) -> str:
        """What finds the plan in its collection."""
        return f"id/{self.plan_id}" if self.plan_id else f"current/{self.conversation_id}"

    def __str__(self) -> str:
        return self.plan_id or self.conversation_id


class Plan(Collected, frozen=True, array_like=True, gc=False, tag="plan"):
    """One plan. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``conversation_id`` is empty for a template, ``end_time`` is there once the plan was completed or replaced.
    ``next_step_number`` becomes the id of the step that is added next.
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
        """The conversation: its plans are listed together."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """What names it among the plans of its agent."""
        return self.plan_id

    @property
    def is_current(self) -> bool:
        """Whether it is the plan that its conversation follows."""
        return self.conversation_id != "" and self.status is PlanStatus.IN_PROGRESS

    @property
    def aliases(self) -> tuple[str, ...]:
        """What else finds it: its id without the conversation, and the conversation while it is the current plan."""
        by_id = PlanName(plan_id=self.plan_id).alias
        return (by_id, PlanName(conversation_id=self.conversation_id).alias) if self.is_current else (by_id,)

    def without_content(self) -> "Plan":
        """The plan as those are told of it who may not read it."""
        return msgspec.structs.replace(self, goal="", steps=(), context_notes=())


PLAN = CollectionPart(
    "plan", Plan, RecordKind.PLAN, EventType.PLAN_CREATED, EventType.PLAN_UPDATED, EventType.PLAN_DELETED
)
