"""``memoryd memory proposals``, ``accept`` and ``reject``: the review queue."""

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, LIMIT_ALL
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.client.selection import selecting_users
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, one_line, preview

if TYPE_CHECKING:
    import memoryd
    from memoryd import MemoryProposal

PROPOSALS = name_argument("proposal", "proposal_ids", metavar="PROPOSAL...", nargs=-1, required=True)


@click.command("proposals", cls=ClientCommand)
@AGENT
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    help="List only proposals of this conversation; '' lists those of none.",
)
@selecting_users("proposals")
@LIMIT_ALL
def list_proposals(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str | None,
    limit: int | None,
    selection: dict[str, Any],
) -> None:
    """List the memories that wait for a review, oldest first.

    Nothing recalls them until `memoryd memory accept` makes memories of them. In a pipe, each row has these fields,
    separated by tabs: id, content, sentence, type, user, conversation, creation time.
    """
    if conversation_id is not None:
        selection["filter"]["conversation_ids"] = [conversation_id]
    now = datetime.now(UTC)
    columns: list[Column[MemoryProposal]] = [
        Column("PROPOSAL", lambda found: found.memory_proposal_id, names=True),
        Column("CONTENT", lambda found: one_line(found.content), lambda found: preview(found.content), may_be_cut=True),
        Column("SENTENCE", lambda found: one_line(found.provenance.learning_context), may_be_cut=True, width_min=110),
        Column("TYPE", lambda found: found.type, style="cyan", width_min=90),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=70),
        Column("CONVERSATION", lambda found: found.provenance.conversation_id, may_be_cut=True, width_min=90),
        age_column("CREATED", lambda found: found.create_time, now),
    ]
    found = client.agent(agent_id).memories.list_proposals(**selection)
    output.listing(itertools.islice(found, limit), columns, nothing="There are no such proposals.")


@click.command("accept", cls=ClientCommand)
@AGENT
@PROPOSALS
def accept_proposals(client: "memoryd.Client", output: Output, agent_id: str, proposal_ids: tuple[str, ...]) -> None:
    """Make memories of proposals: of all that are named, or of none if one does not exist.

    A duplicate reinforces the memory that is there already.
    """
    done = client.agent(agent_id).memories.accept_proposals(proposal_ids)
    made = sum(each.created for each in done)
    sentence = f"created {counted(made, 'memory', 'memories')}"
    if len(done) > made:
        sentence += f"; {counted(len(done) - made, 'duplicate')}"
    output.done(done, sentence)


@click.command("reject", cls=ClientCommand)
@AGENT
@PROPOSALS
@ERASE
@with_consent
def reject_proposals(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    proposal_ids: tuple[str, ...],
    erase: bool,
    consent: Consent,
) -> None:
    """Delete proposals. The messages that they were made of do not bring them back.

    Proposals that do not exist are not an error.
    """
    memories = client.agent(agent_id).memories
    named = counted(len(proposal_ids), "proposal")
    if not consent.to(output, lambda: f"{'erase' if erase else 'reject'} {named} of agent {agent_id!r}", needed=erase):
        return
    if erase:
        show_erased(output, named, memories.reject_proposals(proposal_ids, erase=True))
        return
    count = memories.reject_proposals(proposal_ids)
    output.done({"deleted_count": count}, f"rejected {counted(count, 'proposal')}")
