"""The tools that let a model use the plans of its conversation."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from memoryd.errors import RecordNotFound
from memoryd.model.listing import ListOrder
from memoryd.model.plan import Plan, PlanStep
from memoryd.protocol import plan as calls
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.plan import PlanChanges, PlanListOptions, PlanName, PlanOptions, StepChanges, StepOptions
from memoryd.protocol.tool import Flow, changes_of, first_items, tool
from memoryd.protocol.tool_schema import Between

StepId = Annotated[str, "The step's id, as in the plan."]
Status = Annotated[Literal["pending", "in_progress", "completed", "blocked"], "The state of the step."]


@tool(read_only=True)
def get_plan(here: CurrentConversation) -> Flow:
    """Read the current plan of this conversation, or the one completed last; null when there is none."""
    try:
        return {"plan": _rendered((yield calls.get_plan(here.agent_id, _current(here))))}
    except RecordNotFound:
        return {"plan": None}


@tool(read_only=True)
def list_plans(
    here: CurrentConversation, limit: Annotated[int, "Maximum number of plans to return.", Between(1, 50)] = 10
) -> Flow:
    """List the plans of this conversation, the newest first: the current one, and those that were completed or
    replaced.
    """
    options = PlanListOptions(order=ListOrder.CREATE_TIME_DESCENDING)
    listed = calls.list_plans(here.agent_id, here.conversation_id, options)
    return {"plans": [_summary(plan) for plan in (yield from first_items(listed, limit))]}


@tool(destructive=True)
def create_plan(
    here: CurrentConversation,
    goal: Annotated[str, "The goal of the plan."],
    steps: Annotated[Sequence[str], "The descriptions of the steps, in order."],
) -> Flow:
    """Create a plan for this conversation, for a task of several steps. It replaces the current plan."""
    options = PlanOptions(conversation_id=here.conversation_id)
    return {"plan": _rendered((yield calls.create_plan(here.agent_id, goal, steps, options)))}


@tool(destructive=True)
def update_plan(here: CurrentConversation, goal: Annotated[str, "The new goal of the plan."]) -> Flow:
    """Change the goal of the current plan. Its steps and notes stay."""
    changes = PlanChanges(goal=goal, conversation_id=here.conversation_id)
    return {"plan": _rendered((yield calls.update_plan(here.agent_id, changes, None)))}


@tool(destructive=True)
def update_plan_step(
    here: CurrentConversation,
    step_id: StepId,
    status: Status | None = None,
    notes: Annotated[str, "What was learned in this step; it replaces the step's notes."] | None = None,
    description: Annotated[str, "What to do instead."] | None = None,
) -> Flow:
    """Change a step of the current plan, such as its status. Arguments that are left out stay unchanged."""
    changes: StepChanges = changes_of(status=status, notes=notes, description=description)
    changes["conversation_id"] = here.conversation_id
    return {"step": _rendered_step((yield calls.update_step(here.agent_id, step_id, changes, None)))}


@tool()
def add_plan_step(
    here: CurrentConversation,
    description: Annotated[str, "What to do in this step."],
    before_step_id: Annotated[str, "The id of the step to insert it before; by default it is the last."] = "",
) -> Flow:
    """Add a step to the current plan."""
    options = StepOptions(before=before_step_id, conversation_id=here.conversation_id)
    return {"step": _rendered_step((yield calls.add_step(here.agent_id, description, options, None)))}


@tool(destructive=True)
def move_plan_step(
    here: CurrentConversation,
    step_id: StepId,
    before_step_id: Annotated[str, "The id of the step to move it before; by default it becomes the last."] = "",
) -> Flow:
    """Move a step of the current plan to another place in the order."""
    moved = yield calls.move_step(here.agent_id, step_id, before_step_id, _current(here), None)
    return {"step": _rendered_step(moved)}


@tool(destructive=True)
def remove_plan_step(here: CurrentConversation, step_id: StepId) -> Flow:
    """Remove a step from the current plan, such as one that is no longer needed."""
    return {"removed": (yield calls.remove_step(here.agent_id, step_id, _current(here), None))}


@tool()
def add_plan_note(
    here: CurrentConversation, text: Annotated[str, "Something learned or decided that later steps need."]
) -> Flow:
    """Add a note to the current plan."""
    return {"note": (yield calls.add_note(here.agent_id, text, _current(here), None)).text}


@tool(destructive=True)
def complete_plan(here: CurrentConversation) -> Flow:
    """Complete the current plan, when its goal is reached or given up. It cannot be changed until it is reopened."""
    return {"plan": _rendered((yield calls.complete_plan(here.agent_id, _current(here), None)))}


@tool(destructive=True)
def reopen_plan(
    here: CurrentConversation, plan_id: Annotated[str, "The id of a completed or replaced plan of the list."]
) -> Flow:
    """Continue an earlier plan. It replaces the current plan."""
    return {"plan": _rendered((yield calls.reopen_plan(here.agent_id, plan_id, None)))}


PLAN_TOOLS = (
    get_plan,
    list_plans,
    create_plan,
    update_plan,
    update_plan_step,
    add_plan_step,
    move_plan_step,
    remove_plan_step,
    add_plan_note,
    complete_plan,
    reopen_plan,
)


def _current(here: CurrentConversation) -> PlanName:
    return PlanName(conversation_id=here.conversation_id)


def _summary(plan: Plan) -> dict[str, Any]:
    return {
        "plan_id": plan.plan_id,
        "goal": plan.goal,
        "status": plan.status,
        "create_time": plan.create_time.isoformat(),
        "completed_step_count": sum(step.status == "completed" for step in plan.steps),
        "step_count": len(plan.steps),
    }


def _rendered(plan: Plan) -> dict[str, Any]:
    steps = [_rendered_step(step) for step in plan.steps]
    return {**_summary(plan), "steps": steps, "notes": [note.text for note in plan.notes]}


def _rendered_step(step: PlanStep) -> dict[str, Any]:
    return {"step_id": step.step_id, "description": step.description, "status": step.status, "notes": step.notes}
