"""Commands that create, change and delete plans."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RESULT_BYTES, RecordPut, RecordRemoved, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition, changed_fields
from memoryd_server.domain.error import PlanEnded, QuotaExceeded, RecordExists, RecordNotFound, TooLarge
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import NOTES_PER_PLAN_MAX, STEPS_PER_PLAN_MAX
from memoryd_server.domain.plans.plan import Plan, PlanName, PlanNote, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_record import NOTE_RECORD, PLAN_RECORD, STEP_RECORD
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject

T = TypeVar("T", Plan, PlanStep)


class PlanStarted(RecordPut[Plan], frozen=True, array_like=True, tag=True):
    """The result of CreatePlan and ReopenPlan.

    ``replaced_plan_id`` is the plan that was current before, empty for none.
    """

    replaced_plan_id: str = ""


class PlanStepPut(Result, frozen=True, array_like=True, tag=True):
    """The result of a command that adds or changes a step: the step as it is now, and whether it was changed."""

    plan_id: str
    step: PlanStep
    changed: bool
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the step."""
        return RESULT_BYTES + self.step.size_bytes


class PlanStepRemoved(Result, frozen=True, array_like=True, tag=True):
    """The result of RemovePlanStep. ``count`` is 0 if the step did not exist."""

    plan_id: str
    count: int
    revision: int


class PlanNoteAdded(Result, frozen=True, array_like=True, tag=True):
    """The result of AddPlanNote."""

    plan_id: str
    note: PlanNote
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the note."""
        return RESULT_BYTES + self.note.size_bytes


class PlanStepDraft(msgspec.Struct, frozen=True):
    """A step as its writer gives it."""

    description: str
    status: PlanStepStatus = PlanStepStatus.PENDING
    notes: str = ""


class PlanDraft(msgspec.Struct, frozen=True):
    """A plan as its writer gives it.

    The steps of the templates come before the given steps. An empty goal is replaced by the goal of the first template.
    """

    plan_id: str
    conversation_id: str
    goal: str
    steps: tuple[PlanStepDraft, ...] = ()
    template_plan_ids: tuple[str, ...] = ()
    user_id: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""


class CreatePlan(Command[PlanStarted], frozen=True):
    """Create a plan, which becomes the current one of its conversation. Its id must not exist.

    The precondition applies to the current plan, which the new one replaces.
    """

    draft: PlanDraft
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanStarted:
        """Create a plan. Raises RecordExists, RecordNotFound, RevisionMismatch, QuotaExceeded, TooLarge."""
        plans, draft = transition.open(PLAN).records, self.draft
        there = plans.aliased(PlanName(draft.plan_id).alias)
        if there is not None:
            raise RecordExists(PLAN.name, draft.plan_id, there.revision)
        templates = [_found(transition, PlanName(plan_id)) for plan_id in draft.template_plan_ids]
        replaced = _current(transition, draft.conversation_id)
        if draft.conversation_id:
            plan_id, revision = ("", 0) if replaced is None else (replaced.plan_id, replaced.revision)
            place = {"conversation_id": draft.conversation_id}
            check_record(self.precondition, transition.state.agent_id, PLAN.name, plan_id, revision, **place)
        if len(plans) >= transition.limits.plans_per_agent:
            raise QuotaExceeded("plans_per_agent", transition.limits.plans_per_agent)
        taken_over = (PlanStepDraft(step.description) for template in templates for step in template.steps)
        steps = _new_steps((*taken_over, *draft.steps), transition)
        plan = Plan(
            draft.plan_id,
            draft.conversation_id,
            draft.user_id,
            draft.goal or templates[0].goal,
            steps,
            (),
            draft.tags,
            draft.metadata_json,
            PlanStatus.IN_PROGRESS,
            create_time=transition.now,
            update_time=transition.now,
            end_time=None,
            next_step_number=len(steps) + 1,
            next_note_number=1,
            revision=0,
            size_bytes=0,
        )
        return _start(transition, plan, replaced)


class PlanPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a plan. A field that is UNSET keeps its value."""

    goal: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET


