"""``memoryd snapshot``: images of memory, kept by the daemon or in files here."""

import operator
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, size
from memoryd_server.ops.cli.terminal.progress import transferring, working

if TYPE_CHECKING:
    import memoryd
    from memoryd import Snapshot

SNAPSHOT = click.argument("snapshot_id", metavar="SNAPSHOT")
FILE = click.Path(path_type=Path, dir_okay=False)
ALL_AGENTS = "all agents"


@click.group
def snapshot() -> None:
    """Create, list, restore and move images of agents' memory."""


@snapshot.command(cls=ClientCommand)
@click.argument("snapshot_id", metavar="[SNAPSHOT]", default="")
@click.option("--agent", "agent_id", metavar="AGENT", default="", help="Of this agent alone.  [default: of all]")
def create(client: "memoryd.Client", output: Output, snapshot_id: str, agent_id: str) -> None:
    """Write an image of all agents, or of one, to the daemon's disk.

    SNAPSHOT is its name: of a-z, 0-9, '.', '_' and '-'. Without one, the daemon makes one from the time.
    """
    with working("writing the snapshot"):
        made = client.agent(agent_id).create_snapshot(snapshot_id) if agent_id else client.create_snapshot(snapshot_id)
    output.done(made, f"{made.snapshot_id} holds {_content(made)}")


@snapshot.command(cls=ClientCommand)
@SNAPSHOT
def get(client: "memoryd.Client", output: Output, snapshot_id: str) -> None:
    """Tell what a snapshot is."""
    found = client.get_snapshot(snapshot_id)
    facts = [
        ("snapshot", found.snapshot_id, found.snapshot_id),
        ("of", found.agent_id, found.agent_id or ALL_AGENTS),
        ("revision", found.revision, str(found.revision) if found.agent_id else "each agent has its own"),
        ("created", found.create_time, f"{age(found.create_time, datetime.now(UTC))} ago, by {_trigger(found)}"),
        ("size", found.size_bytes, size(found.size_bytes)),
        ("agents", found.agent_count, f"{found.agent_count:,}"),
        ("records", found.record_count, f"{found.record_count:,}"),
        ("encrypted", found.encrypted, "yes" if found.encrypted else "no"),
    ]
    output.facts(found, facts)


@snapshot.command("list", cls=ClientCommand)
@click.option("--agent", "agent_id", metavar="AGENT", default="", help="Those of this agent alone.")
def list_snapshots(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """List the snapshots, the newest first.

    In a pipe, a row has id, agent, time, bytes, agents, records, whether it is encrypted, and what made it, separated
    by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[Snapshot]] = [
        Column("SNAPSHOT", operator.attrgetter("snapshot_id"), style="bold", may_be_cut=True),
        Column("OF", operator.attrgetter("agent_id"), lambda found: found.agent_id or ALL_AGENTS, may_be_cut=True),
        Column("AGE", operator.attrgetter("create_time"), lambda found: age(found.create_time, now), right=True),
        Column("SIZE", operator.attrgetter("size_bytes"), lambda found: size(found.size_bytes), right=True),
        Column("AGENTS", operator.attrgetter("agent_count"), right=True, width_min=80),
        Column("RECORDS", operator.attrgetter("record_count"), right=True, width_min=80),
        Column("ENCRYPTED", operator.attrgetter("encrypted"), width_min=100),
        Column("BY", operator.attrgetter("trigger"), _trigger, style="cyan", width_min=60),
    ]
    output.listing(client.snapshots(agent_id), columns, nothing="There are no such snapshots.")


@snapshot.command(cls=ClientCommand)
@SNAPSHOT
@click.option("--agent", "agent_id", metavar="AGENT", default="", help="Restore this agent alone.")
@click.option(
    "--as", "as_agent_id", metavar="AGENT", default="", help="Restore one agent's image into another: a clone."
)
@click.option("--yes", is_flag=True, help="Do not ask, also on a terminal.")
def restore(
    client: "memoryd.Client", output: Output, snapshot_id: str, agent_id: str, as_agent_id: str, yes: bool
) -> None:
    """Replace memory by what a snapshot holds of it.

    One of all agents ends those that it does not hold, unless --agent names one. A damaged one changes nothing.
    """
    if not yes and sys.stdin.isatty():
        found = client.get_snapshot(snapshot_id)
        whose = as_agent_id or agent_id or found.agent_id
        target = f"the memory of agent {whose!r}" if whose else "the memory of ALL agents"
        taken = age(found.create_time, datetime.now(UTC))
        click.confirm(f"Replace {target} by that of {taken} ago?", abort=True, err=True)
    with working("restoring"):
        done = client.restore_snapshot(snapshot_id, agent_id=agent_id, as_agent_id=as_agent_id)
    output.done(done, f"{_count(done.agents_restored, 'agent')} restored, {done.agents_ended:,} ended")


@snapshot.command(cls=ClientCommand)
@SNAPSHOT
def delete(client: "memoryd.Client", output: Output, snapshot_id: str) -> None:
    """Delete a snapshot from the daemon's disk."""
    client.delete_snapshot(snapshot_id)
    output.done({"snapshot_id": snapshot_id, "deleted": True}, f"{snapshot_id} was deleted")


@snapshot.command("export", cls=ClientCommand)
@SNAPSHOT
@click.argument("file", type=FILE)
def export_snapshot(client: "memoryd.Client", output: Output, snapshot_id: str, file: Path) -> None:
    """Copy a snapshot to a FILE here, replacing it once all has come."""
    with transferring(snapshot_id) as report:
        done = client.export_snapshot(snapshot_id, file, progress=report)
    output.done(done, f"{file} holds {_content(done)}")


@snapshot.command("import", cls=ClientCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--id", "snapshot_id", metavar="SNAPSHOT", default="", help="Keep it under this name.")
def import_snapshot(client: "memoryd.Client", output: Output, file: Path, snapshot_id: str) -> None:
    """Give the daemon an exported FILE to keep. It is checked whole first, and nothing is restored yet."""
    with transferring(file.name) as report:
        done = client.import_snapshot(file, snapshot_id=snapshot_id, progress=report)
    output.done(done, f"{done.snapshot_id} holds {_content(done)}")


def _content(found: "Snapshot") -> str:
    whose = f"agent {found.agent_id!r}" if found.agent_id else _count(found.agent_count, "agent")
    return f"{_count(found.record_count, 'record')} of {whose}, {size(found.size_bytes)}"


def _trigger(found: "Snapshot") -> str:
    return found.trigger.replace("_", " ")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
