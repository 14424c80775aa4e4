"""``memoryd operation``: requests that the daemon carries out while nobody waits."""

import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age
from memoryd_server.ops.cli.terminal.progress import counting

if TYPE_CHECKING:
    import memoryd
    from memoryd import OperationInfo

OPERATION = name_argument("operation")
STATES = ("running", "succeeded", "failed", "cancelled")
ALL_AGENTS = "all agents"


@click.group(cls=CommandGroup)
def operation() -> None:
    """List, watch and cancel operations: requests that the daemon carries out while nobody waits.

    A daemon forgets an operation one hour after its end, and all of them when it restarts.
    """


@operation.command("list", cls=ClientCommand)
@click.option(
    "--agent", "agents", metavar="PATTERN", multiple=True, help="List only those of these agents. Repeatable."
)
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="List only these states. Repeatable.")
def list_operations(client: "memoryd.Client", output: Output, agents: tuple[str, ...], states: tuple[str, ...]) -> None:
    """List the operations of the daemon, newest first.

    In a pipe, each row has these fields, separated by tabs: id, agent, method, state, number of records done, number of
    records to do, creation time, end time, caller.
    """
    columns: list[Column[OperationInfo]] = [
        Column("OPERATION", operator.attrgetter("operation_id"), names=True, may_be_cut=True),
        Column("AGENT", operator.attrgetter("agent_id"), lambda found: found.agent_id or ALL_AGENTS, may_be_cut=True),
        Column("METHOD", operator.attrgetter("method"), lambda found: found.method.partition("/")[2]),
        Column("STATE", operator.attrgetter("state"), style="cyan"),
        Column("DONE", lambda found: found.progress and found.progress.done_count, _progress, right=True, width_min=60),
        Column("TOTAL", lambda found: found.progress and found.progress.total_count, width_min=1_000),
        age_column("CREATED", lambda found: found.create_time, datetime.now(UTC)),
        Column("ENDED", operator.attrgetter("end_time"), width_min=1_000),
        Column("CALLER", operator.attrgetter("principal"), may_be_cut=True, width_min=100),
    ]
    listed = client.operations.list(agents=agents or None, states=states or None)
    output.listing(listed, columns, nothing="There are no such operations.")


@operation.command(cls=ClientCommand)
@OPERATION
def get(client: "memoryd.Client", output: Output, operation_id: str) -> None:
    """Show an operation as it is now."""
    _show(output, client.operations.get(operation_id).info)


@operation.command(cls=ClientCommand)
@OPERATION
def watch(client: "memoryd.Client", output: Output, operation_id: str) -> None:
    """Show the progress of an operation until it ends.

    The exit status is 1 if the operation failed or was cancelled.
    """
    watched = client.operations.get(operation_id)
    with counting() as report:
        for info in watched.watch():
            if info.progress is not None:
                report(info.method.partition("/")[2], info.progress.done_count, info.progress.total_count or 0)
    watched.wait()
    output.done(watched.info, f"{operation_id} has succeeded")


@operation.command(cls=ClientCommand)
@OPERATION
def cancel(client: "memoryd.Client", output: Output, operation_id: str) -> None:
    """Ask an operation to stop. What was done stays done."""
    found = client.operations.get(operation_id)
    asked = found.cancel()
    output.done(found.info, f"{operation_id} {'was asked to stop' if asked else f'stays as it is: {found.info.state}'}")


def _show(output: Output, found: "OperationInfo") -> None:
    now = datetime.now(UTC)
    ended = "" if found.end_time is None else f"{age(found.end_time, now)} ago"
    output.facts(
        found,
        [
            ("operation", found.operation_id, found.operation_id),
            ("agent", found.agent_id, found.agent_id or ALL_AGENTS),
            ("method", found.method, found.method),
            ("state", found.state, found.state + (", asked to stop" if found.cancel_requested else "")),
            ("done", found.progress and found.progress.done_count, _progress(found)),
            ("created", found.create_time, f"{age(found.create_time, now)} ago"),
            ("ended", found.end_time, ended),
            ("caller", found.principal, found.principal),
            ("error", found.error and found.error.message, found.error.message if found.error else ""),
        ],
    )


def _progress(found: "OperationInfo") -> str:
    progress = found.progress
    if progress is None:
        return ""
    total = "" if progress.total_count is None else f" of {progress.total_count:,}"
    return f"{progress.done_count:,}{total}"
