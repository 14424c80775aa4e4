"""The plans of an agent as a watcher has them, who knows nothing but the messages of events."""

from typing import Any

from memoryd.v1 import event_pb2, plan_pb2

NOTES_PER_PLAN_MAX = 100
CONTENTS = ("goal", "steps", "notes", "tags", "metadata")


class PlanWatcher:
    """Plans by their ids, built by the words of event.proto."""

    def __init__(self) -> None:
        self.plans: dict[str, plan_pb2.Plan] = {}

    def apply(self, event: event_pb2.Event) -> None:
        """Apply one event."""
        match event.type:
            case event_pb2.EVENT_TYPE_PLAN_CREATED:
                self.plans[event.plan.plan_id] = event.plan.plan
            case event_pb2.EVENT_TYPE_PLAN_UPDATED:
                self.plans[event.plan.plan_id] = _updated(self.plans[event.plan.plan_id], event)
            case event_pb2.EVENT_TYPE_PLAN_DELETED:
                del self.plans[event.plan.plan_id]
            case event_pb2.EVENT_TYPE_PLANS_CLEARED | event_pb2.EVENT_TYPE_AGENT_ENDED:
                self.plans = {}
            case event_pb2.EVENT_TYPE_PLAN_NOTE_ADDED:
                plan = self._touched(event.plan_note.plan_id, event)
                _replace(plan.notes, [*plan.notes, event.plan_note.plan_note][-NOTES_PER_PLAN_MAX:])
            case _ if event.HasField("plan_step"):
                plan = self._touched(event.plan_step.plan_id, event)
                _replace(plan.steps, _steps(list(plan.steps), event))

    def _touched(self, plan_id: str, event: event_pb2.Event) -> plan_pb2.Plan:
        """Give a plan the revision and the time of an event about a step or a note of it, and return it."""
        plan = plan_pb2.Plan()
        plan.CopyFrom(self.plans[plan_id])
        plan.revision = event.revision
        plan.update_time.CopyFrom(event.event_time)
        self.plans[plan_id] = plan
        return plan


def _updated(before: plan_pb2.Plan, event: event_pb2.Event) -> plan_pb2.Plan:
    after = plan_pb2.Plan()
    after.CopyFrom(event.plan.plan)
    for name in CONTENTS:
        if name not in event.changed_fields.paths:
            assert getattr(event.plan.plan, name) == getattr(plan_pb2.Plan(), name)
    kept = plan_pb2.Plan()
    kept.CopyFrom(before)
    for field in kept.DESCRIPTOR.fields:
        if field.name not in CONTENTS or field.name in event.changed_fields.paths:
            kept.ClearField(field.name)  # type: ignore[arg-type]
    after.MergeFrom(kept)
    return after


def _steps(steps: list[plan_pb2.PlanStep], event: event_pb2.Event) -> list[plan_pb2.PlanStep]:
    ids = [step.step_id for step in steps]
    subject, step = event.plan_step, plan_pb2.PlanStep()
    step.CopyFrom(subject.plan_step)
    if event.type == event_pb2.EVENT_TYPE_PLAN_STEP_ADDED:
        steps.insert(ids.index(subject.before_step_id) if subject.before_step_id else len(steps), step)
        return steps
    before = steps.pop(place := ids.index(subject.step_id))
    assert event.previous_revision == before.revision
    for name in ("description", "notes"):
        if name not in event.changed_fields.paths:
            setattr(step, name, getattr(before, name))
    if event.type == event_pb2.EVENT_TYPE_PLAN_STEP_UPDATED:
        steps.insert(place, step)
    elif event.type == event_pb2.EVENT_TYPE_PLAN_STEP_MOVED:
        ids.remove(step.step_id)
        steps.insert(ids.index(subject.before_step_id) if subject.before_step_id else len(steps), step)
    else:
        assert event.type == event_pb2.EVENT_TYPE_PLAN_STEP_REMOVED
        assert not subject.HasField("plan_step")
    return steps


def _replace(field: Any, values: list[Any]) -> None:
    del field[:]
    field.extend(values)
