"""The stored records of a plan: one for the plan itself, and one for each step and note.

A change of a step writes the record of that step and the one of the plan, whatever the size of the other steps.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from memoryd_server.domain.agent.part import ChangeKey, Records
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.plans.plan import Plan, PlanNote, PlanStep

PLAN_RECORD = "plan"
STEP_RECORD = "plan_step"
NOTE_RECORD = "plan_note"


class StoredPlan(msgspec.Struct, frozen=True, array_like=True):
    """A plan without its steps and notes, of which it has the ids and the number."""

    kept_when_erased: ClassVar = ("step_ids",)

    plan: Plan
    step_ids: tuple[str, ...]
    note_count: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the plan counts against the storage limit, with its steps and notes."""
        return self.plan.size_bytes


class StoredStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A step of a plan."""

    kept_when_erased: ClassVar = ("plan_id",)

    plan_id: str
    step: PlanStep


class StoredNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A note of a plan. Its number is one of those that the plan has given to its notes."""

    kept_when_erased: ClassVar = ("plan_id",)

    plan_id: str
    number: int
    note: PlanNote


def plan_records(plan: Plan) -> Iterator[tuple[ChangeKey, Any]]:
    """Yield the records of a plan, each with its key."""
    step_ids = tuple(step.step_id for step in plan.steps)
    itself = msgspec.structs.replace(plan, steps=(), notes=())
    yield ChangeKey(PLAN_RECORD, f"{plan.group}/{plan.key}"), StoredPlan(itself, step_ids, len(plan.notes))
    for step in plan.steps:
        yield ChangeKey(STEP_RECORD, f"{plan.plan_id}/{step.step_id}"), StoredStep(plan.plan_id, step)
    for number, note in plan.numbered_notes:
        yield ChangeKey(NOTE_RECORD, f"{plan.plan_id}/{number}"), StoredNote(plan.plan_id, number, note)


def whole_plan(stored: StoredPlan, parts: Mapping[ChangeKey, Any]) -> Plan:
    """Return the plan with its steps and notes, which are among ``parts``. Raises KeyError for a missing one."""
    plan = stored.plan
    steps = (parts[ChangeKey(STEP_RECORD, f"{plan.plan_id}/{step_id}")].step for step_id in stored.step_ids)
    numbers = range(plan.next_note_number - stored.note_count, plan.next_note_number)
    notes = (parts[ChangeKey(NOTE_RECORD, f"{plan.plan_id}/{number}")].note for number in numbers)
    return msgspec.structs.replace(plan, steps=tuple(steps), notes=tuple(notes))


def plans_in(agent_id: str, records: Records) -> list[Plan]:
    """Return the plans of an agent's records. Raises DataDamaged if a step or a note is missing, or has no plan."""
    parts: dict[ChangeKey, Any] = {}
    for each in records[STEP_RECORD]:
        parts[ChangeKey(STEP_RECORD, f"{each.plan_id}/{each.step.step_id}")] = each
    for each in records[NOTE_RECORD]:
        parts[ChangeKey(NOTE_RECORD, f"{each.plan_id}/{each.number}")] = each
    try:
        plans = [whole_plan(each, parts) for each in records[PLAN_RECORD]]
    except KeyError as missing:
        raise DataDamaged(f"agent {agent_id!r} has a plan without its {missing.args[0]}") from None
    if sum(plan.record_count for plan in plans) != sum(map(len, (records[name] for name in RECORD_TYPES))):
        raise DataDamaged(f"agent {agent_id!r} has a step or a note without its plan")
    return plans


RECORD_TYPES: Mapping[str, type[Any]] = {PLAN_RECORD: StoredPlan, STEP_RECORD: StoredStep, NOTE_RECORD: StoredNote}
