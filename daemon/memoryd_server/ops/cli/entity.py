"""``memoryd entity``: the things that an agent's tools touched last, by conversation."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.domain.limit import ENTITIES_MAX
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.client.selection import selecting_users
from memoryd_server.ops.cli.terminal.argument import read_json, read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    import memoryd
    from memoryd import Entity, EntityWindowInfo

CONVERSATION = name_argument("conversation")


@click.group("entity", cls=CommandGroup)
def entity() -> None:
    """Track entities: the things that an agent's tools touched last in a conversation."""


@entity.command("add", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.argument("type_", metavar="TYPE")
@click.argument("entity_id", metavar="ID")
@click.argument("name", metavar="NAME")
@click.option("--slug", default="", metavar="TEXT", help="Form of the name that is used in URLs.")
@click.option(
    "--window-size",
    type=click.IntRange(1, ENTITIES_MAX),
    metavar="N",
    help="New maximum number of entities in the window.  [default: unchanged, initially 10]",
)
def add_entity(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    type_: str,
    entity_id: str,
    name: str,
    slug: str,
    window_size: int | None,
) -> None:
    """Add an entity as the newest of those that a conversation used last, its window.

    An entity whose ID is in the window moves to the front. A full window drops its oldest entity.
    """
    from memoryd import Entity

    added = Entity(type_, entity_id, name, slug)
    window = client.agent(agent_id).entities(conversation_id).add(added, window_size=window_size or 0)
    output.done(window, f"{entity_id} was added: the window of {conversation_id} has {_counted(len(window.entities))}")


@entity.command("extract", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.argument("tool_name", metavar="TOOL")
@click.argument("result", metavar="RESULT")
@click.option(
    "--prefix",
    "tool_prefix",
    default="",
    metavar="TEXT",
    help="PREFIX in the name of TOOL, PREFIX_verbNoun, whose noun indicates the entities' type.  [default: cms]",
)
@click.option("--dry-run", is_flag=True, help="Print the entities without adding them.")
def extract_entities(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    tool_name: str,
    result: str,
    tool_prefix: str,
    dry_run: bool,
) -> None:
    """Extract entities from the RESULT of TOOL, and add them to a conversation's window.

    RESULT is JSON; - reads it from standard input. In a pipe, each row has these fields, separated by tabs: id, type,
    name, slug.
    """
    from memoryd import Json

    text = read_text(result)
    try:
        read_json(text)
    except ValueError as error:
        raise click.UsageError(f"RESULT is not JSON ({error})") from None
    window = client.agent(agent_id).entities(conversation_id)
    _list(output, window.extract(tool_name, Json(text), tool_prefix=tool_prefix, dry_run=dry_run), _columns())


@entity.command("list", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option("--prompt", "as_prompt", is_flag=True, help="Print the whole window as text for a prompt.")
def list_entities(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, as_prompt: bool
) -> None:
    """List the entities in a conversation's window, newest first.

    In a pipe, each row has these fields, separated by tabs: id, type, name, slug, last access time.
    """
    window = client.agent(agent_id).entities(conversation_id)
    if not as_prompt:
        now = datetime.now(UTC)
        accessed: Column[Entity] = age_column("ACCESSED", lambda each: each.last_access_time or now, now)
        _list(output, window.get().entities, [*_columns(), accessed])
    elif output.as_json:
        output.record({"prompt_text": window.prompt_text()})
    elif text := window.prompt_text():
        output.text(text)


@entity.command("windows", cls=ClientCommand)
@AGENT
@selecting_users("windows")
def list_windows(client: "memoryd.Client", output: Output, agent_id: str, selection: dict[str, Any]) -> None:
    """List the windows of an agent's conversations, oldest first.

    In a pipe, each row has these fields, separated by tabs: conversation, number of entities, size, user, creation
    time, update time.
    """
    now = datetime.now(UTC)
    columns: list[Column[EntityWindowInfo]] = [
        Column("CONVERSATION", lambda found: found.conversation_id, names=True),
        Column("ENTITIES", lambda found: len(found.entities), right=True),
        Column("SIZE", lambda found: found.window_size, right=True, width_min=60),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=80),
        age_column("CREATED", lambda found: found.create_time or now, now),
        age_column("UPDATED", lambda found: found.update_time or now, now),
    ]
    output.listing(client.agent(agent_id).entity_windows(**selection), columns, nothing="There are no such windows.")


@entity.command("clear", cls=ClientCommand)
@AGENT
@CONVERSATION
@ERASE
@with_consent
def clear_entities(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, erase: bool, consent: Consent
) -> None:
    """Delete a conversation's window with all of its entities."""
    window = client.agent(agent_id).entities(conversation_id)

    def deed() -> str:
        verb = "erase" if erase else "delete"
        return f"{verb} {_counted(len(window.get().entities))} of conversation {conversation_id!r}"

    if not consent.to(output, deed):
        return
    if erase:
        show_erased(output, "the window", window.clear(erase=True))
        return
    cleared = window.clear()
    output.done({"deleted_entity_count": cleared}, f"deleted {_counted(cleared)}")


def _list(output: Output, found: "Iterable[Entity]", columns: "list[Column[Entity]]") -> None:
    output.listing(found, columns, nothing="There are no such entities.")


def _columns() -> "list[Column[Entity]]":
    return [
        Column("ENTITY", lambda each: each.entity_id, names=True),
        Column("TYPE", lambda each: each.type, style="cyan", may_be_cut=True),
        Column("NAME", lambda each: each.name, lambda each: one_line(each.name), may_be_cut=True),
        Column("SLUG", lambda each: each.slug, may_be_cut=True, width_min=80),
    ]


def _counted(count: int) -> str:
    return counted(count, "entity", "entities")
