"""Commands that create, change and delete plans."""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_revision
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import LimitExceeded, PlanEnded, RecordExists, RecordNotFound
from memoryd_server.domain.limit import CONTEXT_NOTES_PER_PLAN_MAX, STEPS_PER_PLAN_MAX
from memoryd_server.domain.plans.plan import PLAN, Plan, PlanContextNote, PlanName, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.validation import size_bytes

STEP_KIND = "plan step"
"""The kind that RecordNotFound names when a plan has no such step."""


class PlanCreated(RecordPut[Plan], frozen=True, array_like=True, tag=True):
    """The result of CreatePlan. ``replaced_plan_id`` is the plan that was current before, empty for none."""

    replaced_plan_id: str = ""


class CreatePlan(Command[PlanCreated], frozen=True):
    """Create a plan, which becomes the current one of its conversation. ``plan_id`` must not exist.

    The steps of the templates come before the given steps. An empty goal is replaced by the goal of the first template.
    The precondition applies to the current plan, which the new one replaces.
    """

    plan_id: str
    conversation_id: str
    goal: str
    steps: tuple[str, ...] = ()
    template_plan_ids: tuple[str, ...] = ()
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> PlanCreated:
        """Create a plan. Raises RecordExists, RecordNotFound, RevisionMismatch, LimitExceeded."""
        plans = transition.open(PLAN).records
        if plans.aliased(PlanName(self.plan_id).alias) is not None:
            raise RecordExists(PLAN.name, self.plan_id)
        templates = [_found(transition, PlanName(plan_id)) for plan_id in self.template_plan_ids]
        replaced = _replaced(self, transition)
        if len(plans) >= transition.limits.plans_per_agent:
            raise LimitExceeded("plans_per_agent", transition.limits.plans_per_agent)
        if replaced is not None:
            _end(transition, replaced, PlanStatus.REPLACED)
        taken_over = [step.description for template in templates for step in template.steps]
        steps = _pending((*taken_over, *self.steps), transition)
        goal = self.goal or templates[0].goal
        now = transition.now
        names = (self.plan_id, self.conversation_id, goal)
        plan = Plan(*names, steps, (), PlanStatus.IN_PROGRESS, now, now, None, len(steps) + 1, 0, 0)
        return PlanCreated(
            _put(transition, plan),
            changed=True,
            revision=transition.revision,
            replaced_plan_id="" if replaced is None else replaced.plan_id,
        )


