"""``memoryd agent clear``, ``end`` and ``forget-user``."""

import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.background import BACKGROUND, write_started
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.failure import Missing
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, if_revision
from memoryd_server.ops.cli.client.receipt import with_receipt
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import counted, counted_kinds
from memoryd_server.ops.cli.terminal.progress import working
from memoryd_server.ops.limit import NAMES_SHOWN_MAX

if TYPE_CHECKING:
    import memoryd
    from memoryd import RecordKind

KINDS = (
    *("entry", "fragment", "memory", "note", "plan", "entity_window", "document", "conversation"),
    "memory_proposal",
)
KINDS_DEFAULT = ("entry", "fragment", "entity_window", "conversation")
IF_REVISION = if_revision("agent")


@click.command("clear", cls=ClientCommand)
@AGENT
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help=f"Kind of records to delete. Repeatable.  [default: {', '.join(KINDS_DEFAULT)}]",
)
@IF_REVISION
@ERASE
@with_consent
def clear_agent(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    kinds: tuple[str, ...],
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete all records of an agent that are of some kinds. The agent stays.

    With entries, all scopes are disposed. An agent that does not exist has no records.
    """
    agent = client.agent(agent_id)
    verb = "erase" if erase else "delete"
    if not consent.to(output, lambda: f"{verb} {_counted_records(agent, kinds or KINDS_DEFAULT)}"):
        return
    done = agent.clear_all(kinds or None, expected_revision=expected_revision, erase=erase)
    sentence = f"deleted {counted_kinds(done.cleared)} of agent {agent_id!r}"
    output.done(done, with_receipt(sentence, done.receipt))


@click.command("end", cls=ClientCommand)
@AGENT
@click.option("--snapshot", is_flag=True, help="Create a snapshot of the agent first. Excludes --erase.")
@IF_REVISION
@ERASE
@BACKGROUND
@with_consent
def end_agent(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    snapshot: bool,
    expected_revision: int | None,
    erase: bool,
    background: bool,
    consent: Consent,
) -> None:
    """Delete an agent with all of its records and scopes.

    An agent of the same id can be created again: its revisions continue. With --erase, the result says what was erased,
    and which snapshots may still contain it. Exits with status 1 if there is no such agent.
    """
    if snapshot and erase:
        raise click.UsageError("--snapshot and --erase exclude each other: the snapshot would keep what is erased.")
    agent = client.agent(agent_id)
    verb = "end and erase" if erase else "end"
    if not consent.to(output, lambda: f"{verb} agent {agent_id!r}, with {_counted_records(agent)}"):
        return
    if background:
        write_started(
            output,
            client.operations.end_agent(agent_id, snapshot=snapshot, expected_revision=expected_revision, erase=erase),
        )
        return
    with working("ending"):
        done = agent.end(snapshot=snapshot, expected_revision=expected_revision, erase=erase)
    if not done.deleted and done.receipt is None:
        raise Missing(f"agent {agent_id!r} does not exist (AGENT_NOT_FOUND)")
    sentence = f"agent {agent_id!r} ended, with {counted_kinds(done.cleared)}"
    if done.snapshot is not None:
        sentence += f"; snapshot {done.snapshot.snapshot_id} was created"
    output.done(done, with_receipt(sentence, done.receipt))


def _counted_records(agent: "memoryd.Agent", kinds: tuple[str, ...] = ()) -> str:
    """Return the number of an agent's records of some kinds, or of all. Raises AgentNotFound."""
    counts = agent.stats().record_counts
    chosen = {kind: count for kind, count in counts.items() if not kinds or _owner(kind) in kinds}
    return f"{counted_kinds(chosen)} of agent {agent.agent_id!r}" if kinds else counted_kinds(chosen)


def _owner(kind: str) -> str:
    """Return the kind of records that records of a kind belong to."""
    return {"scope": "entry", "message": "conversation"}.get(kind, kind)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The records that one agent lost, and the snapshots that may still contain records of the user.

    ``snapshot_count`` is greater than the number of ids if the caller has no access to some.
    """

    agent_id: str
    deleted: "Mapping[RecordKind, int]"
    snapshot_ids: tuple[str, ...]
    snapshot_count: int
    revision: int

    @property
    def snapshots(self) -> str:
        """The ids, and the number of the other snapshots."""
        more = self.snapshot_count - len(self.snapshot_ids)
        return ", ".join([*self.snapshot_ids, *([f"{more:,} more"] if more > 0 else [])])


@click.command("forget-user", cls=ClientCommand)
@click.argument("pattern", metavar="AGENT")
@click.argument("user_id", metavar="USER")
@click.option("--block-reimport", is_flag=True, help="Reject the contents of the user's memories if created again.")
@with_consent
def forget_user(
    client: "memoryd.Client", output: Output, pattern: str, user_id: str, block_reimport: bool, consent: Consent
) -> None:
    """Erase all records of a user from an agent, for good.

    AGENT is an id, a prefix that ends with *, or * for all agents that the token may use. Agents that have ended must
    be named one by one. This erases the user's records of all kinds and the content of their events, also of records
    that were deleted before. Snapshots that were created before may still contain them: they are listed, and those that
    the token may not use are counted.

    In a pipe, each row has these fields, separated by tabs: agent, number of records, kinds, snapshots.
    """

    @functools.cache
    def agent_ids() -> list[str]:
        return [each.agent_id for each in client.agents(pattern)] if pattern.endswith("*") else [pattern]

    def deed() -> str:
        named = ", ".join(map(repr, agent_ids()[:NAMES_SHOWN_MAX])) or "none"
        owners = f"{counted(len(agent_ids()), 'agent')}: {named}" if pattern.endswith("*") else f"agent {pattern!r}"
        return f"erase all records of user {user_id!r} in {owners}"

    if not consent.to(output, deed):
        return
    columns: list[Column[Forgotten]] = [
        Column("AGENT", operator.attrgetter("agent_id"), names=True, may_be_cut=True),
        Column("RECORDS", lambda each: sum(each.deleted.values()), right=True),
        Column("KINDS", lambda each: counted_kinds(each.deleted) if each.deleted else ""),
        Column("SNAPSHOTS", operator.attrgetter("snapshots"), may_be_cut=True),
    ]
    done = (_forgotten(client, agent_id, user_id, block_reimport) for agent_id in agent_ids())
    output.listing(done, columns, nothing="There are no such agents.")


def _forgotten(client: "memoryd.Client", agent_id: str, user_id: str, block_reimport: bool) -> Forgotten:
    found = client.agent(agent_id).forget_user(user_id, block_reimport=block_reimport)
    return Forgotten(agent_id, found.deleted, found.snapshot_ids, found.snapshot_count, found.revision)