class UpdatePlan(Command[RecordPut[Plan]], frozen=True):
    """Change a plan."""

    plan: PlanName
    patch: PlanPatch
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Change a plan. Raises RecordNotFound, RevisionMismatch, PlanEnded, QuotaExceeded."""
        plan = _open(transition, self.plan, self.precondition)
        after = _patched(plan, self.patch)
        if after == plan:
            return RecordPut(plan, changed=False, revision=transition.result_revision)
        return RecordPut(_put(transition, after), changed=True, revision=transition.revision)


class CompletePlan(Command[RecordPut[Plan]], frozen=True):
    """Complete a plan, whatever the state of its steps."""

    plan: PlanName
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Complete a plan, unless it is completed already. Raises RecordNotFound, RevisionMismatch, PlanEnded."""
        plan = _checked(transition, self.plan, self.precondition)
        if plan.status is PlanStatus.COMPLETED:
            return RecordPut(plan, changed=False, revision=transition.result_revision)
        ended = _end(transition, _in_progress(plan), PlanStatus.COMPLETED)
        return RecordPut(ended, changed=True, revision=transition.revision)


class ReopenPlan(Command[PlanStarted], frozen=True):
    """Continue a plan that was completed or replaced. It becomes the current plan of its conversation again."""

    plan_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanStarted:
        """Reopen a plan, unless it is in progress. Raises RecordNotFound, RevisionMismatch."""
        plan = _checked(transition, PlanName(self.plan_id), self.precondition)
        if plan.status is PlanStatus.IN_PROGRESS:
            return PlanStarted(plan, changed=False, revision=transition.result_revision)
        reopened = msgspec.structs.replace(plan, status=PlanStatus.IN_PROGRESS, end_time=None)
        return _start(transition, reopened, _current(transition, plan.conversation_id))


class DeletePlan(Command[RecordRemoved], frozen=True):
    """Delete a plan, if it exists."""

    plan_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the plan, its steps and its notes."""
        return tuple((name, self.plan_id) for name in (PLAN_RECORD, STEP_RECORD, NOTE_RECORD))

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a plan, if it exists. Raises RecordExists, RecordNotFound, RevisionMismatch."""
        plan = transition.open(PLAN).records.aliased(PlanName(self.plan_id).alias)
        revision = 0 if plan is None else plan.revision
        check_record(self.precondition, transition.state.agent_id, PLAN.name, self.plan_id, revision)
        if plan is None:
            return RecordRemoved(0, transition.result_revision)
        transition.open(PLAN).remove(plan)
        return RecordRemoved(1, transition.revision)


class AddPlanStep(Command[PlanStepPut], frozen=True):
    """Add a step to a plan: before the step ``before_step_id``, or at the end when that is empty."""

    plan: PlanName
    draft: PlanStepDraft
    before_step_id: str = ""
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanStepPut:
        """Add a step with the plan's next number as its id. Raises the errors of UpdatePlan."""
        plan = _open(transition, self.plan, self.precondition)
        place = _place(transition, plan, self.before_step_id) if self.before_step_id else len(plan.steps)
        number = plan.next_step_number
        (step,) = _new_steps((self.draft,), transition, number)
        steps = (*plan.steps[:place], step, *plan.steps[place:])
        after = _sized(transition, msgspec.structs.replace(plan, steps=steps, next_step_number=number + 1))
        subject = PlanStepSubject.added(after, step, self.before_step_id)
        transition.open(PLAN).put_part(after, EventType.PLAN_STEP_ADDED, subject, None)
        return PlanStepPut(plan.plan_id, step, changed=True, revision=transition.revision)


class PlanStepPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a step. A field that is UNSET keeps its value."""

    description: str | msgspec.UnsetType = msgspec.UNSET
    status: PlanStepStatus | msgspec.UnsetType = msgspec.UNSET
    notes: str | msgspec.UnsetType = msgspec.UNSET


class UpdatePlanStep(Command[PlanStepPut], frozen=True):
    """Change a step of a plan. The precondition applies to the step."""

    plan: PlanName
    step_id: str
    patch: PlanStepPatch
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanStepPut:
        """Change a step. Raises the errors of UpdatePlan."""
        plan = _open(transition, self.plan)
        place, before = _step(transition, plan, self.step_id, self.precondition)
        after = _patched(before, self.patch)
        if after == before:
            return PlanStepPut(plan.plan_id, before, changed=False, revision=transition.result_revision)
        after = _written(after, transition)
        steps = (*plan.steps[:place], after, *plan.steps[place + 1 :])
        changed = _sized(transition, msgspec.structs.replace(plan, steps=steps))
        fields = changed_fields(before, after)
        subject = PlanStepSubject.updated(changed, after, fields)
        transition.open(PLAN).put_part(changed, EventType.PLAN_STEP_UPDATED, subject, before, fields)
        return PlanStepPut(plan.plan_id, after, changed=True, revision=transition.revision)


class MovePlanStep(Command[PlanStepPut], frozen=True):
    """Move a step: before the step ``before_step_id``, or to the end when that is empty.

    The precondition applies to the step.
    """

    plan: PlanName
    step_id: str
    before_step_id: str = ""
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanStepPut:
        """Move a step, unless it is there already. Raises the errors of UpdatePlan."""
        plan = _open(transition, self.plan)
        place, before = _step(transition, plan, self.step_id, self.precondition)
        target = _place(transition, plan, self.before_step_id) if self.before_step_id else len(plan.steps)
        if target in (place, place + 1):
            return PlanStepPut(plan.plan_id, before, changed=False, revision=transition.result_revision)
        after = _written(before, transition)
        others = [*plan.steps[:place], *plan.steps[place + 1 :]]
        others.insert(target - (place < target), after)
        changed = _sized(transition, msgspec.structs.replace(plan, steps=tuple(others)))
        subject = PlanStepSubject.moved(changed, after, self.before_step_id)
        transition.open(PLAN).put_part(changed, EventType.PLAN_STEP_MOVED, subject, before)
        return PlanStepPut(plan.plan_id, after, changed=True, revision=transition.revision)


class RemovePlanStep(Command[PlanStepRemoved], frozen=True):
    """Remove a step from a plan, if it exists. The precondition applies to the step."""

    plan: PlanName
    step_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the step."""
        return ((STEP_RECORD, result.plan_id, self.step_id),)

    def decide(self, transition: Transition) -> PlanStepRemoved:
        """Remove a step, if it exists. Raises the errors of UpdatePlan, and RecordExists."""
        plan = _open(transition, self.plan)
        removed = next((step for step in plan.steps if step.step_id == self.step_id), None)
        revision = 0 if removed is None else removed.revision
        agent_id = transition.state.agent_id
        check_record(self.precondition, agent_id, STEP_RECORD, self.step_id, revision, plan_id=plan.plan_id)
        if removed is None:
            return PlanStepRemoved(plan.plan_id, 0, transition.result_revision)
        steps = tuple(step for step in plan.steps if step is not removed)
        changed = _sized(transition, msgspec.structs.replace(plan, steps=steps))
        subject = PlanStepSubject.removed(changed, removed)
        transition.open(PLAN).put_part(changed, EventType.PLAN_STEP_REMOVED, subject, removed)
        return PlanStepRemoved(plan.plan_id, 1, transition.revision)


class AddPlanNote(Command[PlanNoteAdded], frozen=True):
    """Add a note, a finding that was made while the plan was followed."""

    plan: PlanName
    text: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanNoteAdded:
        """Add a note; the oldest ones are dropped past the maximum. Raises the errors of UpdatePlan."""
        plan = _open(transition, self.plan, self.precondition)
        note = PlanNote(self.text, transition.now)
        notes = (*plan.notes, note)[-NOTES_PER_PLAN_MAX:]
        after = msgspec.structs.replace(plan, notes=notes, next_note_number=plan.next_note_number + 1)
        after = _sized(transition, after)
        subject = PlanNoteSubject(plan.plan_id, plan.conversation_id, plan.user_id, note)
        transition.open(PLAN).put_part(after, EventType.PLAN_NOTE_ADDED, subject, plan, changed_fields(plan, after))
        return PlanNoteAdded(plan.plan_id, note, transition.revision)


def _found(transition: Transition, name: PlanName) -> Plan:
    plan = name.find(transition.open(PLAN).records)
    if plan is None:
        raise name.missing(transition.state.agent_id)
    return plan


