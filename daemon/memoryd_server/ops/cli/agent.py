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
    context = f"{found.context_tokens_used:,} of {found.context_tokens_max:,}" if found.context_tokens_max else "none"
    used, maximum = size(found.storage_bytes_used), size(found.storage_bytes_limit)
    facts = [
        ("entries", found.working_entry_count, f"{found.working_entry_count:,}"),
        ("entries in the root", found.root_entry_count, f"{found.root_entry_count:,}"),
        ("active scopes", found.active_scope_count, f"{found.active_scope_count:,}"),
        ("fragments", found.fragment_count, f"{found.fragment_count:,}"),
        ("storage", found.storage_bytes_used, f"{used} of {maximum} ({found.storage_percent_used:.1f} %)"),
        ("oldest entry", found.oldest_entry_time, oldest),
        ("newest entry", found.newest_entry_time, newest),
        ("memories", found.long_term_entry_count, f"{found.long_term_entry_count:,}"),
        ("archived memories", found.archived_memory_count, f"{found.archived_memory_count:,}"),
        ("superseded memories", found.superseded_memory_count, f"{found.superseded_memory_count:,}"),
        ("forgotten memories", found.forgotten_entry_count, f"{found.forgotten_entry_count:,}"),
        ("memory links", found.memory_link_count, f"{found.memory_link_count:,}"),
        ("memories without a vector", found.embedding_backlog, f"{found.embedding_backlog:,}"),
        *((name.replace("_", " ") + "s", count, f"{count:,}") for name, count in found.record_counts.items()),
        ("context tokens", found.context_tokens_used, context),
    ]
    output.facts(found, facts)
