"""``memoryd get``, ``set``, ``rm`` and ``ls``: the entries of an agent."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand, place
from memoryd_server.ops.cli.terminal.argument import object_option, read_value
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line, preview, remaining, size
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    import memoryd
    from memoryd import Entry

MEMORY_TYPES = ("fact", "event", "insight", "preference", "correction", "conversation")

AGENT = click.argument("agent_id", metavar="AGENT")
KEY = click.argument("key", metavar="KEY")
SCOPE = click.option("--scope", "scope_id", metavar="ID", default="", help="A scope of the agent, instead of its root.")
IF_REVISION = click.option(
    "--if-revision", type=click.INT, metavar="N", help="Only if the entry has this revision; 0: if it is not there."
)


@click.command("get", cls=ClientCommand)
@AGENT
@KEY
@SCOPE
@click.option("--local", is_flag=True, help="Of a scope, do not fall back to its parents.")
def get_entry(client: "memoryd.Client", output: Output, agent_id: str, key: str, scope_id: str, local: bool) -> None:
    """Print the value of a key.

    On a terminal it is laid out and coloured, in a pipe it comes as it was written. --json prints the whole entry. Ends
    with 1 when there is no such key.
    """
    entry = place(client, agent_id, scope_id).get_entry(key, local_only=local)
    if entry is None:
        raise _missing(agent_id, key, scope_id)
    if output.as_json:
        output.record(entry)
    elif output.is_terminal:
        output.value(entry.value_json)
    else:
        output.line(entry.value_json)


# A negative number looks like an option, and is a value.
@click.command("set", cls=ClientCommand, context_settings={"ignore_unknown_options": True})
@AGENT
@KEY
@click.argument("value", metavar="VALUE")
@SCOPE
@click.option("--string", is_flag=True, help="Take VALUE as a text, not as JSON.")
@click.option("--ttl", type=DURATION, metavar="DURATION", help="How long the entry lives, such as 10m or 7d.")
@click.option("--type", "memory_type", type=click.Choice(MEMORY_TYPES), help="What it holds.  [default: fact]")
@click.option("--importance", type=click.FLOAT, metavar="NUMBER", help="From 0 to 1.  [default: 0.5]")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label; repeatable.")
@click.option("--metadata", callback=object_option, metavar="JSON", help="An object with whatever else is known.")
@click.option("--if-absent", "must_not_exist", is_flag=True, help="Only if there is no such entry.")
@IF_REVISION
def set_entry(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    key: str,
    value: str,
    scope_id: str,
    string: bool,
    if_revision: int | None,
    **options: Any,
) -> None:
    """Store a value under a key.

    What is there is overwritten. VALUE is JSON such as 42, '"a text"' or '{"name": "Ada"}'; - reads it from standard
    input.
    """
    if options["must_not_exist"] and if_revision is not None:
        raise click.UsageError("--if-absent and --if-revision exclude each other")
    from memoryd import Json

    text, type_name = read_value(value, is_string=string)
    stored = place(client, agent_id, scope_id).set(
        key, Json(text), type_name=type_name, expected_revision=if_revision, **options
    )
    output.done(stored, f"{key} was {'updated' if stored.is_update else 'created'} at revision {stored.revision}")


@click.command("rm", cls=ClientCommand)
@AGENT
@KEY
@SCOPE
@IF_REVISION
def remove_entry(
    client: "memoryd.Client", output: Output, agent_id: str, key: str, scope_id: str, if_revision: int | None
) -> None:
    """Remove a key.

    In a scope, the parent's value shows again. Ends with 1 when it is not there."""
    if not place(client, agent_id, scope_id).remove(key, expected_revision=if_revision):
        raise _missing(agent_id, key, scope_id)
    output.done({"key": key, "removed": True}, f"{key} was removed")


@click.command("ls", cls=ClientCommand)
@AGENT
@SCOPE
@click.option("--prefix", default="", metavar="TEXT", help="Only keys that begin with it.")
@click.option("--inherited", is_flag=True, help="Of a scope, also what it finds in its parents.")
def list_entries(
    client: "memoryd.Client", output: Output, agent_id: str, scope_id: str, prefix: str, inherited: bool
) -> None:
    """List the entries of an agent.

    Those of its root, without its scopes, unless --scope names one. In a pipe, a row has key, value, type, bytes,
    time of the last change, expiry and scope, separated by tabs.
    """
    entries = place(client, agent_id, scope_id).entries(inherited=inherited, key_prefix=prefix)
    output.listing(entries, _columns(inherited=inherited), nothing="There are no such entries.")


def _columns(*, inherited: bool) -> "list[Column[Entry]]":
    now = datetime.now(UTC)
    columns: list[Column[Entry]] = [
        Column("KEY", lambda entry: entry.key, style="bold", may_be_cut=True),
        Column(
            "VALUE", lambda entry: one_line(entry.value_json), lambda entry: preview(entry.value_json), may_be_cut=True
        ),
        Column("TYPE", lambda entry: entry.memory_type, style="cyan", width_min=70),
        Column(
            "SIZE",
            lambda entry: len(entry.value_json.encode()),
            lambda entry: size(len(entry.value_json.encode())),
            right=True,
            width_min=50,
        ),
        Column("AGE", lambda entry: entry.update_time, lambda entry: age(entry.update_time, now), right=True),
        Column(
            "EXPIRES",
            lambda entry: entry.expire_time,
            lambda entry: remaining(entry.expire_time, now),
            style="yellow",
            width_min=60,
        ),
        Column(
            "SCOPE",
            lambda entry: entry.scope_id,
            # A person asks for the scope only where there may be several.
            style="cyan",
            width_min=80 if inherited else 10_000,
        ),
    ]
    return columns


def _missing(agent_id: str, key: str, scope_id: str) -> click.ClickException:
    where = f"scope {scope_id!r} of agent {agent_id!r}" if scope_id else f"agent {agent_id!r}"
    return click.ClickException(f"{where} has no key {key!r} (ENTRY_NOT_FOUND)")
