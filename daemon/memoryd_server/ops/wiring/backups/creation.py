"""The making of a backup: from a running daemon, into a directory and to a command."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd_server import __version__
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import BASES_TRIED_MAX
from memoryd_server.ops.wiring.backups.moment import nanoseconds
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Chain, Manifest

if TYPE_CHECKING:
    from memoryd import Client, JournalSegment


class BackupPlan(msgspec.Struct, frozen=True):
    """The files that a run makes and keeps. ``full`` begins with a base; otherwise one is made when the last is older.

    ``base_every_ns`` is that age. Chains are removed that no moment of the last ``keep_ns`` needs, and all but the
    newest ``keep_bases``; None keeps all. ``command`` receives each file on its standard input.
    """

    full: bool = False
    base_every_ns: int = 0
    keep_ns: int | None = None
    keep_bases: int | None = None
    command: str = ""


class BackupMade(msgspec.Struct, frozen=True):
    """The result of a run: the files that were made, and those that were removed."""

    made: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]


def create_backup(client: "Client", backup: BackupDirectory, plan: BackupPlan) -> BackupMade:
    """Add to a backup all that was acknowledged before the call. The caller has locked it.

    A run that ends early leaves what it has added, each file whole. Raises OperatorError if the command fails, and what
    the client, the files and their readers raise.
    """
    run = _Run(client, backup)
    run.write(plan)
    if plan.command:
        send_files(backup, plan.command)
    removed = _surplus(backup.chains(), plan, run.now)
    for each in removed:
        backup.remove(each)
    return BackupMade(tuple(run.made), removed)


def continue_chain(client: "Client", backup: BackupDirectory, chain: Chain) -> list[Manifest]:
    """Write what follows a chain into another directory, up to the end of the journal. Raises as ``create_backup``."""
    run = _Run(client, backup)
    run.write_segments(chain)
    return run.made


class _Run:
    """One run, which numbers the files on."""

    def __init__(self, client: "Client", backup: BackupDirectory) -> None:
        self.made: list[Manifest] = []
        self.now = 0
        self._client = client
        self._backup = backup
        self._store_id = client.server_info().store_id
        self._number = max((each.number for each in backup.manifests()), default=0)

    def write(self, plan: BackupPlan) -> None:
        """Write a segment, or a base and a segment."""
        end = self._client.export_journal("", self._backup.incoming())
        self.now = nanoseconds(end.end_time)
        chain = self._continued()
        is_due = chain and plan.base_every_ns and self.now - chain.base.create_time >= plan.base_every_ns
        if plan.full or is_due or not self._reaches_end(chain):
            self._begin(end)

    def _begin(self, end: "JournalSegment") -> None:
        """Write a base and what follows it. Raises OperatorError if nothing that follows a base can be exported."""
        for _ in range(BASES_TRIED_MAX):
            if self._reaches_end(Chain(self._write_base(end))):
                return
            # While the base was made, there was a commit whose changes are not in the journal.
            end = self._client.export_journal("", self._backup.incoming())
        raise OperatorError("a large document was added while each base was made: run this again")

    def _continued(self) -> Chain | None:
        """Return the chain that the next segment continues; None without one of this store, or with a gap after it."""
        chains = self._backup.chains()
        is_last = chains and chains[-1].files[-1].number == self._number
        return chains[-1] if is_last and chains[-1].base.store_id == self._store_id else None

    def _reaches_end(self, chain: Chain | None) -> bool:
        """Write the segments that continue a chain. Return False if the journal cannot: a new base is for that."""
        from memoryd.errors import ForeignResumeToken, HistoryLost, RevisionCompacted

        if chain is None:
            return False
        try:
            self.write_segments(chain)
        except (RevisionCompacted, ForeignResumeToken, HistoryLost):
            return False
        return True

    def _write_base(self, start: "JournalSegment") -> Manifest:
        incoming = self._backup.incoming()
        # The same id each time: a snapshot that an interrupted run left on the daemon's disk is replaced.
        snapshot_id = f"backup-{self._backup.identity}"
        try:
            self._client.delete_snapshot(snapshot_id)
            snapshot = self._client.create_snapshot(snapshot_id, label="backup")
            self._client.export_snapshot(snapshot_id, incoming)
            self._client.delete_snapshot(snapshot_id)
            end = self._client.export_journal("", self._backup.incoming())
            # The chain before it goes on up to here, so that no moment between the two is missing.
            self._reaches_end(self._continued())
            base = Manifest(
                number=self._next_number(),
                kind="base",
                store_id=self._store_id,
                start_token=start.end_token,
                end_token=end.end_token,
                create_time=nanoseconds(snapshot.create_time),
                end_time=nanoseconds(end.end_time),
                agent_count=snapshot.agent_count,
                size_bytes=snapshot.size_bytes,
                sha256=snapshot.sha256,
                encrypted=snapshot.encrypted,
                format_version=snapshot.format_version,
                made_by=__version__,
            )
            self._add(base, incoming)
        finally:
            incoming.unlink(missing_ok=True)
        return base

    def write_segments(self, chain: Chain) -> None:
        """Write segments up to the end of the journal. One without commits replaces such a one before it."""
        token, last, is_complete = chain.end_token, chain.files[-1], False
        while not is_complete:
            incoming = self._backup.incoming()
            try:
                segment = self._client.export_journal(token, incoming)
                made = self._manifest_of(segment)
                self._add(made, incoming if made.size_bytes else None)
            finally:
                incoming.unlink(missing_ok=True)
            if last.kind == "segment" and not last.commit_count:
                self._backup.remove(last)
            token, last, is_complete = segment.end_token, made, segment.complete

    def _manifest_of(self, segment: "JournalSegment") -> Manifest:
        return Manifest(
            number=self._next_number(),
            kind="segment",
            store_id=self._store_id,
            start_token=segment.start_token,
            end_token=segment.end_token,
            create_time=nanoseconds(segment.end_time),
            end_time=nanoseconds(segment.end_time),
            complete=segment.complete,
            commit_count=segment.commit_count,
            size_bytes=segment.size_bytes,
            sha256=segment.sha256,
            encrypted=segment.encrypted,
            format_version=segment.format_version or 1,
            made_by=__version__,
        )

    def _add(self, manifest: Manifest, incoming: Path | None) -> None:
        self._backup.add(manifest, incoming)
        self.made.append(manifest)

    def _next_number(self) -> int:
        self._number += 1
        return self._number


def send_files(backup: BackupDirectory, command: str) -> None:
    """Pass each file that was not sent yet to a command, with its name in MEMORYD_BACKUP_FILE.

    The file comes before its manifest: a copy is whole once that is there. Raises OperatorError if the command fails.
    """
    for manifest in backup.manifests():
        if backup.is_sent(manifest):
            continue
        for name in filter(None, (manifest.file_name, manifest.manifest_name)):
            with (backup.path / name).open("rb") as file:
                environment = {**os.environ, "MEMORYD_BACKUP_FILE": name}
                done = subprocess.run(command, shell=True, stdin=file, env=environment, check=False)  # noqa: S602 - the operator's own command
            if done.returncode:
                raise OperatorError(f"--command: exit status {done.returncode} for {name}; the next run sends it again")
        backup.note_sent(manifest)


def _surplus(chains: list[Chain], plan: BackupPlan, now: int) -> tuple[Manifest, ...]:
    """Return the files of chains that are no longer needed, so that what is left is whole after each removal."""
    first = 0
    if plan.keep_ns is not None:
        first = max((place for place, each in enumerate(chains) if each.begin_time <= now - plan.keep_ns), default=0)
    if plan.keep_bases is not None:
        first = max(first, len(chains) - plan.keep_bases)
    return tuple(_backwards(chains[:first]))


def _backwards(chains: list[Chain]) -> Iterator[Manifest]:
    for chain in chains:
        yield from reversed(chain.files)
