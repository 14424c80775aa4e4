"""``memoryd plan``: what is to be reached in conversations, and the ordered steps to it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line

if TYPE_CHECKING:
    import memoryd
    from memoryd import Plan

F = TypeVar("F", bound=Callable[..., Any])

AGENT = click.argument("agent_id", metavar="AGENT")
STATUSES = ("in_progress", "completed", "replaced")
STEP_STATUSES = ("pending", "in_progress", "completed", "blocked")
EXPECTED = click.option(
    "--expect",
    "expected_revision",
    type=click.IntRange(0),
    metavar="REVISION",
    help="Only if the plan was last written by this revision.",
)
GOAL_SHOWN_MAX = 400


def named(function: F) -> F:
    """Take PLAN, or a conversation with --conversation, as ``plan``."""
    function = click.option("--plan", "plan_id", metavar="PLAN", help="The plan.")(function)
    return click.option(
        "--conversation", "conversation_id", metavar="ID", help="The current plan of this conversation."
    )(function)


@click.group("plan")
def plans() -> None:
    """Keep the plans of conversations, step by step."""


@plans.command("create", cls=ClientCommand)
@AGENT
@click.argument("goal", metavar="GOAL", default="")
@click.argument("steps", metavar="STEP", nargs=-1)
@click.option("--id", "plan_id", default="", metavar="PLAN", help="What to call it.  [default: chosen by the daemon]")
@click.option(
    "--conversation",
    "conversation_id",
    default="",
    metavar="ID",
    help="The conversation that follows it.  [default: none, a template]",
)
@click.option("--template", "templates", multiple=True, metavar="PLAN", help="Take over the steps of this plan first.")
@click.option("--new-only", "must_not_exist", is_flag=True, help="Only if the conversation has no current plan.")
def create_plan(
    client: "memoryd.Client", output: Output, agent_id: str, goal: str, steps: tuple[str, ...], **options: Any
) -> None:
    """Make a plan, the current one of its conversation.

    The plan before it is replaced, and kept. Without a GOAL it has that of its first template.
    """
    plan = client.agent(agent_id).plans.create(goal, steps, **options)
    output.done(plan, f"{plan.plan_id} was created at revision {plan.revision}")


@plans.command("show", cls=ClientCommand)
@AGENT
@named
def show_plan(client: "memoryd.Client", output: Output, agent_id: str, **name: str | None) -> None:
    """Print a plan as it is told to a model.

    --json prints the plan itself. Ends with 1 when it is not there.
    """
    found = client.agent(agent_id).plans
    if output.as_json:
        output.record(found.get(**_name(name)))
    else:
        output.text(found.prompt_text(**_name(name)).removesuffix("\n"))


@plans.command("list", cls=ClientCommand)
@AGENT
@click.option("--conversation", "conversation_id", metavar="ID", help="Only those of this one; empty for templates.")
@click.option("--status", type=click.Choice(STATUSES), help="Only those of this status.")
@click.option("--newest-first", is_flag=True, help="The newest first.")
def list_plans(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str | None, **options: Any
) -> None:
    """List the plans, the oldest first, with those that ended.

    In a pipe, a row has id, conversation, goal, status, the numbers of completed and of all steps, and the times of
    the first and the last change, separated by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[Plan]] = [
        Column("PLAN", lambda plan: plan.plan_id, style="bold"),
        Column("CONVERSATION", lambda plan: plan.conversation_id, style="cyan", may_be_cut=True),
        Column(
            "GOAL",
            lambda plan: one_line(plan.goal),
            lambda plan: one_line(plan.goal[:GOAL_SHOWN_MAX]),
            may_be_cut=True,
        ),
        Column("STATUS", lambda plan: plan.status, lambda plan: plan.status.replace("_", " ")),
        Column("DONE", _completed, right=True),
        Column("OF", lambda plan: len(plan.steps), right=True),
        Column("BEGAN", lambda plan: plan.create_time, lambda plan: age(plan.create_time, now), right=True),
        Column("CHANGED", lambda plan: plan.update_time, lambda plan: age(plan.update_time, now), right=True),
    ]
    output.listing(
        client.agent(agent_id).plans.list(conversation_id, **options), columns, nothing="There are no plans."
    )


