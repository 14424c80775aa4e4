"""``memoryd backup``: copies of all memory that can be restored to any moment."""

import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from memoryd_server.ops.cli.client.connection import ClientCommand, ConnectingCommand, Connection
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.parameter import SNAPSHOT_KEY_FILE
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.form import OPTIONS, output_of
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import counted, plain, size
from memoryd_server.ops.cli.terminal.progress import working
from memoryd_server.ops.config.setting_type import DURATION
from memoryd_server.ops.limit import NAMES_SHOWN_MAX

if TYPE_CHECKING:
    import memoryd
    from memoryd_server.ops.wiring.backups.creation import BackupMade, BackupPlan
    from memoryd_server.ops.wiring.backups.moment import Moment
    from memoryd_server.ops.wiring.backups.opened_backup import BackupDirectory, Manifest

DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
SECOND_NS = 1_000_000_000


@click.group(cls=CommandGroup)
def backup() -> None:
    """Create, verify and restore backups: all memory, at any moment up to the last run.

    A backup is a directory of snapshots and of the commits that followed each. See docs/operations/backup.md.
    """


@backup.command(cls=ClientCommand)
@click.option(
    "--to",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    envvar="MEMORYD_BACKUP_TO",
    show_envvar=True,
    help="Directory of the backup, which is created if it is missing.",
)
@click.option("--full", is_flag=True, help="Begin with a new base: a snapshot of all agents.")
@click.option(
    "--base-every",
    type=DURATION,
    default="7d",
    show_default=True,
    metavar="DURATION",
    help="Age of the last base at which a new one is made. 0 makes none.",
)
@click.option(
    "--keep", type=DURATION, metavar="DURATION", help="Remove what no moment of this time needs.  [default: keep all]"
)
@click.option(
    "--keep-bases", type=click.IntRange(1), metavar="N", help="Keep only the newest N bases, with what follows them."
)
@click.option(
    "--command", metavar="CMD", default="", help="Shell command that receives each file, named by $MEMORYD_BACKUP_FILE."
)
@click.option("--every", type=DURATION, metavar="DURATION", help="Go on, with a run each time this passes.")
def create(
    client: "memoryd.Client",
    output: Output,
    directory: Path,
    full: bool,
    base_every: float,
    keep: float | None,
    keep_bases: int | None,
    command: str,
    every: float | None,
) -> None:
    """Add to a backup everything that the daemon acknowledged before the call.

    The first run copies all agents; each further run adds the commits since the one before. It needs the verb snapshot
    for all agents. The files are encrypted if the daemon has a --snapshot-key-file.

    A run that is killed leaves a valid backup, and so does a command that fails: the next run continues.
    """
    os.umask(0o077)
    from memoryd_server.ops.wiring.backups.creation import BackupPlan

    plan = BackupPlan(
        full=full,
        base_every_ns=round(base_every * SECOND_NS),
        keep_ns=None if keep is None else round(keep * SECOND_NS),
        keep_bases=keep_bases,
        command=command,
    )
    while True:
        _create(client, output, directory, plan)
        if every is None:
            return
        plan = msgspec.structs.replace(plan, full=False)
        threading.Event().wait(every)


def _create(client: "memoryd.Client", output: Output, directory: Path, plan: "BackupPlan") -> None:
    from memoryd_server.ops.wiring.backups.creation import create_backup
    from memoryd_server.ops.wiring.backups.opened_backup import backup_at, failures_explained

    into = backup_at(directory)
    with working("writing the backup"), failures_explained(directory), into.locked():
        done = create_backup(client, into, plan)
    output.done(_facts_of(done), _summary_of(done))


def _facts_of(done: "BackupMade") -> dict[str, object]:
    return {"files": [each.file_name for each in done.made if each.file_name], "removed": len(done.removed)}


def _summary_of(done: "BackupMade") -> str:
    bases = [each for each in done.made if each.kind == "base"]
    commits = sum(each.commit_count for each in done.made)
    parts = [f"a base of {counted(each.agent_count, 'agent')}, {size(each.size_bytes)}" for each in bases]
    parts.append(
        f"{counted(commits, 'commit')}, {size(sum(each.size_bytes for each in done.made if each not in bases))}"
    )
    removed = f"; removed {counted(len(done.removed), 'old file')}" if done.removed else ""
    return f"added {' and '.join(parts)}{removed}"


