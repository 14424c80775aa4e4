"""The calls about plans."""

from collections.abc import Iterable
from typing import TypedDict

from memoryd.model.plan import PLAN_STATUS, PLAN_STEP_STATUS, AddedStep, Plan, PlanStatus, PlanStepStatus, plan_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.v1 import plan_service_pb2 as pb


class PlanOptions(TypedDict, total=False):
    """The options of a new plan.

    ``plan_id``: its id; by default the server chooses one.
    ``conversation_id``: the conversation whose current plan it becomes; without, the plan is a template.
    ``templates``: the ids of plans whose steps are copied, before the given ones.
    ``must_not_exist``: if true, raise RecordExists if the conversation has a current plan.
    ``expected_revision``: raise RevisionMismatch unless the plan that is replaced has this revision; 0 means none.
    """

    plan_id: str
    conversation_id: str
    templates: Iterable[str]
    must_not_exist: bool
    expected_revision: int | None


class PlanName(TypedDict, total=False):
    """The name of a plan: exactly one of its fields.

    ``plan_id``: the plan's id. ``conversation_id``: the conversation whose current plan it is.
    """

    plan_id: str
    conversation_id: str


class StepChanges(PlanName, total=False):
    """The name of a plan, and the fields of its step to change; the others stay unchanged."""

    status: PlanStepStatus | str
    notes: str
    description: str


def create_plan(agent_id: str, goal: str, steps: Iterable[str], options: PlanOptions) -> Call[Plan]:
    """Create a plan."""
    request = pb.CreatePlanRequest(
        agent_id=agent_id,
        plan_id=options.get("plan_id", ""),
        conversation_id=options.get("conversation_id", ""),
        goal=goal,
        steps=strings_of("steps", steps),
        template_plan_ids=strings_of("templates", options.get("templates", ())),
        precondition=precondition_of(
            must_not_exist=options.get("must_not_exist", False), expected_revision=options.get("expected_revision")
        ),
        request_id=new_request_id(),
    )
    return call(method.CREATE_PLAN, request, lambda answer: plan_from(answer.plan))


def get_plan(agent_id: str, name: PlanName) -> Call[Plan]:
    """Read a plan."""
    return call(method.GET_PLAN, _get_request(agent_id, name), lambda answer: plan_from(answer.plan))


def get_prompt_text(agent_id: str, name: PlanName) -> Call[str]:
    """Read a plan as text for a prompt."""
    return call(method.GET_PLAN, _get_request(agent_id, name), lambda answer: answer.prompt_text)


def list_plans(
    agent_id: str, conversation_id: str | None, status: PlanStatus | str | None, *, newest_first: bool
) -> Call[Page[Plan]]:
    """List plans, page by page."""
    request = pb.ListPlansRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        status=None if status is None else PLAN_STATUS.number(status),
        newest_first=newest_first,
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_PLANS, request, lambda answer: [plan_from(each) for each in answer.plans])


def update_step(agent_id: str, step_id: str, changes: StepChanges, expected_revision: int | None) -> Call[Plan]:
    """Change a step. Raises ValueError if there are no changes."""
    status = changes.get("status")
    if changes.keys() <= PlanName.__annotations__.keys():
        raise ValueError("the update has no changes: name at least one field")
    request = pb.UpdateStepRequest(
        agent_id=agent_id,
        plan_id=changes.get("plan_id", ""),
        conversation_id=changes.get("conversation_id", ""),
        step_id=step_id,
        status=None if status is None else PLAN_STEP_STATUS.number(status),
        notes=changes.get("notes"),
        description=changes.get("description"),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UPDATE_STEP, request, lambda answer: plan_from(answer.plan))


def add_step(
    agent_id: str, description: str, before_step_id: str, name: PlanName, expected_revision: int | None
) -> Call[AddedStep]:
    """Add a step."""
    request = pb.AddStepRequest(
        agent_id=agent_id,
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        description=description,
        before_step_id=before_step_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.ADD_STEP, request, lambda answer: AddedStep(answer.step_id, plan_from(answer.plan)))


def add_context_note(agent_id: str, text: str, name: PlanName, expected_revision: int | None) -> Call[Plan]:
    """Add a context note to a plan."""
    request = pb.AddContextNoteRequest(
        agent_id=agent_id,
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        text=text,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.ADD_CONTEXT_NOTE, request, lambda answer: plan_from(answer.plan))


def complete_plan(agent_id: str, name: PlanName, expected_revision: int | None) -> Call[Plan]:
    """Complete a plan."""
    request = pb.CompletePlanRequest(
        agent_id=agent_id,
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.COMPLETE_PLAN, request, lambda answer: plan_from(answer.plan))


def delete_plan(agent_id: str, plan_id: str, expected_revision: int | None) -> Call[bool]:
    """Remove a plan."""
    request = pb.DeletePlanRequest(
        agent_id=agent_id,
        plan_id=plan_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.DELETE_PLAN, request, lambda answer: answer.deleted)


def _get_request(agent_id: str, name: PlanName) -> pb.GetPlanRequest:
    return pb.GetPlanRequest(
        agent_id=agent_id, plan_id=name.get("plan_id", ""), conversation_id=name.get("conversation_id", "")
    )
