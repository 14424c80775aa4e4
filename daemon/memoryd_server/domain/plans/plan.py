"""Plans: the goal of a conversation and the ordered steps towards it."""

import enum
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, one_of

PART_BYTES = 128
"""Bytes that each step and each note counts besides its texts, so that many empty ones are limited too."""


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
    """One step of a plan. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``step_id`` is a decimal number from 1, unique within the plan and never reused. ``revision`` is the agent's
    revision that last changed or moved the step.
    """

    kept_when_erased: ClassVar = ("step_id",)

    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    create_time: int
    update_time: int
    revision: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the step counts against the storage limit."""
        return PART_BYTES + size_bytes(self.description) + size_bytes(self.notes)

    def without_content(self) -> "PlanStep":
        """Return the step without its texts."""
        return msgspec.structs.replace(self, description="", notes="")


def step_place(plan_id: str, step_id: str) -> tuple[Any, ...]:
    """Return the identity of a step among all records of an agent."""
    return PlanStep, plan_id, step_id


class PlanNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A finding that was made while a plan was followed. ``create_time`` is in nanoseconds since the Unix epoch."""

    text: str
    create_time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the note counts against the storage limit."""
        return PART_BYTES + size_bytes(self.text)

    def without_content(self) -> "PlanNote":
        """Return the note without its text."""
        return msgspec.structs.replace(self, text="")


class PlanName(msgspec.Struct, frozen=True):
    """The name of a plan in a request: a plan id, or a conversation id for the plan that this conversation shows.

    That is the current plan; without one, the plan that was completed last. Exactly one of the two is set.
    """

    plan_id: str = ""
    conversation_id: str = ""

    @property
    def alias(self) -> str:
        """The alias under which the collection finds the plan."""
        return f"id/{self.plan_id}" if self.plan_id else f"current/{self.conversation_id}"

    def find(self, plans: Collection["Plan"]) -> "Plan | None":
        """Return the plan with this name, None if there is none."""
        found = plans.aliased(self.alias)
        if found is not None or not self.conversation_id:
            return found
        there = plans.group(self.conversation_id).values()
        completed = (plan for plan in there if plan.status is PlanStatus.COMPLETED)
        return max(completed, key=lambda plan: (plan.end_time or 0, plan.plan_id), default=None)

    def missing(self, agent_id: str) -> RecordNotFound:
        """Return the error for a plan that does not exist."""
        return RecordNotFound(agent_id, "plan", self.plan_id, conversation_id=self.conversation_id)


class PlanCondition(KindCondition, frozen=True):
    """Conditions on plans; see ``PlanCondition`` of the contract."""

    statuses: frozenset[PlanStatus] = frozenset()

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("status", self.statuses)


PLAN_SHAPE = RecordShape(
    "plan", attrgetter("plan_id"), conversation_of=attrgetter("conversation_id"), condition=PlanCondition
)
"""The fields of plans that a filter asks for."""


class Plan(Collected, frozen=True, array_like=True, gc=False, tag="plan"):
    """One plan. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``conversation_id`` is empty for a template. ``end_time`` is None until the plan is completed or replaced.
    ``next_step_number`` becomes the id of the next added step, ``next_note_number`` the number of the next added note.
    """

    shape: ClassVar[RecordShape | None] = PLAN_SHAPE
    kept_when_erased: ClassVar = ("plan_id", "conversation_id")

    plan_id: str
    conversation_id: str
    user_id: str
    goal: str
    steps: tuple[PlanStep, ...]
    notes: tuple[PlanNote, ...]
    tags: tuple[str, ...]
    metadata_json: str
    status: PlanStatus
    create_time: int
    update_time: int
    end_time: int | None
    next_step_number: int
    next_note_number: int
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
    def record_count(self) -> int:
        """The number of stored records: the plan itself, its steps and its notes."""
        return 1 + len(self.steps) + len(self.notes)

    @property
    def is_current(self) -> bool:
        """True if the plan is the one that its conversation follows now."""
        return self.conversation_id != "" and self.status is PlanStatus.IN_PROGRESS

    @property
    def aliases(self) -> tuple[str, ...]:
        """The plan's id without a conversation and, while the plan is current, the conversation's id."""
        by_id = PlanName(plan_id=self.plan_id).alias
        return (by_id, PlanName(conversation_id=self.conversation_id).alias) if self.is_current else (by_id,)

    @property
    def numbered_notes(self) -> Sequence[tuple[int, PlanNote]]:
        """The notes with their numbers, which are never reused."""
        return tuple(enumerate(self.notes, self.next_note_number - len(self.notes)))

    def text_bytes(self) -> int:
        """Return the size of all texts, which is what the plan counts against the storage limit."""
        texts = (self.conversation_id, self.user_id, self.goal, self.metadata_json, *self.tags)
        size = sum(map(size_bytes, texts)) + sum(step.size_bytes for step in self.steps)
        return size + sum(note.size_bytes for note in self.notes)

    def record_at(self, place: tuple[Any, ...]) -> tuple[Any, int] | None:
        """Return the plan or one of its steps, and its size; None if neither is at this place."""
        for step in self.steps:
            if place == step_place(self.plan_id, step.step_id):
                return step, step.size_bytes
        return super().record_at(place)

    def without_content(self) -> "Plan":
        """Return the plan without its texts, steps and notes, for the event of its removal."""
        return msgspec.structs.replace(self, goal="", steps=(), notes=(), tags=(), metadata_json="")

    def at_revision(self, revision: int) -> "Plan":
        """Return the plan as one that was written, with all its steps, at this revision."""
        steps = tuple(msgspec.structs.replace(step, revision=revision) for step in self.steps)
        return msgspec.structs.replace(self, steps=steps, revision=revision)
