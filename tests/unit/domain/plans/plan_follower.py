"""A plan that follows its events, as a watcher would follow them."""

import msgspec

from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import NOTES_PER_PLAN_MAX
from memoryd_server.domain.plans.plan import Plan, PlanStep
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject

CONTENTS = ("goal", "steps", "notes", "tags", "metadata_json")


def plan_place(subject: PlanSubject | PlanStepSubject | PlanNoteSubject) -> tuple[str, str]:
    """Return the conversation and the id of the plan that an event is about."""
    named = subject.plan if isinstance(subject, PlanSubject) else subject
    return named.conversation_id, named.plan_id


def followed(plan: Plan, event: Event) -> Plan:
    """Return the plan after an event about it, a step or a note of it."""
    subject = event.subject
    if isinstance(subject, PlanSubject):
        assert event.type is EventType.PLAN_UPDATED
        for name in CONTENTS:
            assert name in event.changed or getattr(subject.plan, name) == type(getattr(plan, name))()
        kept = {name: getattr(plan, name) for name in CONTENTS if name not in event.changed}
        return msgspec.structs.replace(subject.plan, **kept)
    if isinstance(subject, PlanNoteSubject):
        assert event.type is EventType.PLAN_NOTE_ADDED
        notes = (*plan.notes, subject.note)[-NOTES_PER_PLAN_MAX:]
        after = msgspec.structs.replace(plan, notes=notes, next_note_number=plan.next_note_number + 1)
    else:
        number = int(subject.step.step_id) + 1 if event.type is EventType.PLAN_STEP_ADDED else plan.next_step_number
        assert number >= plan.next_step_number
        after = msgspec.structs.replace(plan, steps=_steps(plan, event), next_step_number=number)
    return msgspec.structs.replace(
        after, revision=event.revision, update_time=event.time, size_bytes=after.text_bytes()
    )


def _steps(plan: Plan, event: Event) -> tuple[PlanStep, ...]:
    subject = event.subject
    assert isinstance(subject, PlanStepSubject)
    step_id = subject.step.step_id
    before = {step.step_id: step for step in plan.steps}.get(step_id)
    assert (before is None) is (event.type is EventType.PLAN_STEP_ADDED)
    if before is None:
        return _inserted(plan.steps, subject.step, subject.before_step_id)
    kept = {name: getattr(before, name) for name in ("description", "notes") if name not in event.changed}
    after = msgspec.structs.replace(subject.step, **kept)
    others = tuple(step for step in plan.steps if step.step_id != step_id)
    match event.type:
        case EventType.PLAN_STEP_UPDATED:
            return tuple(after if step is before else step for step in plan.steps)
        case EventType.PLAN_STEP_MOVED:
            return _inserted(others, after, subject.before_step_id)
        case _:
            assert event.type is EventType.PLAN_STEP_REMOVED
            return others


def _inserted(steps: tuple[PlanStep, ...], step: PlanStep, before_step_id: str) -> tuple[PlanStep, ...]:
    ids = [each.step_id for each in steps]
    place = ids.index(before_step_id) if before_step_id else len(ids)
    return (*steps[:place], step, *steps[place:])
