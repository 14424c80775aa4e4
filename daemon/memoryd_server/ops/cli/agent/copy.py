"""``memoryd agent export`` and ``import``: a readable copy of an agent."""

import functools
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import counted, counted_kinds
from memoryd_server.ops.cli.terminal.progress import counting, transferring
from memoryd_server.ops.error import OperatorError

if TYPE_CHECKING:
    import memoryd
    from memoryd_server.ops.cli.agent.transfer.comparison import Target
    from memoryd_server.ops.cli.agent.transfer.copy_source import CopySource
    from memoryd_server.ops.cli.agent.transfer.importing import Findings

FAIL, SKIP, REPLACE = "fail", "skip", "replace"


@click.command("export", cls=ClientCommand)
@AGENT
@click.argument("destination", metavar="DIR|FILE|-")
@click.option("--notes", "notes_only", is_flag=True, help="Export only the notes.")
def export_agent(client: "memoryd.Client", output: Output, agent_id: str, destination: str, notes_only: bool) -> None:
    """Write all records of an agent as lines of JSON, all at one revision.

    A DIR, which exists and is empty or ends with a slash, has the notes as files of Markdown, which any editor may
    change, and all other records in records.jsonl. - is standard output. Each line has the kind of a record and the
    record in the JSON form of the contract; docs/operations/copies.md says what an import keeps. Forgotten memories,
    earlier versions and vectors are left out. Exits with status 1 if there is no such agent.
    """
    from memoryd_server.ops.cli.agent.transfer.exporting import Exporter, export_to
    from memoryd_server.ops.cli.agent.transfer.record import KINDS, channel_of

    agent = client.agent(agent_id)
    agent.info()
    kinds = ("note",) if notes_only else tuple(KINDS)
    total = sum(count for kind, count in agent.stats().record_counts.items() if kind in kinds)
    exporter = Exporter(channel_of(client), agent_id, kinds)
    with counting() as report:
        export_to(exporter, destination, lambda done: report(agent_id, done, max(done, total)))
    if destination != "-":
        result = {"agent_id": agent_id, "revision": exporter.revision, "counts": dict(exporter.counts)}
        sentence = f"{counted_kinds(exporter.counts)} of agent {agent_id!r} at revision {exporter.revision}"
        output.done(result, f"{destination} was written: {sentence}")


@dataclass(frozen=True, slots=True)
class Imported:
    """The numbers of records of an import, by kind. ``expired`` are those whose expiry has passed.

    ``blocked_count`` is the number of memories whose content was purged for good, and ``summary_count`` that of
    conversations whose summary is not imported.
    """

    agent_id: str
    revision: int
    created: Mapping[str, int]
    replaced: Mapping[str, int]
    unchanged: Mapping[str, int]
    skipped: Mapping[str, int]
    expired: Mapping[str, int]
    deleted: Mapping[str, int]
    blocked_count: int = 0
    summary_count: int = 0
    dry_run: bool = False

    @property
    def sentence(self) -> str:
        """The numbers that are not zero."""
        words = {
            "created": self.created,
            "replaced": self.replaced,
            "deleted": self.deleted,
            "unchanged": self.unchanged,
            "different and kept": self.skipped,
            "left out as expired": self.expired,
        }
        parts = [f"{counted_kinds(counts)} {word}" for word, counts in words.items() if any(counts.values())]
        if self.blocked_count:
            parts.append(f"{counted(self.blocked_count, 'memory', 'memories')} refused as purged for good")
        if self.summary_count:
            parts.append(f"the {counted(self.summary_count, 'summary', 'summaries')} of conversations left out")
        found = "; ".join(parts) or "no records"
        return f"{'would import into ' if self.dry_run else ''}agent {self.agent_id!r}: {found}"


