"""``memoryd entry``, with the short forms ``set``, ``get``, ``ls`` and ``rm``: the entries of an agent."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand, scope_of
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.failure import Missing
from memoryd_server.ops.cli.client.name.parameter import name_argument, name_option
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, if_revision, importance, metadata, tags
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_value
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, one_line, preview, remaining, size
from memoryd_server.ops.config.setting_type import DURATION, SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import Entry

ENTRY_TYPES = ("fact", "event", "insight", "preference", "correction", "conversation")

KEY = name_argument("key", "key")
SCOPE = name_option(
    "scope", "--scope", "scope_id", metavar="ID", default="", help="Scope to use.  [default: the agent's root]"
)


@click.group("entry", cls=CommandGroup)
def entry() -> None:
    """Set, get, list, delete and clear entries: JSON values under keys.

    The short forms are set, get, ls and rm.
    """


@click.command("get", cls=ClientCommand)
@AGENT
@KEY
@SCOPE
@click.option("--local", is_flag=True, help="Do not fall back to the parents of the scope.")
def get_entry(client: "memoryd.Client", output: Output, agent_id: str, key: str, scope_id: str, local: bool) -> None:
    """Print the value of an entry.

    A terminal shows it indented and coloured; a pipe gets it verbatim. --json prints the entry with its metadata. Exits
    with status 1 if there is no such key.
    """
    found = scope_of(client, agent_id, scope_id).get_entry(key, local_only=local)
    if found is None:
        raise _missing(agent_id, key, scope_id)
    if output.as_json:
        output.record(found)
    elif output.is_terminal:
        output.value(found.value_json)
    else:
        output.line(found.value_json)


# A negative number looks like an option, and is a value.
@click.command("set", cls=ClientCommand, context_settings={"ignore_unknown_options": True})
@AGENT
@KEY
@click.argument("value", metavar="VALUE")
@SCOPE
@click.option("--string", is_flag=True, help="Store VALUE as a JSON string, without parsing it.")
@click.option("--ttl", type=DURATION, metavar="DURATION", help="Time to live, such as 10m or 7d.  [default: no expiry]")
@click.option("--type", "entry_type", type=click.Choice(ENTRY_TYPES), help="Type of the information.  [default: fact]")
@importance("entry")
@tags("entry")
@metadata("entry")
@click.option("--if-absent", "must_not_exist", is_flag=True, help="Fail if the entry exists.")
@if_revision("entry")
def set_entry(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    key: str,
    value: str,
    scope_id: str,
    string: bool,
    **options: Any,
) -> None:
    """Create or overwrite an entry.

    VALUE is JSON, such as 42, '"some text"' or '{"name": "Ada"}'; - reads it from standard input.
    """
    if options["must_not_exist"] and options["expected_revision"] is not None:
        raise click.UsageError("--if-absent and --if-revision exclude each other")
    from memoryd import Json

    text, type_name = read_value(value, is_string=string)
    stored = scope_of(client, agent_id, scope_id).set(key, Json(text), type_name=type_name, **options)
    output.done(stored, f"{key} was {'created' if stored.created else 'updated'} at revision {stored.revision}")


@click.command("delete", cls=ClientCommand)
@AGENT
@KEY
@SCOPE
@if_revision("entry")
@ERASE
@with_consent
def delete_entry(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    key: str,
    scope_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete an entry.

    After the deletion from a scope, the parent's entry of the same key is visible again. Exits with status 1 if there
    is no such key.
    """
    remove = scope_of(client, agent_id, scope_id).remove
    deed = f"{'erase' if erase else 'delete'} entry {key!r} of agent {agent_id!r}"
    if not consent.to(output, lambda: deed, needed=erase):
        return
    if erase:
        show_erased(output, key, remove(key, expected_revision=expected_revision, erase=True))
        return
    if not remove(key, expected_revision=expected_revision):
        raise _missing(agent_id, key, scope_id)
    output.done({"key": key, "deleted": True}, f"{key} was deleted")


