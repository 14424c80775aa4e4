"""``memoryd document``: source texts, searched in chunks."""

import functools
import itertools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.domain.limit import MATCHES_DEFAULT, MATCHES_MAX
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.deletion import Named, delete_record
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import (
    AGENT,
    ERASE,
    FURTHER_AGENTS,
    LIMIT_ALL,
    if_revision,
    limit,
    metadata,
    tags,
)
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_bytes
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import age, counted, one_line, preview, size
from memoryd_server.ops.cli.terminal.progress import transferring, working
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import Document, DocumentChunk, ScoredDocumentChunk

DOCUMENT = name_argument("document")
FILE = click.argument("file", metavar="[FILE]", default="")
URL = click.option(
    "--url", default="", metavar="URL", help="URL that the daemon fetches, if document_url_hosts allows it."
)
TYPE = click.option(
    "--type", "media_type", metavar="TYPE", help="Media type, such as text/markdown.  [default: detected]"
)
CHARSET = click.option(
    "--charset", metavar="NAME", help="Encoding of a file of text, such as windows-1252.  [default: detected]"
)
TAG_FILTER = click.option(
    "--tag", "all_tags", multiple=True, metavar="TAG", help="Select only documents with this tag. Repeatable."
)


@click.group("document", cls=CommandGroup)
def document() -> None:
    """Create, list, search and delete documents: source texts."""


@document.command("create", cls=ClientCommand)
@AGENT
@FILE
@URL
@click.option("--id", "document_id", metavar="DOCUMENT", help="Id of the document.  [default: a new one]")
@click.option("--title", metavar="TEXT", help="Title of the document.  [default: from the file]")
@click.option("--description", metavar="TEXT", help="Description of the document.")
@click.option("--user", "user_id", metavar="ID", help="User whom the document belongs to.")
@tags("document")
@metadata("document")
@TYPE
@CHARSET
def create_document(
    client: "memoryd.Client", output: Output, agent_id: str, file: str, url: str, **options: Any
) -> None:
    """Create a document from FILE or --url: text, Markdown, HTML, PDF or DOCX.

    FILE is a path; - reads standard input.
    """
    if bool(file) is bool(url):
        raise click.UsageError("Name either FILE or --url.")
    documents = client.agent(agent_id).documents
    created = _written(documents.create, file, url, _given(options))
    text = f"{size(created.text_bytes)} of text in {counted(created.chunk_count, 'chunk')}"
    output.done(
        created, f"{created.document_id} was created at revision {created.revision}: {text}", name=created.document_id
    )


