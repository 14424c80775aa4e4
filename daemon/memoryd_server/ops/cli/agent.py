"""``memoryd agent``: agents, and the amount of their memory."""

import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age, size

if TYPE_CHECKING:
    import memoryd
    from memoryd import AgentInfo


@click.group("agent")
def agent() -> None:
    """List agents, and show how much memory they use."""


@agent.command("list", cls=ClientCommand)
@click.argument("prefix", default="")
def list_agents(client: "memoryd.Client", output: Output, prefix: str) -> None:
    """List the agents whose id begins with PREFIX, or all.

    In a pipe, each row has these fields, separated by tabs: id, revision, creation time, update time.
    """
    now = datetime.now(UTC)
    columns: list[Column[AgentInfo]] = [
        Column("AGENT", operator.attrgetter("agent_id"), style="bold", may_be_cut=True),
        Column("REVISION", operator.attrgetter("revision"), right=True),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    output.listing(client.agents(prefix), columns, nothing="There are no such agents.")


@agent.command("stats", cls=ClientCommand)
@AGENT
def show_stats(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Show the number of an agent's records by kind, and its storage."""
    found = client.agent(agent_id).stats()
    now = datetime.now(UTC)
    oldest, newest = (
        "none" if moment is None else f"set {age(moment, now)} ago"
        for moment in (found.oldest_entry_time, found.newest_entry_time)
    )
    used = f"{size(found.storage_bytes)} of {size(found.storage_bytes_max)}"
    share = 100 * found.storage_bytes / found.storage_bytes_max
    context = f"{found.context_token_count:,} of {found.context_token_count_max:,}"
    facts = [
        *((_plural(kind), count, f"{count:,}") for kind, count in found.record_counts.items()),
        ("entries in the root", found.root_entry_count, f"{found.root_entry_count:,}"),
        ("archived memories", found.archived_memory_count, f"{found.archived_memory_count:,}"),
        ("superseded memories", found.superseded_memory_count, f"{found.superseded_memory_count:,}"),
        ("forgotten memories", found.forgotten_memory_count, f"{found.forgotten_memory_count:,}"),
        ("memories without a vector", found.unembedded_memory_count, f"{found.unembedded_memory_count:,}"),
        ("storage", found.storage_bytes, f"{used} ({share:.1f} %)"),
        ("oldest entry", found.oldest_entry_time, oldest),
        ("newest entry", found.newest_entry_time, newest),
        ("context tokens", found.context_token_count, context),
    ]
    output.facts(found, facts)


def _plural(kind: str) -> str:
    words = kind.replace("_", " ")
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"
