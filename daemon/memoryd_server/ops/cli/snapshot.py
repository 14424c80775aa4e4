"""``memoryd snapshot``: consistent images of agents, on the daemon's disk or in local files."""

import operator
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.background import BACKGROUND, write_started
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age, counted, size
from memoryd_server.ops.cli.terminal.progress import transferring, working

if TYPE_CHECKING:
    import memoryd
    from memoryd import Snapshot

SNAPSHOT = name_argument("snapshot")
SOURCE = name_argument("snapshot", metavar="SNAPSHOT|latest")
FILE = click.Path(path_type=Path, dir_okay=False)
ALL_AGENTS = "all agents"


@click.group(cls=CommandGroup)
def snapshot() -> None:
    """Create, list, restore, export and import snapshots: images of agents in files."""


@snapshot.command(cls=ClientCommand)
@click.argument("snapshot_id", metavar="[SNAPSHOT]", default="")
@click.option("--agent", "agent_id", metavar="AGENT", default="", help="Agent to include.  [default: all agents]")
@click.option("--label", metavar="TEXT", default="", help="Words for people, such as 'before the import'.")
@BACKGROUND
def create(
    client: "memoryd.Client", output: Output, snapshot_id: str, agent_id: str, label: str, background: bool
) -> None:
    """Create a snapshot of all agents, or of one, on the daemon's disk.

    SNAPSHOT is its id, of the characters a-z, 0-9, '.', '_' and '-'. By default, the id is the current time.
    """
    if background:
        write_started(output, client.operations.create_snapshot(agent_id, snapshot_id, label=label))
        return
    with working("writing the snapshot"):
        created = (client.agent(agent_id) if agent_id else client).create_snapshot(snapshot_id, label=label)
    output.done(created, f"{created.snapshot_id} was created: {_content(created)}", name=created.snapshot_id)


@snapshot.command
@click.argument("file", type=FILE)
def keygen(file: Path) -> None:
    """Create a key that encrypts snapshots, in a new FILE for serve --snapshot-key-file.

    Prints the public part of the key, and calls no daemon. FILE is an identity file of the tool age, which opens the
    snapshots, too. Keep a copy in a safe place: without it, nobody can read the snapshots.
    """
    # Imported late: the other commands need no encryption.
    from memoryd_server.ops.wiring.snapshots import new_identity_file

    text, public = new_identity_file(datetime.now(UTC))
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        raise click.ClickException(f"cannot create {file}: {error.strerror}") from error
    click.echo(public)


@snapshot.command(cls=ClientCommand)
@SNAPSHOT
def get(client: "memoryd.Client", output: Output, snapshot_id: str) -> None:
    """Show the metadata of a snapshot."""
    found = client.get_snapshot(snapshot_id)
    facts = [
        ("snapshot", found.snapshot_id, found.snapshot_id),
        ("agent", found.agent_id, found.agent_id or ALL_AGENTS),
        ("revision", found.revision, str(found.revision) if found.agent_id else "one for each agent"),
        ("label", found.label, found.label),
        ("created", found.create_time, f"{age(found.create_time, datetime.now(UTC))} ago"),
        ("trigger", found.trigger, _trigger(found)),
        ("size", found.size_bytes, size(found.size_bytes)),
        ("agents", found.agent_count, f"{found.agent_count:,}"),
        ("records", found.record_count, f"{found.record_count:,}"),
        ("encrypted", found.encrypted, "yes" if found.encrypted else "no"),
        ("sha256", found.sha256, found.sha256),
    ]
    output.facts(found, facts)


@snapshot.command("list", cls=ClientCommand)
@click.option(
    "--agent",
    "agent_ids",
    metavar="AGENT",
    multiple=True,
    help="List only snapshots of this agent, or of all with a prefix, such as 'team-*'. Repeatable.",
)
def list_snapshots(client: "memoryd.Client", output: Output, agent_ids: tuple[str, ...]) -> None:
    """List the snapshots on the daemon's disk, newest first.

    In a pipe, each row has these fields, separated by tabs: id, agent, creation time, size in bytes, agents, records,
    whether it is encrypted, trigger, label.
    """
    now = datetime.now(UTC)
    columns: list[Column[Snapshot]] = [
        Column("SNAPSHOT", operator.attrgetter("snapshot_id"), names=True, may_be_cut=True),
        Column("AGENT", operator.attrgetter("agent_id"), lambda found: found.agent_id or ALL_AGENTS, may_be_cut=True),
        age_column("CREATED", lambda found: found.create_time, now),
        Column("SIZE", operator.attrgetter("size_bytes"), lambda found: size(found.size_bytes), right=True),
        Column("AGENTS", operator.attrgetter("agent_count"), right=True, width_min=80),
        Column("RECORDS", operator.attrgetter("record_count"), right=True, width_min=80),
        Column("ENCRYPTED", operator.attrgetter("encrypted"), width_min=100),
        Column("TRIGGER", operator.attrgetter("trigger"), _trigger, style="cyan", width_min=60),
        Column("LABEL", operator.attrgetter("label"), may_be_cut=True),
    ]
    output.listing(client.snapshots(*agent_ids), columns, nothing="There are no such snapshots.")


