"""The calls about plans."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.entry import write_metadata
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.plan import (
    PLAN_STEP_STATUS,
    Plan,
    PlanNote,
    PlanStatus,
    PlanStep,
    PlanStepStatus,
    plan_from,
    plan_note_from,
    plan_step_from,
)
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.consistency import ReadOptions
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.protocol.record_filter import FilterOptions, filter_of, select
from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb


class PlanOptions(TypedDict, total=False):
    """The options of a new plan.

    ``plan_id``: its id; by default the server chooses one.
    ``conversation_id``: the conversation whose current plan it becomes; without, the plan is a template.
    ``templates``: the ids of plans whose steps are copied, before the given ones.
    ``user_id``: the user whom it is for. ``tags``: labels. ``metadata``: JSON values of the writer.
    ``must_not_exist``: if true, raise RecordExists if the conversation has a current plan.
    ``expected_revision``: raise RevisionMismatch unless the plan that is replaced has this revision; 0 means none.
    """

    plan_id: str
    conversation_id: str
    templates: Iterable[str]
    user_id: str
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    must_not_exist: bool
    expected_revision: int | None


class PlanName(TypedDict, total=False):
    """The name of a plan: exactly one of its fields.

    ``plan_id``: the plan's id. ``conversation_id``: the conversation whose current plan it is.
    """

    plan_id: str
    conversation_id: str


class PlanReadOptions(PlanName, ReadOptions, total=False):
    """The name of a plan, and how current its read must be."""


class PlanChanges(PlanName, total=False):
    """The name of a plan, and its fields to change; the others stay unchanged."""

    goal: str
    tags: Iterable[str]
    metadata: Mapping[str, Any]


class StepOptions(PlanName, total=False):
    """The name of a plan, and the options of a new step of it.

    ``before``: the id of the step that it is put in front of; by default it is the last.
    ``status``: its status; pending by default. ``notes``: what was learned while doing it.
    """

    before: str
    status: PlanStepStatus | str
    notes: str


class StepChanges(PlanName, total=False):
    """The name of a plan, and the fields of its step to change; the others stay unchanged."""

    description: str
    status: PlanStepStatus | str
    notes: str


class PlanListOptions(FilterOptions, total=False):
    """The options of a list of plans, and which are selected: see FilterOptions.

    ``statuses``: only plans with one of these. ``order``: by default that of creation. ``view``: by default the plans
    are in full.
    """

    statuses: Collection[PlanStatus | str] | None
    order: ListOrder | str
    view: RecordView | str


def create_plan(agent_id: str, goal: str, steps: Iterable[str], options: PlanOptions) -> Call[Plan]:
    """Create a plan."""
    draft = plan_pb2.PlanDraft(
        plan_id=options.get("plan_id", ""),
        user_id=options.get("user_id", ""),
        tags=strings_of("tags", options.get("tags", ())),
        conversation_id=options.get("conversation_id", ""),
        goal=goal,
        steps=[plan_pb2.PlanStepDraft(description=each) for each in strings_of("steps", steps)],
        template_plan_ids=strings_of("templates", options.get("templates", ())),
    )
    write_metadata(draft.metadata, options.get("metadata") or {})
    request = pb.CreatePlanRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(
            must_not_exist=options.get("must_not_exist", False), expected_revision=options.get("expected_revision")
        ),
        draft=draft,
    )
    return call(method.CREATE_PLAN, request, lambda answer: plan_from(answer.plan))


def get_plan(agent_id: str, name: PlanName) -> Call[Plan]:
    """Read a plan."""
    return call(method.GET_PLAN, _get_request(agent_id, name), lambda answer: plan_from(answer.plan))


def get_prompt_text(agent_id: str, name: PlanName) -> Call[str]:
    """Read a plan as text for a prompt."""
    return call(method.GET_PLAN, _get_request(agent_id, name), lambda answer: answer.prompt_text)


def list_plans(agent_id: str, conversation_id: str | None, options: PlanListOptions) -> Call[Page[Plan]]:
    """List plans, page by page."""
    chosen = filter_of(options, plan={"statuses": options.get("statuses")})
    select(chosen, conversation_ids=None if conversation_id is None else [conversation_id])
    request = pb.ListPlansRequest(
        agent_id=agent_id,
        filter=chosen,
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_PLANS, request, lambda answer: [plan_from(each) for each in answer.plans])


def update_plan(agent_id: str, changes: PlanChanges, expected_revision: int | None) -> Call[Plan]:
    """Change a plan. Raises ValueError if there are no changes."""
    draft = plan_pb2.PlanDraft(goal=changes.get("goal", ""), tags=strings_of("tags", changes.get("tags", ())))
    write_metadata(draft.metadata, changes.get("metadata", {}))
    request = pb.UpdatePlanRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=changes.get("plan_id", ""),
        conversation_id=changes.get("conversation_id", ""),
        draft=draft,
        update_mask=_mask_of(changes),
    )
    return call(method.UPDATE_PLAN, request, lambda answer: plan_from(answer.plan))


def complete_plan(agent_id: str, name: PlanName, expected_revision: int | None) -> Call[Plan]:
    """Complete a plan."""
    request = pb.CompletePlanRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
    )
    return call(method.COMPLETE_PLAN, request, lambda answer: plan_from(answer.plan))


def reopen_plan(agent_id: str, plan_id: str, expected_revision: int | None) -> Call[Plan]:
    """Reopen a plan."""
    request = pb.ReopenPlanRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=plan_id,
    )
    return call(method.REOPEN_PLAN, request, lambda answer: plan_from(answer.plan))


def delete_plan(
    agent_id: str, plan_id: str, expected_revision: int | None, *, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove a plan."""
    request = pb.DeletePlanRequest(
        erase=erase,
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=plan_id,
    )
    return call(
        method.DELETE_PLAN, request, removed(lambda answer: answer.deleted, erase=erase), patience=erasing(erase=erase)
    )


