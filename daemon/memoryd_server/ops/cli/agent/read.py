"""``memoryd agent list``, ``get`` and ``stats``."""

import json
import operator
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.client.selection import with_metadata
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age, plural, size

if TYPE_CHECKING:
    import memoryd
    from memoryd import AgentDefaults, AgentInfo

ORDERS = ("id", "id_descending", "create_time", "create_time_descending", "update_time", "update_time_descending")


@click.command("list", cls=ClientCommand)
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@click.option("--tag", "all_tags", multiple=True, metavar="TAG", help="List only agents with this tag. Repeatable.")
@with_metadata("agents")
@click.option(
    "--order", type=click.Choice(ORDERS), default="id", show_default=True, help="Order of the agents: by id or by time."
)
def list_agents(
    client: "memoryd.Client",
    output: Output,
    patterns: tuple[str, ...],
    all_tags: tuple[str, ...],
    conditions: dict[str, Any],
    order: str,
) -> None:
    """List the agents that match any PATTERN, or all.

    PATTERN is an agent's id, or a prefix followed by *, such as 'support-*'.

    In a pipe, each row has these fields, separated by tabs: id, revision, creation time, update time, name, tags.
    """
    now = datetime.now(UTC)
    columns: list[Column[AgentInfo]] = [
        Column("AGENT", operator.attrgetter("agent_id"), names=True, may_be_cut=True),
        Column("REVISION", operator.attrgetter("revision"), right=True),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
        Column("NAME", operator.attrgetter("display_name"), may_be_cut=True, width_min=70),
        Column("TAGS", lambda found: ",".join(found.tags), may_be_cut=True, width_min=90),
    ]
    found = client.agents(*patterns, filter={"metadata": conditions}, all_tags=all_tags, order=order)
    output.listing(found, columns, nothing="There are no such agents.")


@click.command("get", cls=ClientCommand)
@AGENT
def get_agent(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Show the name, the labels, the metadata, the tier and the defaults of an agent.

    Exits with status 1 if there is no such agent.
    """
    found = client.agent(agent_id).info()
    now = datetime.now(UTC)
    metadata = json.dumps(found.metadata, ensure_ascii=False)
    facts = [
        ("name", found.display_name, found.display_name or "none"),
        ("tags", ",".join(found.tags), ", ".join(found.tags) or "none"),
        ("metadata", metadata, metadata),
        ("tier", found.tier, found.tier or "none"),
        ("revision", found.revision, f"{found.revision:,}"),
        ("created", found.create_time, f"{age(found.create_time, now)} ago"),
        ("updated", found.update_time, f"{age(found.update_time, now)} ago"),
        *(("default " + name, value, str(value)) for name, value in _set_in(found.defaults)),
    ]
    output.facts(found, facts)


def _set_in(defaults: "AgentDefaults | None") -> Iterable[tuple[str, Any]]:
    """Yield the names and values of the defaults that are set."""
    if defaults is not None:
        for name in ("entry_ttl", "fragment_ttl", "context_max_tokens", "model"):
            value = getattr(defaults, name)
            if value not in (None, ""):
                yield name.replace("_", " "), value


@click.command("stats", cls=ClientCommand)
@AGENT
def show_stats(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Show the number of an agent's records by kind, and its storage."""
    found = client.agent(agent_id).stats()
    now = datetime.now(UTC)
    oldest, newest = (
        "none" if moment is None else f"changed {age(moment, now)} ago"
        for moment in (found.oldest_entry_time, found.newest_entry_time)
    )
    used = f"{size(found.storage_bytes)} of {size(found.storage_bytes_max)}"
    share = 100 * found.storage_bytes / found.storage_bytes_max
    context = f"{found.context_token_count:,} of {found.context_token_count_max:,}"
    facts = [
        *((plural(kind), count, f"{count:,}") for kind, count in found.record_counts.items()),
        ("entries in the root", found.root_entry_count, f"{found.root_entry_count:,}"),
        ("archived memories", found.archived_memory_count, f"{found.archived_memory_count:,}"),
        ("superseded memories", found.superseded_memory_count, f"{found.superseded_memory_count:,}"),
        ("forgotten memories", found.forgotten_memory_count, f"{found.forgotten_memory_count:,}"),
        ("memories without a vector", found.unembedded_memory_count, f"{found.unembedded_memory_count:,}"),
        ("storage", found.storage_bytes, f"{used} ({share:.1f} %)"),
        ("oldest record", found.oldest_entry_time, oldest),
        ("newest record", found.newest_entry_time, newest),
        ("context tokens", found.context_token_count, context),
    ]
    output.facts(found, facts)