@backup.command("list")
@DIRECTORY
def list_files(directory: Path, **given: Any) -> None:
    """List the moments that a backup can restore, oldest first: one row for each base and what follows it.

    Reads the manifests only, and calls no daemon. In a pipe, each row has these fields, separated by tabs: first
    moment, last moment, agents in the base, commits, size in bytes, whether it is encrypted.
    """
    from memoryd_server.ops.wiring.backups.opened_backup import backup_at, failures_explained

    columns: list[Column[ListedChain]] = [
        Column("FROM", lambda each: each.begin),
        Column("TO", lambda each: each.end),
        Column("AGENTS", lambda each: each.agents, right=True),
        Column("COMMITS", lambda each: each.commits, right=True),
        Column("SIZE", lambda each: each.size_bytes, lambda each: size(each.size_bytes), right=True),
        Column("ENCRYPTED", lambda each: each.encrypted),
    ]
    with failures_explained(directory):
        found = backup_at(directory)
        rows = [ListedChain.of(each.files, each.begin_time, each.end_time) for each in found.chains()]
        problems = found.problems()
    output_of(given).listing(rows, columns, nothing="There is no base of a backup.")
    for problem in problems:
        click.echo(plain(problem), err=True)


list_files.params += OPTIONS


class ListedChain(msgspec.Struct, frozen=True):
    """A base with what follows it, as ``memoryd backup list`` prints it."""

    begin: str
    end: str
    agents: int
    commits: int
    size_bytes: int
    encrypted: bool

    @classmethod
    def of(cls, files: "tuple[Manifest, ...]", begin_time: int, end_time: int) -> "ListedChain":
        """Return the row of a chain of files."""
        from memoryd_server.ops.wiring.backups.moment import utc_text

        return cls(
            utc_text(begin_time),
            utc_text(end_time),
            files[0].agent_count,
            sum(each.commit_count for each in files),
            sum(each.size_bytes for each in files),
            files[0].encrypted,
        )


@backup.command(cls=ConnectingCommand)
@DIRECTORY
@SNAPSHOT_KEY_FILE
@click.option("--compare", is_flag=True, help="Compare each agent with that of the running daemon, too.")
def verify(connection: Connection, directory: Path, snapshot_key_file: Path | None, compare: bool) -> None:
    """Check a backup: every digest, every commit without a gap, and every agent that they lead to.

    Without --compare, no daemon is called. Exits with status 1 if anything is wrong.
    """
    os.umask(0o077)
    from memoryd_server.ops.wiring.backups.opened_backup import backup_at, failures_explained
    from memoryd_server.ops.wiring.backups.verification import verify_backup

    with failures_explained(directory), working("verifying"):
        found = backup_at(directory, snapshot_key_file)
        if not compare:
            done = verify_backup(found)
        else:
            import memoryd

            with memoryd.connect(connection.address, **connection.settings) as client:
                done = verify_backup(found, client)
    for problem in done.problems:
        click.echo(plain(problem), err=True)
    if done.problems:
        sys.exit(1)
    compared = "" if done.compared is None else f"; {counted(done.compared, 'agent')} equal to the daemon's"
    click.echo(
        f"{counted(done.files, 'file')} and {counted(done.commits, 'commit')} are whole, and lead to "
        f"{counted(done.agents, 'agent')} with {counted(done.records, 'record')}{compared}"
    )


