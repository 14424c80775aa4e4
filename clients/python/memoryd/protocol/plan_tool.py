"""What a model may do with the plan of its conversation."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from memoryd.errors import RecordNotFound
from memoryd.model.plan import Plan
from memoryd.protocol import plan as calls
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.plan import PlanName, PlanOptions, StepChanges
from memoryd.protocol.tool import Flow, changes_of, first_items, tool
from memoryd.protocol.tool_schema import Between

StepId = Annotated[str, "The step's id, as the plan tells it."]
Status = Annotated[Literal["pending", "in_progress", "completed", "blocked"], "How far the step is."]


@tool(read_only=True)
def get_plan(here: CurrentConversation) -> Flow:
    """Read the current plan of this conversation; null when there is none."""
    try:
        return {"plan": _told((yield calls.get_plan(here.agent_id, _current(here))))}
    except RecordNotFound:
        return {"plan": None}


@tool(read_only=True)
def list_plans(
    here: CurrentConversation, limit: Annotated[int, "The most plans to answer.", Between(1, 50)] = 10
) -> Flow:
    """List the plans of this conversation, the newest first: the current one, and those that were completed or
    replaced.
    """
    listed = calls.list_plans(here.agent_id, here.conversation_id, None, newest_first=True)
    return {"plans": [_summary(plan) for plan in (yield from first_items(listed, limit))]}


@tool(destructive=True)
def create_plan(
    here: CurrentConversation,
    goal: Annotated[str, "What is to be reached."],
    steps: Annotated[Sequence[str], "What is to be done, step by step, in order."],
) -> Flow:
    """Make a plan for this conversation, for what takes several steps. It replaces the plan before it."""
    options = PlanOptions(conversation_id=here.conversation_id)
    return {"plan": _told((yield calls.create_plan(here.agent_id, goal, steps, options)))}


@tool(destructive=True)
def update_plan_step(
    here: CurrentConversation,
    step_id: StepId,
    status: Status | None = None,
    notes: Annotated[str, "What was learned on the way: it replaces the step's notes."] | None = None,
    description: Annotated[str, "What is to be done instead."] | None = None,
) -> Flow:
    """Change a step of the current plan, such as when it is begun or done. What is left out stays as it is."""
    changes: StepChanges = changes_of(status=status, notes=notes, description=description)
    changes["conversation_id"] = here.conversation_id
    return {"plan": _told((yield calls.update_step(here.agent_id, step_id, changes, None)))}


@tool()
def add_plan_step(
    here: CurrentConversation,
    description: Annotated[str, "What is to be done."],
    before_step_id: Annotated[str, "The step that it comes before; at the end when left out."] = "",
) -> Flow:
    """Add a step to the current plan."""
    added = yield calls.add_step(here.agent_id, description, before_step_id, _current(here), None)
    return {"step_id": added.step_id, "plan": _told(added.plan)}


@tool()
def add_plan_note(
    here: CurrentConversation, text: Annotated[str, "What was learned, or decided, that bears on later steps."]
) -> Flow:
    """Note something with the current plan."""
    return {"plan": _told((yield calls.add_context_note(here.agent_id, text, _current(here), None)))}


@tool(destructive=True)
def complete_plan(here: CurrentConversation) -> Flow:
    """End the current plan, when its goal is reached or given up. It does not change any more."""
    return {"plan": _told((yield calls.complete_plan(here.agent_id, _current(here), None)))}


PLAN_TOOLS = (get_plan, list_plans, create_plan, update_plan_step, add_plan_step, add_plan_note, complete_plan)


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


def _told(plan: Plan) -> dict[str, Any]:
    steps = [
        {"step_id": step.step_id, "description": step.description, "status": step.status, "notes": step.notes}
        for step in plan.steps
    ]
    return {**_summary(plan), "steps": steps, "notes": [note.text for note in plan.context_notes]}