@plans.command("step", cls=ClientCommand)
@AGENT
@click.argument("step_id", metavar="STEP")
@named
@click.option("--status", type=click.Choice(STEP_STATUSES), help="How far it is.")
@click.option("--notes", metavar="TEXT", help="What was learned on the way; - reads it from standard input.")
@click.option("--description", metavar="TEXT", help="What is to be done.")
@EXPECTED
def update_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    step_id: str,
    expected_revision: int | None,
    plan_id: str | None,
    conversation_id: str | None,
    **options: Any,
) -> None:
    """Change a step."""
    name = _name({"plan_id": plan_id, "conversation_id": conversation_id})
    changes = {key: value for key, value in options.items() if value is not None}
    if not changes:
        raise click.UsageError("Say what is to change.")
    if "notes" in changes:
        changes["notes"] = read_text(changes["notes"])
    plan = client.agent(agent_id).plans.update_step(step_id, expected_revision=expected_revision, **name, **changes)
    output.done(plan, f"{plan.plan_id} is as of revision {plan.revision}")


@plans.command("add-step", cls=ClientCommand)
@AGENT
@click.argument("description", metavar="DESCRIPTION")
@named
@click.option("--before", default="", metavar="STEP", help="Put it before this step.  [default: at the end]")
@EXPECTED
def add_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    description: str,
    before: str,
    expected_revision: int | None,
    **name: str | None,
) -> None:
    """Add a step to a plan."""
    added = client.agent(agent_id).plans.add_step(
        description, before=before, expected_revision=expected_revision, **_name(name)
    )
    output.done(added, f"{added.step_id} was added to {added.plan.plan_id} at revision {added.plan.revision}")


@plans.command("note", cls=ClientCommand)
@AGENT
@click.argument("text", metavar="TEXT")
@named
@EXPECTED
def add_context_note(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    text: str,
    expected_revision: int | None,
    **name: str | None,
) -> None:
    """Note something that was learned while a plan was followed.

    - reads TEXT from standard input.
    """
    plan = client.agent(agent_id).plans.add_context_note(
        read_text(text), expected_revision=expected_revision, **_name(name)
    )
    output.done(plan, f"{plan.plan_id} is as of revision {plan.revision}")


@plans.command("complete", cls=ClientCommand)
@AGENT
@named
@EXPECTED
def complete_plan(
    client: "memoryd.Client", output: Output, agent_id: str, expected_revision: int | None, **name: str | None
) -> None:
    """End a plan, whatever its steps are."""
    plan = client.agent(agent_id).plans.complete(expected_revision=expected_revision, **_name(name))
    output.done(plan, f"{plan.plan_id} was completed at revision {plan.revision}")


@plans.command("delete", cls=ClientCommand)
@AGENT
@click.argument("plan_id", metavar="PLAN")
@EXPECTED
def delete_plan(
    client: "memoryd.Client", output: Output, agent_id: str, plan_id: str, expected_revision: int | None
) -> None:
    """Remove a plan.

    Ends with 1 when it is not there.
    """
    if not client.agent(agent_id).plans.delete(plan_id, expected_revision=expected_revision):
        raise click.ClickException(f"agent {agent_id!r} has no plan {plan_id!r} (RECORD_NOT_FOUND)")
    output.done({"plan_id": plan_id, "deleted": True}, f"{plan_id} was deleted")


def _name(given: dict[str, str | None]) -> dict[str, str]:
    """Which plan is meant, as the client wants to be told. Raises UsageError unless one of both is given."""
    name = {key: value for key, value in given.items() if value}
    if len(name) != 1:
        raise click.UsageError("Name the plan: --plan or --conversation.")
    return name


def _completed(plan: "Plan") -> int:
    return sum(step.status == "completed" for step in plan.steps)
