"""``memoryd agent``: agents, their names and defaults, the amount of their memory, and users to forget."""

import json
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT, YES, confirm
from memoryd_server.ops.cli.client.selection import with_metadata
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age, size
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    from collections.abc import Mapping

    import memoryd
    from memoryd import AgentDefaults, AgentInfo, RecordKind
    from memoryd.protocol.agent import AgentChanges

ORDERS = ("id", "id_descending", "create_time", "create_time_descending", "update_time", "update_time_descending")


@click.group("agent", cls=CommandGroup)
def agent() -> None:
    """List agents, name them, set their defaults, show how much memory they use, and forget users."""


@agent.command("list", cls=ClientCommand)
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
        Column("AGENT", operator.attrgetter("agent_id"), style="bold", may_be_cut=True),
        Column("REVISION", operator.attrgetter("revision"), right=True),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
        Column("NAME", operator.attrgetter("display_name"), may_be_cut=True, width_min=70),
        Column("TAGS", lambda found: ",".join(found.tags), may_be_cut=True, width_min=90),
    ]
    found = client.agents(*patterns, filter={"metadata": conditions}, all_tags=all_tags, order=order)
    output.listing(found, columns, nothing="There are no such agents.")


@agent.command("get", cls=ClientCommand)
@AGENT
def get_agent(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Show the name, the labels, the metadata and the defaults of an agent.

    Exits with status 1 if there is no such agent.
    """
    found = client.agent(agent_id).info()
    now = datetime.now(UTC)
    metadata = json.dumps(found.metadata, ensure_ascii=False)
    facts = [
        ("name", found.display_name, found.display_name or "none"),
        ("tags", ",".join(found.tags), ", ".join(found.tags) or "none"),
        ("metadata", metadata, metadata),
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


@agent.command("update", cls=ClientCommand)
@AGENT
@click.option("--name", "display_name", metavar="TEXT", help="New name for people; '' for none.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label that replaces all labels; repeatable.")
@click.option("--entry-ttl", type=DURATION, metavar="DURATION", help="Time to live of entries set without one.")
@click.option(
    "--fragment-ttl", type=DURATION, metavar="DURATION", help="Time to live of fragments that are created without one."
)
@click.option(
    "--max-tokens", type=click.IntRange(0), metavar="N", help="Budget of composed contexts whose request has none."
)
@click.option("--model", metavar="NAME", help="Model of composed contexts whose request names none.")
@click.option("--no-defaults", is_flag=True, help="Remove all defaults.")
def update_agent(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    display_name: str | None,
    tags: tuple[str, ...],
    no_defaults: bool,
    **options: Any,
) -> None:
    """Change the name, the labels and the defaults of an agent, which is created if it does not exist.

    The given defaults replace all defaults of the agent.
    """
    from memoryd import AgentDefaults

    given = {_DEFAULTS[name]: value for name, value in options.items() if value is not None}
    if given and no_defaults:
        raise click.UsageError("--no-defaults excludes the other defaults")
    changes: AgentChanges = {}
    if display_name is not None:
        changes["display_name"] = display_name
    if tags:
        changes["tags"] = tags
    if given or no_defaults:
        changes["defaults"] = AgentDefaults(**given) if given else None
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    updated = client.agent(agent_id).update_info(**changes)
    output.done(updated, f"{agent_id} is at revision {updated.revision}")


_DEFAULTS = {
    "entry_ttl": "entry_ttl",
    "fragment_ttl": "fragment_ttl",
    "max_tokens": "context_max_tokens",
    "model": "model",
}
"""The defaults of an agent, by the names of the options."""


@agent.command("stats", cls=ClientCommand)
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
        *((_plural(kind), count, f"{count:,}") for kind, count in found.record_counts.items()),
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


@agent.command("forget-user", cls=ClientCommand)
@click.argument("pattern", metavar="AGENT")
@click.argument("user_id", metavar="USER")
@click.option("--block-reimport", is_flag=True, help="Reject the contents of the user's memories if created again.")
@YES
def forget_user(
    client: "memoryd.Client", output: Output, pattern: str, user_id: str, block_reimport: bool, yes: bool
) -> None:
    """Erase all records of a user from an agent, for good.

    AGENT is an id, a prefix that ends with *, or * for all agents that the token may use. Agents that have ended must
    be named one by one. This erases the user's records of all kinds and the content of their events, also of records
    that were deleted before. Snapshots that were created before may still contain them: they are listed, and those that
    the token may not use are counted.

    In a pipe, each row has these fields, separated by tabs: agent, number of records, kinds, snapshots.
    """
    confirm(f"Erase all records of {user_id} in {pattern}? They cannot be restored.", yes=yes)
    agent_ids = [pattern]
    if pattern.endswith("*"):
        agent_ids = [each.agent_id for each in client.agents(pattern)]
    columns: list[Column[Forgotten]] = [
        Column("AGENT", operator.attrgetter("agent_id"), style="bold", may_be_cut=True),
        Column("RECORDS", lambda each: sum(each.deleted.values()), right=True),
        Column("KINDS", lambda each: ", ".join(f"{count:,} {_plural(kind)}" for kind, count in each.deleted.items())),
        Column("SNAPSHOTS", operator.attrgetter("snapshots"), may_be_cut=True),
    ]
    done = (_forgotten(client, agent_id, user_id, block_reimport) for agent_id in agent_ids)
    output.listing(done, columns, nothing="There are no such agents.")


def _forgotten(client: "memoryd.Client", agent_id: str, user_id: str, block_reimport: bool) -> Forgotten:
    found = client.agent(agent_id).forget_user(user_id, block_reimport=block_reimport)
    return Forgotten(agent_id, found.deleted, found.snapshot_ids, found.snapshot_count, found.revision)


def _plural(kind: str) -> str:
    words = kind.replace("_", " ")
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"
