"""An agent with plans, for tests."""

from typing import Any

from tests.unit.domain.sample import Agent

from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.plans.plan import Plan, PlanName
from memoryd_server.domain.plans.plan_change import (
    CreatePlan,
    PlanDraft,
    PlanStarted,
    PlanStepDraft,
    PlanStepPatch,
    PlanStepPut,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN

P, CURRENT = PlanName("p"), PlanName(conversation_id="c")


def create(agent: Agent, plan_id: str = "p", conversation_id: str = "c", steps: str = "", **fields: Any) -> PlanStarted:
    """Create a plan whose steps are the letters of ``steps``."""
    precondition, goal = fields.pop("precondition", None), fields.pop("goal", "goal")
    draft = PlanDraft(plan_id, conversation_id, goal, tuple(map(PlanStepDraft, steps)), **fields)
    return agent.do(CreatePlan(draft, precondition))


def plan(agent: Agent, plan_id: str = "p") -> Plan:
    """Return a plan, which must exist."""
    found = agent.state.part(PLAN).aliased(PlanName(plan_id).alias)
    assert found is not None
    return found


def current(agent: Agent, conversation_id: str = "c") -> str | None:
    """Return the id of the conversation's current plan, None for none."""
    found = agent.state.part(PLAN).aliased(PlanName(conversation_id=conversation_id).alias)
    return None if found is None else found.plan_id


def update(agent: Agent, name: PlanName, step_id: str, **patch: Any) -> PlanStepPut:
    """Update the given fields of a step."""
    return agent.do(UpdatePlanStep(name, step_id, PlanStepPatch(**patch)))


def subjects(agent: Agent) -> list[tuple[EventType, Any]]:
    """Return the types and subjects of the events since the last call."""
    taken, agent.events = agent.events, []
    return [(each.type, each.subject) for each in taken]


def steps(agent: Agent, plan_id: str = "p") -> list[tuple[str, str]]:
    """Return the ids and descriptions of the steps of a plan."""
    return [(step.step_id, step.description) for step in plan(agent, plan_id).steps]
