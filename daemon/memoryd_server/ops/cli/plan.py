"""``memoryd plan``: goals of conversations, and the ordered steps to them."""

import functools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.deletion import Named, delete_record
from memoryd_server.ops.cli.client.name.parameter import name_argument, name_option
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, if_revision, metadata, tags
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import one_line, preview

if TYPE_CHECKING:
    import memoryd
    from memoryd import Plan
    from memoryd.protocol.plan import PlanName

F = TypeVar("F", bound=Callable[..., Any])

STATUSES = ("in_progress", "completed", "replaced")
STEP_STATUSES = ("pending", "in_progress", "completed", "blocked")
IF_REVISION = if_revision("plan")
IF_STEP_REVISION = if_revision("step")
STEP = click.argument("step_id", metavar="STEP")
PLAN = name_argument("plan", metavar="[PLAN]", default="")
CONVERSATION = name_option(
    "conversation",
    "--conversation",
    "conversation_id",
    default="",
    metavar="ID",
    help="Use the current plan of this conversation.",
)


def of_plan(function: F) -> F:
    """Add the options that name the plan of a step: ``plan_id`` or ``conversation_id``."""
    return name_option("plan", "--plan", "plan_id", default="", metavar="PLAN", help="Use the plan with this id.")(
        CONVERSATION(function)
    )


@click.group("plan", cls=CommandGroup)
def plan() -> None:
    """Create, follow and complete plans: goals of conversations with ordered steps."""


@plan.command("create", cls=ClientCommand)
@AGENT
@click.argument("goal", metavar="[GOAL]", default="")
@click.argument("steps", metavar="[STEP]...", nargs=-1)
@click.option("--id", "plan_id", default="", metavar="PLAN", help="Id of the plan.  [default: a new one]")
@click.option(
    "--conversation",
    "conversation_id",
    default="",
    metavar="ID",
    help="Conversation that follows the plan.  [default: none, which makes it a template]",
)
@click.option(
    "--template", "templates", multiple=True, metavar="PLAN", help="Plan whose steps are copied first. Repeatable."
)
@click.option("--user", "user_id", default="", metavar="ID", help="User whom the plan is for.")
@tags("plan")
@metadata("plan")
@click.option("--if-absent", "must_not_exist", is_flag=True, help="Fail if the conversation has a current plan.")
def create_plan(
    client: "memoryd.Client", output: Output, agent_id: str, goal: str, steps: tuple[str, ...], **options: Any
) -> None:
    """Create a plan, and make it the current one of its conversation.

    The conversation's earlier plan is kept with the status "replaced". Without GOAL, the goal of the first template is
    used.
    """
    created = client.agent(agent_id).plans.create(goal, steps, **options)
    output.done(created, f"{created.plan_id} was created at revision {created.revision}", name=created.plan_id)


@plan.command("get", cls=ClientCommand)
@AGENT
@PLAN
@CONVERSATION
def get_plan(client: "memoryd.Client", output: Output, agent_id: str, plan_id: str, conversation_id: str) -> None:
    """Print a plan as it is rendered for a model.

    --json prints the plan's fields. Exits with status 1 if there is no such plan.
    """
    plans, name = client.agent(agent_id).plans, _name(plan_id, conversation_id)
    if output.as_json:
        output.record(plans.get(**name))
    else:
        output.text(plans.prompt_text(**name).removesuffix("\n"))


@plan.command("list", cls=ClientCommand)
@AGENT
@click.option(
    "--conversation", "conversation_id", metavar="ID", help="List only plans of this conversation; '' lists templates."
)
@click.option(
    "--status",
    "statuses",
    type=click.Choice(STATUSES),
    multiple=True,
    help="List only plans with this status. Repeatable.",
)
@selecting("plans")
@click.option("--newest-first", is_flag=True, help="List the newest plan first.")
def list_plans(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str | None,
    statuses: tuple[str, ...],
    newest_first: bool,
    selection: dict[str, Any],
) -> None:
    """List the plans of an agent, oldest first, with completed and replaced ones.

    In a pipe, each row has these fields, separated by tabs: id, conversation, goal, status, number of completed steps,
    number of steps, creation time, update time.
    """
    now = datetime.now(UTC)
    columns: list[Column[Plan]] = [
        Column("PLAN", lambda found: found.plan_id, names=True),
        Column("CONVERSATION", lambda found: found.conversation_id, style="cyan", may_be_cut=True),
        Column("GOAL", lambda found: one_line(found.goal), lambda found: preview(found.goal), may_be_cut=True),
        Column("STATUS", lambda found: found.status, lambda found: found.status.replace("_", " ")),
        Column("COMPLETED", _completed, right=True),
        Column("STEPS", lambda found: len(found.steps), right=True),
        age_column("CREATED", lambda found: found.create_time, now, width_min=90),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    order = "create_time_descending" if newest_first else "create_time"
    found = client.agent(agent_id).plans.list(conversation_id, statuses=statuses or None, order=order, **selection)
    output.listing(found, columns, nothing="There are no such plans.")


@plan.command("update", cls=ClientCommand)
@AGENT
@PLAN
@CONVERSATION
@click.option("--goal", metavar="TEXT", help="New goal.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="New label, instead of the earlier ones. Repeatable.")
@click.option("--no-tags", is_flag=True, help="Remove all labels.")
@click.option("--metadata", callback=object_option, metavar="JSON", help="New JSON object of your own.")
@IF_REVISION
def update_plan(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
    **options: Any,
) -> None:
    """Change the given fields of a plan."""
    changes: dict[str, Any] = {key: options[key] for key in ("goal", "metadata") if options[key] is not None}
    if options["tags"] or options["no_tags"]:
        changes["tags"] = () if options["no_tags"] else options["tags"]
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    changes |= _name(plan_id, conversation_id)
    updated = client.agent(agent_id).plans.update(expected_revision=expected_revision, **changes)
    output.done(updated, f"{updated.plan_id} was updated at revision {updated.revision}")


@plan.command("add-step", cls=ClientCommand)
@AGENT
@click.argument("description", metavar="DESCRIPTION")
@of_plan
@click.option(
    "--before", default="", metavar="STEP", help="Step that the new one is inserted before.  [default: at the end]"
)
@IF_REVISION
def add_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    description: str,
    before: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
) -> None:
    """Add a step to a plan."""
    added = client.agent(agent_id).plans.add_step(
        description, before=before, expected_revision=expected_revision, **_name(plan_id, conversation_id)
    )
    output.done(added, f"{added.step_id} was added at revision {added.revision}")


@plan.command("update-step", cls=ClientCommand)
@AGENT
@STEP
@of_plan
@click.option("--status", type=click.Choice(STEP_STATUSES), help="New status.")
@click.option("--notes", metavar="TEXT", help="New notes on the step; - reads them from standard input.")
@click.option("--description", metavar="TEXT", help="New description.")
@IF_STEP_REVISION
def update_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    step_id: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
    **options: Any,
) -> None:
    """Change the given fields of a step."""
    name = _name(plan_id, conversation_id)
    changes = {key: value for key, value in options.items() if value is not None}
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    if "notes" in changes:
        changes["notes"] = read_text(changes["notes"])
    updated = client.agent(agent_id).plans.update_step(step_id, expected_revision=expected_revision, **name, **changes)
    output.done(updated, f"{updated.step_id} was updated at revision {updated.revision}")