@snapshot.command(cls=ClientCommand)
@SOURCE
@click.option("--agent", "agent_id", metavar="AGENT", default="", help="Restore only this agent.")
@click.option("--as", "as_agent_id", metavar="AGENT", default="", help="Restore one agent under this id: a clone.")
@BACKGROUND
@with_consent
def restore(
    client: "memoryd.Client",
    output: Output,
    snapshot_id: str,
    agent_id: str,
    as_agent_id: str,
    background: bool,
    consent: Consent,
) -> None:
    """Replace the memory of all agents, or of one, by that in a snapshot.

    latest is the newest snapshot of all agents.

    A snapshot of all agents deletes every agent that is not in it, unless --agent names one. A damaged snapshot changes
    nothing. With --dry-run, the daemon checks the snapshot.
    """

    def deed() -> str:
        found = client.get_snapshot(snapshot_id)
        target_id = as_agent_id or agent_id or found.agent_id
        target = f"the memory of agent {target_id!r}" if target_id else "the memory of ALL agents"
        return f"replace {target} by that of {age(found.create_time, datetime.now(UTC))} ago"

    dry_run = consent.dry_run
    if not dry_run:
        # The daemon itself says what a restore would do.
        consent.to(output, deed)
    if background:
        operation = client.operations.restore_snapshot(
            snapshot_id, agent_id=agent_id, as_agent_id=as_agent_id, dry_run=dry_run
        )
        write_started(output, operation)
        return
    with working("restoring"):
        done = client.restore_snapshot(snapshot_id, agent_id=agent_id, as_agent_id=as_agent_id, dry_run=dry_run)
    restored, ended = counted(done.restored_agent_count, "agent"), counted(done.ended_agent_count, "agent")
    output.done(
        done, f"{'would restore' if dry_run else 'restored'} {restored}, {'delete' if dry_run else 'deleted'} {ended}"
    )


@snapshot.command(cls=ClientCommand)
@SNAPSHOT
@with_consent
def delete(client: "memoryd.Client", output: Output, snapshot_id: str, consent: Consent) -> None:
    """Delete a snapshot from the daemon's disk."""

    def deed() -> str:
        return f"delete snapshot {snapshot_id!r}: {_content(client.get_snapshot(snapshot_id))}"

    if not consent.to(output, deed):
        return
    client.delete_snapshot(snapshot_id, must_exist=True)
    output.done({"snapshot_id": snapshot_id, "deleted": True}, f"{snapshot_id} was deleted")


@snapshot.command("export", cls=ClientCommand)
@SNAPSHOT
@click.argument("file", type=FILE)
def export_snapshot(client: "memoryd.Client", output: Output, snapshot_id: str, file: Path) -> None:
    """Copy a snapshot to a local FILE.

    An existing FILE is replaced once the copy is complete.
    """
    with transferring(snapshot_id) as report:
        done = client.export_snapshot(snapshot_id, file, progress=report)
    output.done(done, f"{file} was written: {_content(done)}")


@snapshot.command("import", cls=ClientCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--id",
    "snapshot_id",
    metavar="SNAPSHOT",
    default="",
    help="Id of the imported snapshot.  [default: the id that it was exported under, unless it is taken]",
)
def import_snapshot(client: "memoryd.Client", output: Output, file: Path, snapshot_id: str) -> None:
    """Copy an exported FILE to the daemon's disk, after a check of its integrity.

    This restores nothing: see `memoryd snapshot restore`.
    """
    with transferring(file.name) as report:
        done = client.import_snapshot(file, snapshot_id=snapshot_id, progress=report)
    output.done(done, f"{done.snapshot_id} was imported: {_content(done)}", name=done.snapshot_id)


def _content(found: "Snapshot") -> str:
    owner = f"agent {found.agent_id!r}" if found.agent_id else counted(found.agent_count, "agent")
    return f"{counted(found.record_count, 'record')} of {owner}, {size(found.size_bytes)}"


def _trigger(found: "Snapshot") -> str:
    return found.trigger.replace("_", " ")