@backup.command(cls=ConnectingCommand)
@DIRECTORY
@SNAPSHOT_KEY_FILE
@click.option(
    "--at", type=MOMENT, metavar="TIME", help="Moment to restore, such as 2026-05-20T14:05.  [default: the last one]"
)
@click.option(
    "--revision", type=click.IntRange(1), metavar="REV", help="Revision to restore, of the one agent of --agent."
)
@click.option(
    "--agent",
    "agent_ids",
    metavar="AGENT",
    multiple=True,
    help="Restore only this agent, or all with a prefix, such as 'team-*'. Repeatable.",
)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Empty data directory to fill, for serve --data-dir.",
)
@click.option(
    "--to-store",
    "url",
    metavar="URL",
    envvar="MEMORYD_BACKUP_TO_STORE",
    show_envvar=True,
    help="Empty store to fill, as in serve --store.",
)
@click.option(
    "--as",
    "as_agent_id",
    metavar="AGENT",
    default="",
    help="Restore the one agent under this id in the running daemon.",
)
@with_consent
def restore(
    connection: Connection,
    directory: Path,
    snapshot_key_file: Path | None,
    at: datetime | None,
    revision: int | None,
    agent_ids: tuple[str, ...],
    data_dir: Path | None,
    url: str | None,
    as_agent_id: str,
    consent: Consent,
) -> None:
    """Restore a backup into an empty store, or one agent into the running daemon.

    With --data-dir or --to-store, no daemon is called, and none may use the store yet. Each agent is as it was after
    its last commit at or before --at, with its revision; what has expired since is not served. The journal
    begins again.

    With --as, the memory of that agent in the running daemon is replaced.

    A restore that is interrupted leaves a store that no daemon serves: run it again.
    """
    os.umask(0o077)
    if sum(map(bool, (data_dir, url, as_agent_id))) != 1:
        raise click.UsageError("name one target: --data-dir, --to-store, or --as")
    one_agent = len(agent_ids) == 1 and not agent_ids[0].endswith("*")
    if (as_agent_id or revision is not None) and not one_agent:
        raise click.UsageError("--as and --revision need one --agent")
    if at is not None and revision is not None:
        raise click.UsageError("--at and --revision exclude each other")
    from memoryd_server.ops.wiring.backups.moment import Moment
    from memoryd_server.ops.wiring.backups.opened_backup import backup_at, failures_explained

    moment = Moment.of(at) if revision is None else Moment.of(revision, agent_ids[0])
    # Not the URL, which may have a password.
    target = f"agent {as_agent_id!r} of the running daemon" if as_agent_id else "the empty store"
    with failures_explained(directory):
        found = backup_at(directory, snapshot_key_file)
        if not consent.to(Output(), lambda: f"replace the memory of {target}", needed=bool(as_agent_id)):
            return
        if as_agent_id:
            _restore_agent(connection, found, moment, agent_ids[0], as_agent_id)
            return
        _restore_store(found, moment, agent_ids, url or f"sqlite:{data_dir}")


def _restore_agent(
    connection: Connection, found: "BackupDirectory", moment: "Moment", agent_id: str, as_agent_id: str
) -> None:
    import memoryd
    from memoryd_server.ops.wiring.backups.restoration import restore_agent

    with memoryd.connect(connection.address, **connection.settings) as client, working("restoring"):
        revision = restore_agent(client, found, moment, agent_id, as_agent_id)
    click.echo(f"restored agent {plain(agent_id)} as {plain(as_agent_id)}, at revision {revision}")


def _restore_store(found: "BackupDirectory", moment: "Moment", agent_ids: tuple[str, ...], url: str) -> None:
    # Imported late: help needs none of it.
    import asyncio
    import logging

    from memoryd_server.ops.wiring.backups.restoration import patterns_of, restore_store

    # A failure of a store is this command's own error: a log line would repeat it.
    logging.getLogger("memoryd").addHandler(logging.NullHandler())
    with working("restoring"):
        done = asyncio.run(restore_store(found, moment, patterns_of(agent_ids), url))
    click.echo(f"restored {counted(done.agents, 'agent')} with {counted(done.records, 'record')}")
    if done.erased_since:
        shown = ", ".join(map(plain, done.erased_since[:NAMES_SHOWN_MAX]))
        more = f" and {len(done.erased_since) - NAMES_SHOWN_MAX:,} more" * (len(done.erased_since) > NAMES_SHOWN_MAX)
        click.echo(f"erased after that moment, and to be erased again: records of {shown}{more}", err=True)
