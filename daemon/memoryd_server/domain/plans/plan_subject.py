"""The subjects of events about changes of plans. They carry what changed, since a whole plan may be large."""

from collections.abc import Container
from typing import Any

import msgspec

from memoryd_server.domain.agent.event import Event, RecordView, Subject
from memoryd_server.domain.plans.plan import PLAN_SHAPE, Plan, PlanNote, PlanStep, step_place
from memoryd_server.domain.values.response_size import struct_growth

_CONTENTS = {"goal": "", "steps": (), "notes": (), "tags": (), "metadata_json": ""}
_TEXTS = {"description": "", "notes": ""}
_OF_PLAN = PLAN_SHAPE.all_but("id", "user_id", "conversation_id")
"""The fields of a plan that events about its steps and notes lack."""


class PlanSubject(Subject, frozen=True, array_like=True, tag=True):
    """A plan that was updated. Of the goal, the steps, the notes, the tags and the metadata, it has what changed."""

    plan: Plan

    @classmethod
    def of(cls, plan: Plan, changed: Container[str]) -> "PlanSubject":
        """Return the subject of an update, which changed the fields of these names."""
        left_out = {name: empty for name, empty in _CONTENTS.items() if name not in changed}
        return cls(msgspec.structs.replace(plan, **left_out))

    @property
    def plan_id(self) -> str:
        """The plan's id."""
        return self.plan.plan_id

    def view(self, event: Event) -> RecordView:
        """Return the plan. Of its tags and its metadata, what did not change is unknown."""
        return RecordView(PLAN_SHAPE, self.plan, PLAN_SHAPE.content.difference(event.changed))

    @property
    def record(self) -> Plan:
        """The plan, without what did not change."""
        return self.plan

    @property
    def record_bytes(self) -> int:
        """The size of the texts that the subject carries."""
        return self.plan.text_bytes() + struct_growth(self.plan.metadata_json)

    @property
    def place(self) -> tuple[Any, ...]:
        """The plan's own place."""
        return self.plan.place

    def record_at(self, place: tuple[Any, ...]) -> tuple[Any, int] | None:
        """Return the plan or a step that the subject carries, and its size; None if neither is at this place."""
        return super().record_at(place) or self.plan.record_at(place)


class PlanStepSubject(Subject, frozen=True, array_like=True, tag=True):
    """A step that was added, updated, moved or removed. Its plan's revision and update time become the event's.

    ``step`` is the step after the change. Of its texts it has both if it was added, and those that changed if it was
    updated. ``before_step_id`` is the step that follows a step that was added or moved, empty at the end.
    """

    plan_id: str
    conversation_id: str
    user_id: str
    step: PlanStep
    before_step_id: str = ""

    @classmethod
    def added(cls, plan: Plan, step: PlanStep, before_step_id: str) -> "PlanStepSubject":
        """Return the subject of an addition to a plan."""
        return cls(plan.plan_id, plan.conversation_id, plan.user_id, step, before_step_id)

    @classmethod
    def updated(cls, plan: Plan, step: PlanStep, changed: Container[str]) -> "PlanStepSubject":
        """Return the subject of the update of a step of a plan, which changed the fields of these names."""
        left_out = {name: empty for name, empty in _TEXTS.items() if name not in changed}
        return cls.added(plan, msgspec.structs.replace(step, **left_out), "")

    @classmethod
    def moved(cls, plan: Plan, step: PlanStep, before_step_id: str) -> "PlanStepSubject":
        """Return the subject of the move of a step within a plan."""
        return cls.added(plan, step.without_content(), before_step_id)

    @classmethod
    def removed(cls, plan: Plan, step: PlanStep) -> "PlanStepSubject":
        """Return the subject of the removal of a step from a plan."""
        return cls.added(plan, step.without_content(), "")

    def view(self, event: Event) -> RecordView:
        """Return the subject itself, which has the plan's ids."""
        return RecordView(PLAN_SHAPE, self, _OF_PLAN)

    @property
    def step_id(self) -> str:
        """The step's id."""
        return self.step.step_id

    @property
    def record(self) -> PlanStep:
        """The step, without the texts that did not change."""
        return self.step

    @property
    def record_bytes(self) -> int:
        """The size of the step."""
        return self.step.size_bytes

    @property
    def place(self) -> tuple[Any, ...]:
        """The step's place: its plan's id and its own."""
        return step_place(self.plan_id, self.step_id)


class PlanNoteSubject(Subject, frozen=True, array_like=True, tag=True):
    """A note that was added to a plan, which keeps its newest notes.

    The plan's revision and update time become those of the event.
    """

    plan_id: str
    conversation_id: str
    user_id: str
    note: PlanNote

    def view(self, event: Event) -> RecordView:
        """Return the subject itself, which has the plan's ids."""
        return RecordView(PLAN_SHAPE, self, _OF_PLAN)

    @property
    def record(self) -> PlanNote:
        """The note."""
        return self.note

    @property
    def record_bytes(self) -> int:
        """The size of the note."""
        return self.note.size_bytes