class StepText(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a step. A field that is UNSET keeps its value."""

    status: PlanStepStatus | msgspec.UnsetType = msgspec.UNSET
    notes: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET


class UpdateStep(Command[RecordPut[Plan]], frozen=True):
    """Change a step of a plan."""

    plan: PlanName
    step_id: str
    text: StepText
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Change a step. Raises RecordNotFound, RevisionMismatch, PlanEnded, LimitExceeded."""
        plan = _open(transition, self.plan, self.precondition)
        place = _place(transition, plan, self.step_id)
        before = plan.steps[place]
        fields = {
            name: value for name, value in msgspec.structs.asdict(self.text).items() if value is not msgspec.UNSET
        }
        after = msgspec.structs.replace(before, **fields)
        if after == before:
            return RecordPut(plan, changed=False, revision=transition.result_revision)
        after = msgspec.structs.replace(after, update_time=transition.now)
        steps = (*plan.steps[:place], after, *plan.steps[place + 1 :])
        return _changed(transition, msgspec.structs.replace(plan, steps=steps))


class AddStep(Command[RecordPut[Plan]], frozen=True):
    """Add a step to a plan: before the step ``before_step_id``, or at the end when that is empty."""

    plan: PlanName
    description: str
    before_step_id: str = ""
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Add a step with the plan's next number as its id. Raises the errors of UpdateStep."""
        plan = _open(transition, self.plan, self.precondition)
        place = _place(transition, plan, self.before_step_id) if self.before_step_id else len(plan.steps)
        number = plan.next_step_number
        (added,) = _pending((self.description,), transition, number)
        steps = (*plan.steps[:place], added, *plan.steps[place:])
        return _changed(transition, msgspec.structs.replace(plan, steps=steps, next_step_number=number + 1))


class AddContextNote(Command[RecordPut[Plan]], frozen=True):
    """Add a context note, a finding that was made while the plan was followed."""

    plan: PlanName
    text: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Add a context note; the oldest ones are dropped past the maximum. Raises the errors of UpdateStep."""
        plan = _open(transition, self.plan, self.precondition)
        notes = (*plan.context_notes, PlanContextNote(self.text, transition.now))[-CONTEXT_NOTES_PER_PLAN_MAX:]
        return _changed(transition, msgspec.structs.replace(plan, context_notes=notes))


class CompletePlan(Command[RecordPut[Plan]], frozen=True):
    """Complete a plan, whatever the state of its steps."""

    plan: PlanName
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Plan]:
        """Complete a plan. Raises RecordNotFound, RevisionMismatch, PlanEnded."""
        plan = _open(transition, self.plan, self.precondition)
        ended = _end(transition, plan, PlanStatus.COMPLETED)
        return RecordPut(ended, changed=True, revision=transition.revision)


class DeletePlan(Command[RecordRemoved], frozen=True):
    """Delete a plan, if it exists."""

    plan_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a plan, if it exists. Raises RevisionMismatch."""
        plan = transition.open(PLAN).records.aliased(PlanName(self.plan_id).alias)
        if plan is None:
            return RecordRemoved(0, transition.result_revision)
        check_revision(self.precondition, plan.revision)
        transition.open(PLAN).remove(plan)
        return RecordRemoved(1, transition.revision)


def _found(transition: Transition, name: PlanName) -> Plan:
    plan = transition.open(PLAN).records.aliased(name.alias)
    if plan is None:
        raise RecordNotFound(transition.state.agent_id, PLAN.name, str(name))
    return plan


def _open(transition: Transition, name: PlanName, precondition: Precondition | None) -> Plan:
    """Return a plan that is in progress. Raises RecordNotFound, RevisionMismatch, PlanEnded."""
    plan = _found(transition, name)
    check_revision(precondition, plan.revision)
    if plan.status is not PlanStatus.IN_PROGRESS:
        raise PlanEnded(plan.plan_id)
    return plan


def _replaced(command: CreatePlan, transition: Transition) -> Plan | None:
    """Return the current plan that a new one replaces. Raises RecordExists, RevisionMismatch."""
    if not command.conversation_id:
        return None
    current = transition.open(PLAN).records.aliased(PlanName(conversation_id=command.conversation_id).alias)
    precondition = command.precondition
    if current is not None and precondition is not None and precondition.must_not_exist:
        raise RecordExists(PLAN.name, current.plan_id)
    check_revision(precondition, 0 if current is None else current.revision)
    return current


def _place(transition: Transition, plan: Plan, step_id: str) -> int:
    for place, step in enumerate(plan.steps):
        if step.step_id == step_id:
            return place
    raise RecordNotFound(transition.state.agent_id, STEP_KIND, step_id)


def _pending(descriptions: Iterable[str], transition: Transition, first_number: int = 1) -> tuple[PlanStep, ...]:
    return tuple(
        PlanStep(str(number), each, PlanStepStatus.PENDING, "", transition.now)
        for number, each in enumerate(descriptions, first_number)
    )


def _end(transition: Transition, plan: Plan, status: PlanStatus) -> Plan:
    return _put(transition, msgspec.structs.replace(plan, status=status, end_time=transition.now))


def _changed(transition: Transition, plan: Plan) -> RecordPut[Plan]:
    return RecordPut(_put(transition, plan), changed=True, revision=transition.revision)


def _put(transition: Transition, plan: Plan) -> Plan:
    """Put the plan with its new size, time and revision, and return it. Raises LimitExceeded."""
    size = size_bytes(plan.conversation_id) + size_bytes(plan.goal)
    size += sum(step.size_bytes for step in plan.steps) + sum(note.size_bytes for note in plan.context_notes)
    if len(plan.steps) > STEPS_PER_PLAN_MAX:
        raise LimitExceeded("steps_per_plan", STEPS_PER_PLAN_MAX)
    bytes_max = transition.limits.plan_bytes
    # A plan that a lowered limit made too large may still be changed, as long as it does not grow.
    if size > max(bytes_max, plan.size_bytes):
        raise LimitExceeded("plan_bytes", bytes_max)
    kept = msgspec.structs.replace(plan, update_time=transition.now, revision=transition.revision, size_bytes=size)
    transition.open(PLAN).put(kept)
    return kept
