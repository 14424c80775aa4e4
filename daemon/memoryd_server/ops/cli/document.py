"""``memoryd doc``: documents, whole or in chunks."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.argument import read_bytes
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line, size
from memoryd_server.ops.cli.terminal.progress import transferring, working

if TYPE_CHECKING:
    import memoryd
    from memoryd import Document, ScoredChunk

AGENT = click.argument("agent_id", metavar="AGENT")
DOCUMENT = click.argument("document_id", metavar="DOCUMENT")
TAGS = click.option("--tag", "tags", multiple=True, metavar="TAG", help="Of those that have it; repeatable.")
TEXT_SHOWN_MAX = 400
LIMIT_DEFAULT = 10
LIMIT_MAX = 100


@click.group("doc")
def documents() -> None:
    """Keep source text, and find its parts."""


@documents.command("add", cls=ClientCommand)
@AGENT
@click.argument("file", metavar="[FILE]", default="")
@click.option("--url", default="", metavar="URL", help="Let the daemon fetch it; see its setting document_url_hosts.")
@click.option("--id", "document_id", default="", metavar="DOCUMENT", help="What to call it.  [default: chosen by it]")
@click.option("--title", default="", metavar="TEXT", help="What it is about.  [default: the file's own, or its name]")
@click.option("--description", default="", metavar="TEXT", help="More of that.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label; repeatable.")
@click.option("--type", "media_type", default="", metavar="TYPE", help="What it is, such as text/markdown.")
@click.option("--replace", "expected_revision", type=click.IntRange(0), metavar="REVISION", help="The one of this.")
def add_document(client: "memoryd.Client", output: Output, agent_id: str, file: str, url: str, **options: Any) -> None:
    """Add a document: text, Markdown, HTML, PDF or DOCX.

    FILE is where it lies; - reads it from standard input.
    """
    if bool(file) is bool(url):
        raise click.UsageError("Say either FILE or --url.")
    found = client.agent(agent_id).documents
    if url:
        with working("fetching"):
            added = found.add_url(url, **options)
    elif file == "-":
        with transferring("standard input") as report:
            added = found.add_bytes(read_bytes(), progress=report, **options)
    else:
        added = _add_file(found, Path(file), options)
    output.done(added, f"{added.document_id} has {_content(added)}, at revision {added.revision}")


@documents.command("show", cls=ClientCommand)
@AGENT
@DOCUMENT
def show_document(client: "memoryd.Client", output: Output, agent_id: str, document_id: str) -> None:
    """Tell what a document is.

    Ends with 1 when it is not there.
    """
    found, now = client.agent(agent_id).documents.get(document_id), datetime.now(UTC)
    facts = [
        ("document", found.document_id, found.document_id),
        ("title", found.title, one_line(found.title)),
        ("description", found.description, one_line(found.description)),
        ("tags", ",".join(found.tags), ", ".join(map(one_line, found.tags))),
        ("source", found.source, one_line(found.source)),
        ("type", found.media_type, found.media_type),
        ("text", found.text_bytes, size(found.text_bytes)),
        ("tokens", found.token_count, f"about {found.token_count:,}"),
        ("chunks", found.chunk_count, f"{found.chunk_count:,}"),
        ("added", found.create_time, f"{age(found.create_time, now)} ago"),
        ("changed", found.update_time, f"{age(found.update_time, now)} ago"),
        ("revision", found.revision, str(found.revision)),
    ]
    output.facts(found, facts)


@documents.command("text", cls=ClientCommand)
@AGENT
@DOCUMENT
def print_text(client: "memoryd.Client", output: Output, agent_id: str, document_id: str) -> None:
    """Print the text of a document.

    Ends with 1 when it is not there.
    """
    text = client.agent(agent_id).documents.text(document_id)
    if output.as_json:
        output.record({"document_id": document_id, "text": text})
    else:
        output.text(text.removesuffix("\n"))


@documents.command("list", cls=ClientCommand)
@AGENT
@TAGS
def list_documents(client: "memoryd.Client", output: Output, agent_id: str, tags: tuple[str, ...]) -> None:
    """List the documents, the oldest first.

    In a pipe, a row has id, title, bytes, tokens, chunks, tags, type, source, and the times of the first and the last
    change, separated by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[Document]] = [
        Column("DOCUMENT", lambda found: found.document_id, style="bold", may_be_cut=True),
        Column("TITLE", lambda found: one_line(found.title), may_be_cut=True),
        Column("SIZE", lambda found: found.text_bytes, lambda found: size(found.text_bytes), right=True),
        Column("TOKENS", lambda found: found.token_count, right=True, width_min=80),
        Column("CHUNKS", lambda found: found.chunk_count, right=True, width_min=90),
        Column("TAGS", lambda found: ",".join(found.tags), may_be_cut=True, width_min=100),
        Column("TYPE", lambda found: found.media_type, may_be_cut=True, width_min=120),
        Column("SOURCE", lambda found: one_line(found.source), may_be_cut=True, width_min=120),
        Column("ADDED", lambda found: found.create_time, lambda found: age(found.create_time, now), right=True),
        Column("CHANGED", lambda found: found.update_time, lambda found: age(found.update_time, now), right=True),
    ]
    output.listing(client.agent(agent_id).documents.list(tags), columns, nothing="There are no such documents.")