@document.command("update", cls=ClientCommand)
@AGENT
@DOCUMENT
@FILE
@URL
@click.option("--title", metavar="TEXT", help="New title; an empty one with new content is taken from that.")
@click.option("--description", metavar="TEXT", help="New description.")
@click.option("--user", "user_id", metavar="ID", help="New user whom the document belongs to.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="New label, in place of all labels. Repeatable.")
@metadata("document")
@click.option("--source", metavar="TEXT", help="New source, such as the name of a file.")
@TYPE
@CHARSET
@if_revision("document")
def update_document(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    document_id: str,
    file: str,
    url: str,
    expected_revision: int | None,
    **options: Any,
) -> None:
    """Change the given fields of a document, or its content to that of FILE or --url.

    FILE is a path; - reads standard input.
    """
    changes = _given(options)
    if file and url:
        raise click.UsageError("Name either FILE or --url.")
    if not (file or url or changes):
        raise click.UsageError("Name at least one field to change, FILE or --url.")
    update = functools.partial(
        client.agent(agent_id).documents.update, document_id, expected_revision=expected_revision
    )
    updated = _written(update, file, url, changes)
    output.done(updated, f"{document_id} was updated at revision {updated.revision}")


@document.command("get", cls=ClientCommand)
@AGENT
@DOCUMENT
def get_document(client: "memoryd.Client", output: Output, agent_id: str, document_id: str) -> None:
    """Show a document, without its text.

    Exits with status 1 if there is no such document.
    """
    found, now = client.agent(agent_id).documents.get(document_id), datetime.now(UTC)
    metadata_json = json.dumps(found.metadata, ensure_ascii=False, separators=(",", ":")) if found.metadata else ""
    facts = [
        ("document", found.document_id, found.document_id),
        ("title", found.title, one_line(found.title)),
        ("description", found.description, one_line(found.description)),
        ("user", found.user_id, found.user_id),
        ("tags", ",".join(found.tags), ", ".join(map(one_line, found.tags))),
        ("metadata", metadata_json, one_line(metadata_json)),
        ("source", found.source, one_line(found.source)),
        ("type", found.media_type, found.media_type),
        ("charset", found.charset, found.charset),
        ("size", found.text_bytes, size(found.text_bytes)),
        ("tokens", found.token_count, f"about {found.token_count:,}"),
        ("chunks", found.chunk_count, f"{found.chunk_count:,}"),
        ("created", found.create_time, f"{age(found.create_time, now)} ago"),
        ("updated", found.update_time, f"{age(found.update_time, now)} ago"),
        ("revision", found.revision, str(found.revision)),
    ]
    output.facts(found, facts)


@document.command("text", cls=ClientCommand)
@AGENT
@DOCUMENT
def print_text(client: "memoryd.Client", output: Output, agent_id: str, document_id: str) -> None:
    """Print the whole text of a document.

    Exits with status 1 if there is no such document.
    """
    text = client.agent(agent_id).documents.text(document_id)
    if output.as_json:
        output.record({"document_id": document_id, "text": text})
    else:
        output.text(text.removesuffix("\n"))


@document.command("chunk", cls=ClientCommand)
@AGENT
@DOCUMENT
@click.argument("number", metavar="NUMBER", type=click.IntRange(1))
def print_chunk(client: "memoryd.Client", output: Output, agent_id: str, document_id: str, number: int) -> None:
    """Print a chunk of a document, by its number from 1.

    --json prints its heading and pages, too. Exits with status 1 if there is no such chunk.
    """
    found = client.agent(agent_id).documents.chunk(document_id, number)
    if output.as_json:
        output.record(found)
    else:
        output.text(found.text.removesuffix("\n"))


@document.command("chunks", cls=ClientCommand)
@AGENT
@DOCUMENT
@click.option(
    "--from",
    "first_number",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Number of the first one. [default: 1]",
)
@LIMIT_ALL
def list_chunks(
    client: "memoryd.Client", output: Output, agent_id: str, document_id: str, first_number: int, limit: int | None
) -> None:
    """List the chunks of a document, in the order of its text.

    In a pipe, each row has these fields, separated by tabs: number, heading, text, tokens, page. Exits with status 1 if
    there is no such document.
    """
    columns: list[Column[DocumentChunk]] = [
        Column("CHUNK", lambda found: found.number, names=True, right=True),
        Column("HEADING", lambda found: one_line(found.heading), may_be_cut=True, width_min=80),
        Column("TEXT", lambda found: one_line(found.text), lambda found: preview(found.text), may_be_cut=True),
        Column("TOKENS", lambda found: found.token_count, right=True, width_min=60),
        Column("PAGE", lambda found: found.page or None, right=True, width_min=90),
    ]
    found = client.agent(agent_id).documents.chunks(document_id, first_number)
    output.listing(itertools.islice(found, limit), columns, nothing="There are no such chunks.")


@document.command("list", cls=ClientCommand)
@AGENT
@selecting("documents")
@TAG_FILTER
def list_documents(
    client: "memoryd.Client", output: Output, agent_id: str, selection: dict[str, Any], all_tags: tuple[str, ...]
) -> None:
    """List the documents of an agent, oldest first.

    In a pipe, each row has these fields, separated by tabs: id, title, size in bytes, tokens, chunks, tags, media type,
    source, creation time, update time.
    """
    now = datetime.now(UTC)
    columns: list[Column[Document]] = [
        Column("DOCUMENT", lambda found: found.document_id, names=True, may_be_cut=True),
        Column("TITLE", lambda found: one_line(found.title), may_be_cut=True),
        Column("SIZE", lambda found: found.text_bytes, lambda found: size(found.text_bytes), right=True),
        Column("TOKENS", lambda found: found.token_count, right=True, width_min=80),
        Column("CHUNKS", lambda found: found.chunk_count, right=True, width_min=90),
        Column("TAGS", lambda found: ",".join(found.tags), may_be_cut=True, width_min=100),
        Column("TYPE", lambda found: found.media_type, may_be_cut=True, width_min=120),
        Column("SOURCE", lambda found: one_line(found.source), may_be_cut=True, width_min=120),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    found = client.agent(agent_id).documents.list(all_tags=all_tags, **selection)
    output.listing(found, columns, nothing="There are no such documents.")


@document.command("search", cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@limit(maximum=MATCHES_MAX, default=MATCHES_DEFAULT)
@click.option(
    "--min-score",
    type=SHARE,
    default=0.0,
    metavar="NUMBER",
    help="Minimum score of a result, 0 to 1.  [default: 0]",
)
@FURTHER_AGENTS
@click.option("--in", "document_ids", multiple=True, metavar="DOCUMENT", help="Search only this document. Repeatable.")
@selecting("documents")
@TAG_FILTER
def search_documents(
    client: "memoryd.Client", output: Output, agent_id: str, query: str, selection: dict[str, Any], **options: Any
) -> None:
    """List the chunks of documents that best match QUERY, by words and meaning.

    In a pipe, each row has these fields, separated by tabs: score, document, chunk number, heading, text, matched
    words; with --further-agent, also the agent.
    """
    document_ids = options.pop("document_ids") or None
    found = client.agent(agent_id).documents.search(query, document_ids=document_ids, **options, **selection)
    columns: list[Column[ScoredDocumentChunk]] = [
        Column("SCORE", lambda each: each.score, lambda each: f"{each.score:.2f}", right=True),
        Column("DOCUMENT", lambda each: each.chunk.document_id, names=True, may_be_cut=True),
        Column("CHUNK", lambda each: each.chunk.number, right=True),
        Column("HEADING", lambda each: one_line(each.chunk.heading), may_be_cut=True, width_min=80),
        Column("TEXT", lambda each: one_line(each.chunk.text), lambda each: preview(each.chunk.text), may_be_cut=True),
        Column("WORDS", lambda each: ", ".join(each.matched_words), may_be_cut=True, width_min=100),
    ]
    if options["further_agents"]:
        columns.append(Column("AGENT", lambda each: each.agent_id, may_be_cut=True))
    output.listing(found.chunks, columns, nothing="No chunk matches.")


@document.command("delete", cls=ClientCommand)
@AGENT
@DOCUMENT
@if_revision("document")
@ERASE
@with_consent
def delete_document(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    document_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete a document.

    Exits with status 1 if there is no such document.
    """
    delete_record(
        output,
        consent,
        Named(agent_id, "document", document_id),
        functools.partial(client.agent(agent_id).documents.delete, document_id),
        erase=erase,
        expected_revision=expected_revision,
    )


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def _written(write: "Callable[..., Document]", file: str, url: str, fields: dict[str, Any]) -> "Document":
    """Return the document that is written with the content of a file or a URL, or without one if both are empty."""
    if url:
        with working("fetching"):
            return write(url=url, **fields)
    if not file:
        return write(**fields)
    with transferring("standard input" if file == "-" else Path(file).name) as report:
        if file == "-":
            return write(data=read_bytes(), progress=report, **fields)
        try:
            return write(file=file, progress=report, **fields)
        except OSError as error:
            raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