def _checked(transition: Transition, name: PlanName, precondition: Precondition | None) -> Plan:
    """Return a plan. Raises RecordNotFound, RecordExists, RevisionMismatch."""
    plan = _found(transition, name)
    check_record(precondition, transition.state.agent_id, PLAN.name, plan.plan_id, plan.revision)
    return plan


def _open(transition: Transition, name: PlanName, precondition: Precondition | None = None) -> Plan:
    """Return a plan that is in progress. Raises RecordNotFound, RecordExists, RevisionMismatch, PlanEnded."""
    return _in_progress(_checked(transition, name, precondition))


def _in_progress(plan: Plan) -> Plan:
    if plan.status is not PlanStatus.IN_PROGRESS:
        raise PlanEnded(plan.plan_id)
    return plan


def _current(transition: Transition, conversation_id: str) -> Plan | None:
    """Return the current plan of a conversation; None if there is none, or no conversation."""
    if not conversation_id:
        return None
    return transition.open(PLAN).records.aliased(PlanName(conversation_id=conversation_id).alias)


def _place(transition: Transition, plan: Plan, step_id: str) -> int:
    for place, step in enumerate(plan.steps):
        if step.step_id == step_id:
            return place
    raise RecordNotFound(transition.state.agent_id, STEP_RECORD, step_id, plan_id=plan.plan_id)


def _step(transition: Transition, plan: Plan, step_id: str, precondition: Precondition | None) -> tuple[int, PlanStep]:
    """Return a step and its place. Raises RecordNotFound, RecordExists, RevisionMismatch."""
    place = _place(transition, plan, step_id)
    step = plan.steps[place]
    agent_id = transition.state.agent_id
    check_record(precondition, agent_id, STEP_RECORD, step_id, step.revision, plan_id=plan.plan_id)
    return place, step


def _new_steps(drafts: Iterable[PlanStepDraft], transition: Transition, first_number: int = 1) -> tuple[PlanStep, ...]:
    now, revision = transition.now, transition.revision
    return tuple(
        PlanStep(str(number), draft.description, draft.status, draft.notes, now, now, revision)
        for number, draft in enumerate(drafts, first_number)
    )


def _written(step: PlanStep, transition: Transition) -> PlanStep:
    return msgspec.structs.replace(step, update_time=transition.now, revision=transition.revision)


def _patched(record: T, patch: PlanPatch | PlanStepPatch) -> T:
    fields = {name: value for name, value in msgspec.structs.asdict(patch).items() if value is not msgspec.UNSET}
    return msgspec.structs.replace(record, **fields)


def _start(transition: Transition, plan: Plan, replaced: Plan | None) -> PlanStarted:
    """Put a plan, and end the one that was current before."""
    if replaced is not None:
        _end(transition, replaced, PlanStatus.REPLACED)
    return PlanStarted(
        _put(transition, plan),
        changed=True,
        revision=transition.revision,
        replaced_plan_id="" if replaced is None else replaced.plan_id,
    )


def _end(transition: Transition, plan: Plan, status: PlanStatus) -> Plan:
    return _put(transition, msgspec.structs.replace(plan, status=status, end_time=transition.now))


def _put(transition: Transition, plan: Plan) -> Plan:
    """Put the plan with its new size, time and revision, and return it. Raises what ``_sized`` raises."""
    kept = _sized(transition, plan)
    transition.open(PLAN).put(kept)
    return kept


def _sized(transition: Transition, plan: Plan) -> Plan:
    """Return the plan with its new size, time and revision. Raises TooLarge for a new plan, otherwise QuotaExceeded."""
    size = plan.text_bytes()
    exceeded = QuotaExceeded if plan.size_bytes else TooLarge
    if len(plan.steps) > STEPS_PER_PLAN_MAX:
        raise exceeded("steps_per_plan", STEPS_PER_PLAN_MAX)
    bytes_max = transition.limits.plan_bytes
    # A plan that a lowered limit made too large may still be changed, as long as it does not grow.
    if size > max(bytes_max, plan.size_bytes):
        raise exceeded("plan_bytes", bytes_max)
    return msgspec.structs.replace(plan, update_time=transition.now, revision=transition.revision, size_bytes=size)
