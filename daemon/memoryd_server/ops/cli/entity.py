"""``memoryd entity``: what agents' tools touched last, by session."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.argument import read_json, read_text
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    import memoryd
    from memoryd import Entity

AGENT = click.argument("agent_id", metavar="AGENT")
SESSION = click.argument("session_id", metavar="SESSION")
LIMIT_DEFAULT = 5
WINDOW_SIZE_MAX = 1_000


@click.group("entity")
def entity() -> None:
    """Keep what an agent's tools touched last, session by session."""


@entity.command("add", cls=ClientCommand)
@AGENT
@SESSION
@click.argument("type_", metavar="TYPE")
@click.argument("entity_id", metavar="ID")
@click.argument("name", metavar="NAME")
@click.option("--slug", default="", metavar="TEXT", help="Its name in addresses.")
@click.option(
    "--window-size",
    type=click.IntRange(1, WINDOW_SIZE_MAX),
    metavar="N",
    help="Keep so many entities from now on.  [default: as it is, 10 at first]",
)
def add_entity(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    session_id: str,
    type_: str,
    entity_id: str,
    name: str,
    slug: str,
    window_size: int | None,
) -> None:
    """Put an entity at the front of a session's window.

    One whose ID is there moves to the front; the oldest falls off.
    """
    from memoryd import Entity

    added = Entity(type_, entity_id, name, slug)
    window = client.agent(agent_id).entities(session_id).add(added, window_size=window_size or 0)
    output.done(
        window, f"{entity_id} was added: {_counted(len(window.entities), 'is', 'are')} in the window of {session_id}"
    )


@entity.command("extract", cls=ClientCommand)
@AGENT
@SESSION
@click.argument("tool_name", metavar="TOOL")
@click.argument("result", metavar="RESULT")
@click.option(
    "--prefix", "tool_prefix", default="", metavar="TEXT", help="What tools' names begin with.  [default: cms]"
)
@click.option("--dry-run", is_flag=True, help="Only tell what would be found.")
def extract_entities(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    session_id: str,
    tool_name: str,
    result: str,
    tool_prefix: str,
    dry_run: bool,
) -> None:
    """Find entities in what TOOL answered, and add them.

    RESULT is JSON; - reads it from standard input. In a pipe, a row has id, type, name and slug, separated by tabs.
    """
    from memoryd import Json

    text = read_text(result)
    try:
        read_json(text)
    except ValueError as error:
        raise click.UsageError(f"RESULT is not JSON ({error})") from None
    window = client.agent(agent_id).entities(session_id)
    _list(output, window.extract(tool_name, Json(text), tool_prefix=tool_prefix, dry_run=dry_run), _columns())


@entity.command("list", cls=ClientCommand)
@AGENT
@SESSION
@click.option(
    "--limit",
    type=click.IntRange(1, WINDOW_SIZE_MAX),
    default=LIMIT_DEFAULT,
    show_default=True,
    metavar="N",
    help="At most so many.",
)
@click.option("--prompt", "as_prompt", is_flag=True, help="Print the whole window as text for a prompt instead.")
def list_entities(
    client: "memoryd.Client", output: Output, agent_id: str, session_id: str, limit: int, as_prompt: bool
) -> None:
    """List a session's entities, newest first.

    In a pipe, a row has id, type, name, slug and the time of the last touch, separated by tabs.
    """
    window = client.agent(agent_id).entities(session_id)
    if not as_prompt:
        now = datetime.now(UTC)
        touched: Column[Entity] = Column(
            "AGE", lambda each: each.access_time, lambda each: age(each.access_time or now, now), right=True
        )
        _list(output, window.recent(limit), [*_columns(), touched])
    elif output.as_json:
        output.record({"prompt_text": window.prompt_text()})
    elif text := window.prompt_text():
        output.text(text)


@entity.command("clear", cls=ClientCommand)
@AGENT
@SESSION
def clear_entities(client: "memoryd.Client", output: Output, agent_id: str, session_id: str) -> None:
    """Remove a session's window."""
    cleared = client.agent(agent_id).entities(session_id).clear()
    output.done({"entities_cleared": cleared}, f"{_counted(cleared, 'was', 'were')} removed")


def _list(output: Output, found: "Iterable[Entity]", columns: "list[Column[Entity]]") -> None:
    output.listing(found, columns, nothing="There are no such entities.")


def _columns() -> "list[Column[Entity]]":
    return [
        Column("ENTITY", lambda each: each.id, style="bold"),
        Column("TYPE", lambda each: each.type, style="cyan", may_be_cut=True),
        Column("NAME", lambda each: each.name, lambda each: one_line(each.name), may_be_cut=True),
        Column("SLUG", lambda each: each.slug, may_be_cut=True, width_min=80),
    ]


def _counted(count: int, one: str, many: str) -> str:
    return f"1 entity {one}" if count == 1 else f"{count:,} entities {many}"