def add_step(agent_id: str, description: str, options: StepOptions, expected_revision: int | None) -> Call[PlanStep]:
    """Add a step."""
    request = pb.AddPlanStepRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=options.get("plan_id", ""),
        conversation_id=options.get("conversation_id", ""),
        draft=plan_pb2.PlanStepDraft(
            description=description,
            status=PLAN_STEP_STATUS.number(options.get("status", PlanStepStatus.UNSPECIFIED)),
            notes=options.get("notes", ""),
        ),
        before_step_id=options.get("before", ""),
    )
    return call(method.ADD_PLAN_STEP, request, lambda answer: plan_step_from(answer.step))


def update_step(agent_id: str, step_id: str, changes: StepChanges, expected_revision: int | None) -> Call[PlanStep]:
    """Change a step. Raises ValueError if there are no changes."""
    request = pb.UpdatePlanStepRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=changes.get("plan_id", ""),
        conversation_id=changes.get("conversation_id", ""),
        step_id=step_id,
        draft=plan_pb2.PlanStepDraft(
            description=changes.get("description", ""),
            status=PLAN_STEP_STATUS.number(changes.get("status", PlanStepStatus.UNSPECIFIED)),
            notes=changes.get("notes", ""),
        ),
        update_mask=_mask_of(changes),
    )
    return call(method.UPDATE_PLAN_STEP, request, lambda answer: plan_step_from(answer.step))


def move_step(
    agent_id: str, step_id: str, before_step_id: str, name: PlanName, expected_revision: int | None
) -> Call[PlanStep]:
    """Move a step."""
    request = pb.MovePlanStepRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        step_id=step_id,
        before_step_id=before_step_id,
    )
    return call(method.MOVE_PLAN_STEP, request, lambda answer: plan_step_from(answer.step))


def remove_step(
    agent_id: str, step_id: str, name: PlanName, expected_revision: int | None, *, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove a step."""
    request = pb.RemovePlanStepRequest(
        erase=erase,
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        step_id=step_id,
    )
    return call(
        method.REMOVE_PLAN_STEP,
        request,
        removed(lambda answer: answer.deleted, erase=erase),
        patience=erasing(erase=erase),
    )


def add_note(agent_id: str, text: str, name: PlanName, expected_revision: int | None) -> Call[PlanNote]:
    """Add a note to a plan."""
    request = pb.AddPlanNoteRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        plan_id=name.get("plan_id", ""),
        conversation_id=name.get("conversation_id", ""),
        text=text,
    )
    return call(method.ADD_PLAN_NOTE, request, lambda answer: plan_note_from(answer.note))


def _get_request(agent_id: str, name: PlanName) -> pb.GetPlanRequest:
    return pb.GetPlanRequest(
        agent_id=agent_id, plan_id=name.get("plan_id", ""), conversation_id=name.get("conversation_id", "")
    )


def _mask_of(changes: PlanChanges | StepChanges) -> FieldMask:
    """Return the fields to change. Raises ValueError if there are none."""
    names = [name for name in changes if name not in PlanName.__annotations__]
    if not names:
        raise ValueError("the update has no changes: name at least one field")
    return FieldMask(paths=names)