@plan.command("move-step", cls=ClientCommand)
@AGENT
@STEP
@of_plan
@click.option("--before", default="", metavar="STEP", help="Step that it is moved before.  [default: to the end]")
@IF_STEP_REVISION
def move_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    step_id: str,
    before: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
) -> None:
    """Move a step of a plan to another place in the order."""
    moved = client.agent(agent_id).plans.move_step(
        step_id, before=before, expected_revision=expected_revision, **_name(plan_id, conversation_id)
    )
    output.done(moved, f"{moved.step_id} was moved at revision {moved.revision}")


@plan.command("remove-step", cls=ClientCommand)
@AGENT
@STEP
@of_plan
@IF_STEP_REVISION
@ERASE
@with_consent
def remove_step(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    step_id: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
    erase: bool,
    consent: Consent,
) -> None:
    """Remove a step from a plan.

    Exits with status 1 if there is no such step.
    """
    delete_record(
        output,
        consent,
        Named(agent_id, "plan_step", step_id),
        functools.partial(client.agent(agent_id).plans.remove_step, step_id, **_name(plan_id, conversation_id)),
        erase=erase,
        expected_revision=expected_revision,
    )


@plan.command("add-note", cls=ClientCommand)
@AGENT
@click.argument("text", metavar="TEXT")
@of_plan
@IF_REVISION
def add_note(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    text: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
) -> None:
    """Add a note to a plan: a fact that was learned while the plan was followed.

    TEXT is the note; - reads it from standard input.
    """
    added = client.agent(agent_id).plans.add_note(
        read_text(text), expected_revision=expected_revision, **_name(plan_id, conversation_id)
    )
    output.done(added, "the note was added")


@plan.command("complete", cls=ClientCommand)
@AGENT
@PLAN
@CONVERSATION
@IF_REVISION
def complete_plan(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    expected_revision: int | None,
    plan_id: str,
    conversation_id: str,
) -> None:
    """Complete a plan, whatever the status of its steps.

    A completed plan cannot change until it is reopened.
    """
    completed = client.agent(agent_id).plans.complete(
        expected_revision=expected_revision, **_name(plan_id, conversation_id)
    )
    output.done(completed, f"{completed.plan_id} was completed at revision {completed.revision}")


@plan.command("reopen", cls=ClientCommand)
@AGENT
@name_argument("plan")
@IF_REVISION
def reopen_plan(
    client: "memoryd.Client", output: Output, agent_id: str, plan_id: str, expected_revision: int | None
) -> None:
    """Continue a plan that was completed or replaced.

    It becomes the current plan of its conversation again. The current one is kept with the status "replaced".
    """
    reopened = client.agent(agent_id).plans.reopen(plan_id, expected_revision=expected_revision)
    output.done(reopened, f"{reopened.plan_id} was reopened at revision {reopened.revision}")


@plan.command("delete", cls=ClientCommand)
@AGENT
@name_argument("plan")
@IF_REVISION
@ERASE
@with_consent
def delete_plan(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    plan_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete a plan.

    Exits with status 1 if there is no such plan.
    """
    delete_record(
        output,
        consent,
        Named(agent_id, "plan", plan_id),
        functools.partial(client.agent(agent_id).plans.delete, plan_id),
        erase=erase,
        expected_revision=expected_revision,
    )


def _name(plan_id: str, conversation_id: str) -> "PlanName":
    """Return the plan's name as the client takes it. Raises UsageError unless exactly one is given."""
    if bool(plan_id) == bool(conversation_id):
        raise click.UsageError("Name the plan or the conversation, and not both.")
    return {"plan_id": plan_id} if plan_id else {"conversation_id": conversation_id}


def _completed(found: "Plan") -> int:
    return sum(step.status == "completed" for step in found.steps)
