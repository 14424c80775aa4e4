"""``memoryd agents``, ``scopes`` and ``stats``: what agents have."""

import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, plain, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.tree import Tree

    import memoryd
    from memoryd import AgentInfo, ScopeInfo

AGENT = click.argument("agent_id", metavar="AGENT")


@click.command("agents", cls=ClientCommand)
@click.argument("prefix", default="")
def list_agents(client: "memoryd.Client", output: Output, prefix: str) -> None:
    """List the agents.

    PREFIX keeps those whose id begins with it. In a pipe, a row has id, revision, and the times of the first and the
    last change, separated by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[AgentInfo]] = [
        Column("AGENT", operator.attrgetter("agent_id"), style="bold", may_be_cut=True),
        Column("REVISION", operator.attrgetter("revision"), right=True),
        Column("BEGAN", operator.attrgetter("create_time"), lambda agent: age(agent.create_time, now), right=True),
        Column("CHANGED", operator.attrgetter("update_time"), lambda agent: age(agent.update_time, now), right=True),
    ]
    output.listing(client.agents(prefix), columns, nothing="There are no such agents.")


@click.command("scopes", cls=ClientCommand)
@AGENT
def list_scopes(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Show the scopes of an agent as a tree.

    It has the active ones with the number of their own entries. In a pipe, a row has id, name, the parent's id and
    the number of entries, separated by tabs.
    """
    agent = client.agent(agent_id)
    if output.is_terminal:
        root_count = agent.stats().root_entry_count
        output.console.print(_tree(agent_id, root_count, agent.scopes()))
        return
    columns: list[Column[ScopeInfo]] = [
        Column(name, operator.attrgetter(name)) for name in ("scope_id", "name", "parent_scope_id", "local_count")
    ]
    output.listing(agent.scopes(), columns, nothing="")


@click.command(cls=ClientCommand)
@AGENT
def stats(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Tell how much an agent's memory holds."""
    found = client.agent(agent_id).stats()
    now = datetime.now(UTC)
    oldest, newest = (
        "none" if moment is None else f"set {age(moment, now)} ago"
        for moment in (found.oldest_entry_time, found.newest_entry_time)
    )
    context = (
        f"{found.context_tokens_used:,} of {found.context_tokens_max:,}" if found.context_tokens_max else "none kept"
    )
    used, most = size(found.storage_bytes_used), size(found.storage_bytes_limit)
    facts = [
        ("entries", found.working_entry_count, f"{found.working_entry_count:,}"),
        ("in the root", found.root_entry_count, f"{found.root_entry_count:,}"),
        ("active scopes", found.active_scope_count, f"{found.active_scope_count:,}"),
        ("fragments", found.fragment_count, f"{found.fragment_count:,}"),
        ("storage", found.storage_bytes_used, f"{used} of {most} ({found.storage_percent_used:.1f} %)"),
        ("oldest entry", found.oldest_entry_time, oldest),
        ("newest entry", found.newest_entry_time, newest),
        ("long-term", found.long_term_entry_count, f"{found.long_term_entry_count:,}"),
        ("archived", found.archived_memory_count, f"{found.archived_memory_count:,}"),
        ("superseded", found.superseded_memory_count, f"{found.superseded_memory_count:,}"),
        ("forgotten", found.forgotten_entry_count, f"{found.forgotten_entry_count:,}"),
        ("links", found.memory_link_count, f"{found.memory_link_count:,}"),
        ("wait for a vector", found.embedding_backlog, f"{found.embedding_backlog:,}"),
        *((name.replace("_", " ") + "s", count, f"{count:,}") for name, count in found.record_counts.items()),
        ("context tokens", found.context_tokens_used, context),
    ]
    output.facts(found, facts)


def _tree(agent_id: str, root_count: int, scopes: "Iterable[ScopeInfo]") -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    def label(name: str, count: int, scope_id: str) -> Text:
        entries = "entry" if count == 1 else "entries"
        return Text.assemble(
            (plain(name), "bold"),
            f"  {count:,} {entries}",
            (f"  {scope_id}" if scope_id else "", "dim"),
            overflow="fold",
        )

    tree = Tree(label(agent_id, root_count, ""), guide_style="dim")
    branches = {"": tree}
    # They come in the order of their creation: a parent before its children.
    for scope in scopes:
        branch = branches.get(scope.parent_scope_id, tree)
        branches[scope.scope_id] = branch.add(label(scope.name, scope.local_count, scope.scope_id))
    return tree