@click.command("import", cls=ClientCommand)
@click.argument("source", metavar="DIR|FILE|-")
@click.option(
    "--as", "agent_id", metavar="AGENT", default="", help="Agent to import into.  [default: that of the copy]"
)
@click.option(
    "--on-conflict",
    type=click.Choice((FAIL, SKIP, REPLACE)),
    default=FAIL,
    show_default=True,
    help="Treatment of a record that exists and differs: change nothing at all, keep it, or replace it.",
)
@click.option("--delete", "deletes", is_flag=True, help="Delete the agent's notes that the copy does not have.")
@with_consent
def import_agent(
    client: "memoryd.Client",
    output: Output,
    source: str,
    agent_id: str,
    on_conflict: str,
    deletes: bool,
    consent: Consent,
) -> None:
    """Write a copy that `memoryd agent export` has made into an agent, which is created if it does not exist.

    The whole copy is read and compared first. Records that are equal stay as they are, so that an import that was
    interrupted is continued by the same command. Of notes in files, the agent gets those that were edited or added.
    --dry-run prints what would be created, replaced and deleted.
    """
    replaces, loses = on_conflict == REPLACE, on_conflict == REPLACE or deletes
    with ExitStack() as stack:

        @functools.cache
        def plan() -> _Plan:
            return _planned(client, stack, source, agent_id, replaces=replaces, deletes=deletes)

        if not consent.dry_run:
            consent.to(output, lambda: plan().deed, needed=loses)
        if on_conflict == FAIL:
            plan().refuse_conflicts()
        result = _imported(client, plan(), source, dry_run=consent.dry_run)
    output.done(result, result.sentence)


class _Plan(NamedTuple):
    """A copy that was read and compared, and the ids of the notes to delete."""

    source: "CopySource"
    target: "Target"
    findings: "Findings"
    replaces: bool
    deleted_ids: list[str]

    @property
    def replaced(self) -> Mapping[str, int]:
        return self.findings.different if self.replaces else {}

    @property
    def deleted(self) -> Mapping[str, int]:
        return {"note": len(self.deleted_ids)} if self.deleted_ids else {}

    @property
    def deed(self) -> str:
        """The part of the import that cannot be undone."""
        deeds = [f"replace {counted_kinds(self.replaced)}"] if self.replaces else []
        deeds += [f"delete {counted_kinds(self.deleted)}"] if self.deleted else []
        return f"{' and '.join(deeds) or 'delete no records'} of agent {self.target.agent_id!r}"

    def refuse_conflicts(self) -> None:
        """Raise OperatorError if records of the agent differ from the copy's."""
        conflicts = sum(self.findings.different.values())
        if conflicts:
            names = ", ".join(self.findings.conflicts)
            more = conflicts - len(self.findings.conflicts)
            raise OperatorError(
                f"agent {self.target.agent_id!r} has {counted(conflicts, 'record')} that differ from the copy: {names}"
                f"{f' and {more:,} more' if more else ''}; nothing was changed: see --on-conflict"
            )


def _planned(
    client: "memoryd.Client", stack: ExitStack, source: str, agent_id: str, *, replaces: bool, deletes: bool
) -> _Plan:
    from memoryd_server.ops.cli.agent.transfer.comparison import read_target
    from memoryd_server.ops.cli.agent.transfer.copy_source import CopySource
    from memoryd_server.ops.cli.agent.transfer.importing import find
    from memoryd_server.ops.cli.agent.transfer.record import channel_of

    opened = stack.enter_context(CopySource(source))
    if not agent_id and opened.header is None:
        raise click.UsageError("The copy has notes alone, and does not say of which agent: name one with --as.")
    channel = channel_of(client)
    target = read_target(channel, agent_id or (opened.header.agent_id if opened.header else ""))
    findings = find(channel, opened, target, replaces=replaces)
    there = [key[1] for key in target.known if key[0] == "note"]
    deleted_ids = [note_id for note_id in there if note_id not in findings.note_ids] if deletes else []
    return _Plan(opened, target, findings, replaces, deleted_ids)


def _imported(client: "memoryd.Client", plan: _Plan, source: str, *, dry_run: bool) -> Imported:
    """Write the copy unless it is a ``dry_run``, and return what was done, or would be."""
    from memoryd_server.ops.cli.agent.transfer.importing import Importer
    from memoryd_server.ops.cli.agent.transfer.record import channel_of

    findings, size = plan.findings, plan.source.size_bytes
    importer = Importer(channel_of(client), plan.target, findings, replaces=plan.replaces)
    if not dry_run:
        with transferring(source) as report:
            importer.run(plan.source, lambda done: report(done, size) if report is not None else None)
        importer.delete_notes(plan.deleted_ids)
    return Imported(
        agent_id=plan.target.agent_id,
        revision=importer.revision,
        created=findings.new - importer.blocked,
        replaced=plan.replaced,
        unchanged=findings.same,
        skipped={} if plan.replaces else findings.different,
        expired=findings.expired,
        deleted=plan.deleted,
        blocked_count=importer.blocked["memory"],
        summary_count=findings.summary_count,
        dry_run=dry_run,
    )
