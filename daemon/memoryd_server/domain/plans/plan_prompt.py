"""Rendering of a plan for a prompt."""

from collections.abc import Iterator
from datetime import UTC, datetime

from memoryd_server.domain.context.context_section import Piece, framed
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.plans.plan import Plan, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.values.prompt_text import one_line

HEADER = "[CURRENT_PLAN]\n"
FOOTER = "\n[END_CURRENT_PLAN]\n"
_NOTES_HEADING = "\nContext Notes:\n"

_STATUS_WORDS = {
    PlanStatus.IN_PROGRESS: "In Progress",
    PlanStatus.COMPLETED: "Completed",
    PlanStatus.REPLACED: "Replaced",
}
_STEP_SIGNS = {
    PlanStepStatus.PENDING: ("○", "Pending"),
    PlanStepStatus.IN_PROGRESS: ("◐", "InProgress"),
    PlanStepStatus.COMPLETED: ("●", "Completed"),
    PlanStepStatus.BLOCKED: ("✖", "Blocked"),
}


def plan_prompt(plan: Plan) -> str:
    """Return the whole plan as text for a prompt. Times are in UTC."""
    return framed(HEADER, plan_pieces(plan), FOOTER)


def plan_pieces(plan: Plan) -> Iterator[Piece]:
    """Yield the lines between HEADER and FOOTER as pieces, each of which a composition can leave out.

    The goal ranks first, then the steps that are not completed, the completed steps, and the notes from the
    newest to the oldest.
    """
    steps, notes = plan.steps, plan.notes
    by_rank = sorted(steps, key=lambda step: step.status is PlanStepStatus.COMPLETED)
    ranks = {step.step_id: rank for rank, step in enumerate(by_rank, 1)}
    yield Piece(PLAN.name, (plan.plan_id,), _heading(plan))
    for step in steps:
        yield Piece("plan_step", (plan.plan_id, step.step_id), _step_lines(step), ranks[step.step_id])
    for number, note in enumerate(notes, 1):
        line = f"  • [{_utc(note.create_time):%H:%M:%S}] {one_line(note.text)}\n"
        yield Piece(PLAN.name, (plan.plan_id,), line, len(steps) + 1 + len(notes) - number, _NOTES_HEADING)


def _heading(plan: Plan) -> str:
    return (
        f"Goal: {one_line(plan.goal)}\n"
        f"Plan ID: {plan.plan_id}\n"
        f"Created: {_utc(plan.create_time):%Y-%m-%d %H:%M:%S}\n"
        f"Status: {_STATUS_WORDS[plan.status]}\n"
        "\n"
        "Steps:\n"
    )


def _step_lines(step: PlanStep) -> str:
    sign, word = _STEP_SIGNS[step.status]
    line = f"  {sign} [{step.step_id}] {one_line(step.description)} ({word})\n"
    return f"{line}      Notes: {one_line(step.notes)}\n" if step.notes else line


def _utc(time_ns: int) -> datetime:
    return datetime.fromtimestamp(time_ns // SECOND_NS, UTC)
