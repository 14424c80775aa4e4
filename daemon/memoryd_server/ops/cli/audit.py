"""``memoryd audit``: who does what to which agent."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import counted, plain

if TYPE_CHECKING:
    import memoryd
    from memoryd import AuditRecord


@click.group(cls=CommandGroup)
def audit() -> None:
    """Watch who does what to which agent. The daemon must keep an audit log: see `memoryd serve --audit-log`."""


@audit.command(cls=ClientCommand)
@name_argument("agent", "agent_ids", metavar="[AGENT]...", nargs=-1)
@click.option("--denied", "denied_only", is_flag=True, help="Print only calls that were denied.")
def watch(client: "memoryd.Client", output: Output, agent_ids: tuple[str, ...], denied_only: bool) -> None:
    """Print a record of each call from now on that the daemon audits, until Ctrl-C.

    AGENT is an agent's id, or a prefix followed by *. With it, only calls whose agents are all among these are printed.
    It needs the verb admin for these agents, or for all without them.

    In a pipe, each row has these fields, separated by tabs: time, part of the call, caller, address, method, agents,
    user, request id, id of a snapshot or an operation, requests within the request, status, reason, whether the call
    was denied, duration, trace, number of records that the daemon could not keep, number of records missed.
    """
    try:
        for record in client.watch_audit(*agent_ids, denied_only=denied_only):
            _print(output, record)
    except KeyboardInterrupt:
        # A watch has no other end.
        return


def _print(output: Output, record: "AuditRecord") -> None:
    if output.as_json:
        output.record(record)
    elif output.is_terminal:
        missing = record.omitted_count + record.missed_count
        if missing:
            output.line(f"{counted(missing, 'record')} missing here")
        output.line(sentence_of(record))
    else:
        output.row(
            [
                record.time,
                record.phase,
                record.caller,
                record.peer,
                record.method,
                ",".join(record.agent_ids),
                record.user_id,
                record.request_id,
                record.target_id,
                ",".join(record.requests),
                record.status,
                record.reason,
                record.denied,
                "" if record.duration is None else record.duration.total_seconds(),
                record.trace_id,
                record.omitted_count,
                record.missed_count,
            ]
        )


def sentence_of(record: "AuditRecord") -> str:
    """Return a record on one line, for people."""
    caller = record.caller or ("unknown caller" if record.denied else "anonymous")
    method = record.method.rpartition("/")[2]
    about = [
        ", ".join(record.agent_ids),
        f"user {record.user_id}" if record.user_id else "",
        record.target_id,
        f"({', '.join(record.requests)})" if record.requests else "",
    ]
    outcome = record.reason or record.status
    end = "begins" if record.phase == "begin" else f"denied: {outcome}" if record.denied else outcome
    parts = [f"{record.time.astimezone():%H:%M:%S}", caller, record.peer, method, *filter(None, about), end]
    return plain("  ".join(parts))
