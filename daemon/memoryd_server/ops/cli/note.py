"""``memoryd note``: titled, editable memories that are put into prompts."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line

if TYPE_CHECKING:
    import memoryd
    from memoryd import Note

AGENT = click.argument("agent_id", metavar="AGENT")
NOTE = click.argument("note_id", metavar="NOTE")
EXPECTED = click.option(
    "--expect",
    "expected_revision",
    type=click.IntRange(0),
    metavar="REVISION",
    help="Only if the note was last written by this revision.",
)
CONTENT_SHOWN_MAX = 400


@click.group("note")
def notes() -> None:
    """Write down what is to be in every prompt."""


@notes.command("create", cls=ClientCommand)
@AGENT
@click.argument("title", metavar="TITLE")
@click.argument("content", metavar="CONTENT")
@click.option("--id", "note_id", default="", metavar="NOTE", help="What to call it.  [default: chosen by the daemon]")
@click.option("--key", "storage_key", default="", metavar="KEY", help="Whose it is, or for what.")
@click.option("--importance", type=click.FloatRange(0, 1), default=0.5, show_default=True, metavar="NUMBER")
def create_note(
    client: "memoryd.Client", output: Output, agent_id: str, title: str, content: str, **options: Any
) -> None:
    """Write a note.

    CONTENT is the text; - reads it from standard input.
    """
    note = client.agent(agent_id).notes.create(title, read_text(content), **options)
    output.done(note, f"{note.note_id} was created at revision {note.revision}")


@notes.command("get", cls=ClientCommand)
@AGENT
@NOTE
def get_note(client: "memoryd.Client", output: Output, agent_id: str, note_id: str) -> None:
    """Print the content of a note.

    --json prints the whole note. Ends with 1 when it is not there.
    """
    note = client.agent(agent_id).notes.get(note_id)
    if output.as_json:
        output.record(note)
    else:
        output.text(note.content)


@notes.command("update", cls=ClientCommand)
@AGENT
@NOTE
@click.option("--title", metavar="TEXT", help="What it is about.")
@click.option("--content", metavar="TEXT", help="What is to be known; - reads it from standard input.")
@click.option("--key", "storage_key", metavar="KEY", help="Whose it is, or for what.")
@click.option("--importance", type=click.FloatRange(0, 1), metavar="NUMBER", help="From 0 to 1.")
@EXPECTED
def update_note(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    note_id: str,
    expected_revision: int | None,
    **options: Any,
) -> None:
    """Change a note."""
    changes = {name: value for name, value in options.items() if value is not None}
    if not changes:
        raise click.UsageError("Say what is to change.")
    if "content" in changes:
        changes["content"] = read_text(changes["content"])
    note = client.agent(agent_id).notes.update(note_id, expected_revision=expected_revision, **changes)
    output.done(note, f"{note_id} is as of revision {note.revision}")


@notes.command("delete", cls=ClientCommand)
@AGENT
@NOTE
@EXPECTED
def delete_note(
    client: "memoryd.Client", output: Output, agent_id: str, note_id: str, expected_revision: int | None
) -> None:
    """Remove a note.

    Ends with 1 when it is not there.
    """
    if not client.agent(agent_id).notes.delete(note_id, expected_revision=expected_revision):
        raise click.ClickException(f"agent {agent_id!r} has no note {note_id!r} (RECORD_NOT_FOUND)")
    output.done({"note_id": note_id, "deleted": True}, f"{note_id} was deleted")


@notes.command("list", cls=ClientCommand)
@AGENT
@click.option("--key", "storage_key", metavar="KEY", help="Only those of this key; empty for those without.")
def list_notes(client: "memoryd.Client", output: Output, agent_id: str, storage_key: str | None) -> None:
    """List the notes, the oldest first.

    In a pipe, a row has id, title, content, key, importance, and the times of the first and the last change, separated
    by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[Note]] = [
        Column("NOTE", lambda note: note.note_id, style="bold"),
        Column("TITLE", lambda note: note.title, may_be_cut=True),
        Column(
            "CONTENT",
            lambda note: one_line(note.content),
            lambda note: one_line(note.content[:CONTENT_SHOWN_MAX]),
            may_be_cut=True,
        ),
        Column("KEY", lambda note: note.storage_key, may_be_cut=True, width_min=70),
        Column("MATTERS", lambda note: note.importance, right=True, width_min=80),
        Column("BEGAN", lambda note: note.create_time, lambda note: age(note.create_time, now), right=True),
        Column("CHANGED", lambda note: note.update_time, lambda note: age(note.update_time, now), right=True),
    ]
    output.listing(client.agent(agent_id).notes.list(storage_key), columns, nothing="There are no notes.")