@documents.command("search", cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@click.option(
    "--limit",
    type=click.IntRange(1, LIMIT_MAX),
    default=LIMIT_DEFAULT,
    metavar="N",
    help="At most so many.  [default: 10]",
)
@click.option(
    "--min-score", type=click.FLOAT, default=0.0, metavar="NUMBER", help="Of this score or more: from 0 to 1."
)
@click.option("--in", "document_ids", multiple=True, metavar="DOCUMENT", help="Of this document; repeatable.")
@TAGS
def search_documents(client: "memoryd.Client", output: Output, agent_id: str, query: str, **options: Any) -> None:
    """Find the parts of documents that match QUERY best, by words and by meaning.

    In a pipe, a row has score, document, number, heading, text and the words that matched, separated by tabs.
    """
    found = client.agent(agent_id).documents.search(query, **options)
    columns: list[Column[ScoredChunk]] = [
        Column("SCORE", lambda each: each.score, lambda each: f"{each.score:.2f}", right=True),
        Column("DOCUMENT", lambda each: each.chunk.document_id, style="bold", may_be_cut=True),
        Column("CHUNK", lambda each: each.chunk.number, right=True),
        Column("HEADING", lambda each: one_line(each.chunk.heading), may_be_cut=True, width_min=80),
        Column(
            "TEXT",
            lambda each: one_line(each.chunk.text),
            lambda each: one_line(each.chunk.text[:TEXT_SHOWN_MAX]),
            may_be_cut=True,
        ),
        Column("WORDS", lambda each: ", ".join(each.matched_words), may_be_cut=True, width_min=100),
    ]
    output.listing(found.chunks, columns, nothing="Nothing matches.")


@documents.command("delete", cls=ClientCommand)
@AGENT
@DOCUMENT
@click.option(
    "--expect",
    "expected_revision",
    type=click.IntRange(0),
    metavar="REVISION",
    help="Only if the document was last written by this revision.",
)
def delete_document(
    client: "memoryd.Client", output: Output, agent_id: str, document_id: str, expected_revision: int | None
) -> None:
    """Remove a document.

    Ends with 1 when it is not there.
    """
    if not client.agent(agent_id).documents.delete(document_id, expected_revision=expected_revision):
        raise click.ClickException(f"agent {agent_id!r} has no document {document_id!r} (RECORD_NOT_FOUND)")
    output.done({"document_id": document_id, "deleted": True}, f"{document_id} was deleted")


def _add_file(found: "memoryd.Documents", file: Path, options: dict[str, Any]) -> "Document":
    try:
        with transferring(file.name) as report:
            return found.add_file(file, progress=report, **options)
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}") from None


def _content(found: "Document") -> str:
    chunks = f"{found.chunk_count:,} chunk{'' if found.chunk_count == 1 else 's'}"
    return f"{size(found.text_bytes)} of text in {chunks}"
