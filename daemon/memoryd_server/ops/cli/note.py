"""``memoryd note``: titled texts that go into every prompt."""

import functools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.deletion import Named, delete_record
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, if_revision
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import one_line, preview
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import Note

NOTE = name_argument("note")
IF_REVISION = if_revision("note")


@click.group("note", cls=CommandGroup)
def note() -> None:
    """Create, list and edit notes: titled texts that go into every prompt."""


@note.command("create", cls=ClientCommand)
@AGENT
@click.argument("title", metavar="TITLE")
@click.argument("content", metavar="CONTENT")
@click.option("--id", "note_id", default="", metavar="NOTE", help="Id of the note.  [default: a new one]")
@click.option(
    "--notebook", default="", metavar="NAME", help="Notebook of one person or task.  [default: the default one]"
)
@click.option("--user", "user_id", default="", metavar="USER", help="User whom the note is about, or whose it is.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label of the note; repeatable.")
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
    output.done(created, f"{created.note_id} was created at revision {created.revision}", name=created.note_id)


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
@click.option("--notebook", metavar="NAME", help="List only notes in this notebook; '' lists those in the default one.")
@selecting("notes")
@click.option("--tag", "all_tags", multiple=True, metavar="TAG", help="List only notes with this tag; repeatable.")
def list_notes(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    notebook: str | None,
    all_tags: tuple[str, ...],
    selection: dict[str, Any],
) -> None:
    """List the notes of an agent, oldest first.

    In a pipe, each row has these fields, separated by tabs: id, title, content, notebook, importance, creation time,
    update time, user, tags.
    """
    now = datetime.now(UTC)
    columns: list[Column[Note]] = [
        Column("NOTE", lambda found: found.note_id, names=True),
        Column("TITLE", lambda found: found.title, may_be_cut=True),
        Column("CONTENT", lambda found: one_line(found.content), lambda found: preview(found.content), may_be_cut=True),
        Column("NOTEBOOK", lambda found: found.notebook, may_be_cut=True, width_min=70),
        Column("IMPORTANCE", lambda found: found.importance, right=True, width_min=90),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=110),
        Column("TAGS", lambda found: ",".join(found.tags), may_be_cut=True, width_min=130),
    ]
    found = client.agent(agent_id).notes.list(notebook=notebook, all_tags=all_tags, **selection)
    output.listing(found, columns, nothing="There are no such notes.")


@note.command("update", cls=ClientCommand)
@AGENT
@NOTE
@click.option("--title", metavar="TEXT", help="New title.")
@click.option("--content", metavar="TEXT", help="New content; - reads it from standard input.")
@click.option("--notebook", metavar="NAME", help="Notebook to move the note to; '' for the default one.")
@click.option("--user", "user_id", metavar="USER", help="New user; '' for none.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label that replaces all labels; repeatable.")
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
    changes = {name: value for name, value in options.items() if value not in (None, ())}
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
@ERASE
@with_consent
def delete_note(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    note_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete a note.

    Exits with status 1 if there is no such note.
    """
    delete_record(
        output,
        consent,
        Named(agent_id, "note", note_id),
        functools.partial(client.agent(agent_id).notes.delete, note_id),
        erase=erase,
        expected_revision=expected_revision,
    )