@click.command("list", cls=ClientCommand)
@AGENT
@SCOPE
@click.option("--prefix", default="", metavar="TEXT", help="List only keys that begin with TEXT.")
@click.option("--inherited", is_flag=True, help="Include the entries that the scope inherits from its parents.")
@click.option("--type", "types", type=click.Choice(ENTRY_TYPES), multiple=True, help="List only this type. Repeatable.")
@click.option(
    "--min-importance", type=SHARE, default=0.0, metavar="NUMBER", help="Minimum importance, 0 to 1.  [default: 0]"
)
@click.option("--most-important-first", is_flag=True, help="List by importance.  [default: by key]")
@selecting("entries")
def list_entries(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    scope_id: str,
    prefix: str,
    inherited: bool,
    types: tuple[str, ...],
    min_importance: float,
    most_important_first: bool,
    selection: dict[str, Any],
) -> None:
    """List the entries of an agent's root or of a scope.

    In a pipe, each row has these fields, separated by tabs: key, value, type, size in bytes, update time, expiry time,
    scope.
    """
    selection["filter"]["entry"] = {"min_importance": min_importance}
    entries = scope_of(client, agent_id, scope_id).entries(
        inherited=inherited,
        key_prefix=prefix,
        entry_types=types or None,
        order="importance_descending" if most_important_first else "id",
        **selection,
    )
    output.listing(entries, _columns(inherited=inherited), nothing="There are no such entries.")


@click.command("clear", cls=ClientCommand)
@AGENT
@SCOPE
@if_revision("agent")
@ERASE
@with_consent
def clear_entries(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    scope_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete all entries of an agent's root or of a scope. Scopes below it keep theirs."""
    entries = scope_of(client, agent_id, scope_id)
    owner = f"scope {scope_id!r}" if scope_id else "the root"

    def deed() -> str:
        return f"{'erase' if erase else 'delete'} {_counted(entries.count())} of {owner} of agent {agent_id!r}"

    if not consent.to(output, deed):
        return
    if erase:
        show_erased(output, f"the content of {owner}", entries.clear(expected_revision=expected_revision, erase=True))
        return
    cleared = entries.clear(expected_revision=expected_revision)
    output.done({"cleared_entry_count": cleared}, f"deleted {_counted(cleared)}")


for _command in (set_entry, get_entry, list_entries, delete_entry, clear_entries):
    entry.add_command(_command)


def _columns(*, inherited: bool) -> "list[Column[Entry]]":
    now = datetime.now(UTC)
    columns: list[Column[Entry]] = [
        Column("KEY", lambda found: found.key, names=True, may_be_cut=True),
        Column(
            "VALUE", lambda found: one_line(found.value_json), lambda found: preview(found.value_json), may_be_cut=True
        ),
        Column("TYPE", lambda found: found.type, style="cyan", width_min=70),
        Column(
            "SIZE",
            lambda found: len(found.value_json.encode()),
            lambda found: size(len(found.value_json.encode())),
            right=True,
            width_min=50,
        ),
        age_column("UPDATED", lambda found: found.update_time, now),
        Column(
            "EXPIRES",
            lambda found: found.expire_time,
            lambda found: remaining(found.expire_time, now),
            style="yellow",
            width_min=60,
        ),
        Column(
            "SCOPE",
            lambda found: found.scope_id,
            # Without --inherited, all entries have the scope of the command line: only a pipe gets the field.
            style="cyan",
            width_min=80 if inherited else 10_000,
        ),
    ]
    return columns


def _counted(count: int) -> str:
    return counted(count, "entry", "entries")


def _missing(agent_id: str, key: str, scope_id: str) -> click.ClickException:
    owner = f"scope {scope_id!r} of agent {agent_id!r}" if scope_id else f"agent {agent_id!r}"
    return Missing(f"{owner} has no key {key!r}")
