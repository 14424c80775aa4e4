"""``memoryd note``: titled texts that go into every prompt."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.parameter import AGENT, if_revision
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import one_line, preview
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import Note

NOTE = click.argument("note_id", metavar="NOTE")
IF_REVISION = if_revision("note")


@click.group("note")
def note() -> None:
    """Create, list and edit notes: titled texts that go into every prompt."""


@note.command("create", cls=ClientCommand)
@AGENT
@click.argument("title", metavar="TITLE")
@click.argument("content", metavar="CONTENT")
@click.option("--id", "note_id", default="", metavar="NOTE", help="Id of the note.  [default: a new one]")
@click.option(
    "--key", "storage_key", default="", metavar="KEY", help="Key that groups the notes of one person or task."
)
@click.option(
    "--importance",
    type=SHARE,
    default=0.5,
    show_default=True,
    metavar="NUMBER",
    help="Importance of the note, 0 to 1. A full prompt omits the least important notes.",
)
def create_note(
    client: "memoryd.Client", output: Output, agent_id: str, title: str, content: str, **options: Any
) -> None:
    """Create a note.

    CONTENT is the text; - reads it from standard input.
    """
    created = client.agent(agent_id).notes.create(title, read_text(content), **options)
    output.done(created, f"{created.note_id} was created at revision {created.revision}")


@note.command("get", cls=ClientCommand)
@AGENT
@NOTE
def get_note(client: "memoryd.Client", output: Output, agent_id: str, note_id: str) -> None:
    """Print the content of a note.

    --json prints the note with its metadata. Exits with status 1 if there is no such note.
    """
    found = client.agent(agent_id).notes.get(note_id)
    if output.as_json:
        output.record(found)
    else:
        output.text(found.content)


@note.command("list", cls=ClientCommand)
@AGENT
@click.option("--key", "storage_key", metavar="KEY", help="List only notes with this key; '' lists those without one.")
def list_notes(client: "memoryd.Client", output: Output, agent_id: str, storage_key: str | None) -> None:
    """List the notes of an agent, oldest first.

    In a pipe, each row has these fields, separated by tabs: id, title, content, key, importance, creation time, update
    time.
    """
    now = datetime.now(UTC)
    columns: list[Column[Note]] = [
        Column("NOTE", lambda found: found.note_id, style="bold"),
        Column("TITLE", lambda found: found.title, may_be_cut=True),
        Column("CONTENT", lambda found: one_line(found.content), lambda found: preview(found.content), may_be_cut=True),
        Column("KEY", lambda found: found.storage_key, may_be_cut=True, width_min=70),
        Column("IMPORTANCE", lambda found: found.importance, right=True, width_min=90),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    output.listing(client.agent(agent_id).notes.list(storage_key), columns, nothing="There are no such notes.")


@note.command("update", cls=ClientCommand)
@AGENT
@NOTE
@click.option("--title", metavar="TEXT", help="New title.")
@click.option("--content", metavar="TEXT", help="New content; - reads it from standard input.")
@click.option("--key", "storage_key", metavar="KEY", help="New key that groups the notes of one person or task.")
@click.option("--importance", type=SHARE, metavar="NUMBER", help="New importance, 0 to 1.")
@IF_REVISION
def update_note(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    note_id: str,
    expected_revision: int | None,
    **options: Any,
) -> None:
    """Change the given fields of a note."""
    changes = {name: value for name, value in options.items() if value is not None}
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    if "content" in changes:
        changes["content"] = read_text(changes["content"])
    updated = client.agent(agent_id).notes.update(note_id, expected_revision=expected_revision, **changes)
    output.done(updated, f"{note_id} was updated at revision {updated.revision}")


@note.command("delete", cls=ClientCommand)
@AGENT
@NOTE
@IF_REVISION
def delete_note(
    client: "memoryd.Client", output: Output, agent_id: str, note_id: str, expected_revision: int | None
) -> None:
    """Delete a note.

    Exits with status 1 if there is no such note.
    """
    if not client.agent(agent_id).notes.delete(note_id, expected_revision=expected_revision):
        raise not_found(agent_id, "note", note_id)
    output.done({"note_id": note_id, "deleted": True}, f"{note_id} was deleted")
