"""``memoryd conversation``: the messages between an agent and others."""

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import (
    AGENT,
    ERASE,
    LIMIT_ALL,
    if_revision,
    importance,
    metadata,
    tags,
)
from memoryd_server.ops.cli.client.receipt import with_receipt
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, message_text, one_line, preview
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import CompactionStrategy, ConversationInfo, Message

CONVERSATION = name_argument("conversation")
MESSAGE = click.argument("which", metavar="MESSAGE")
ROLES = ("system", "user", "assistant", "tool")
STRATEGIES = ("drop_oldest", "keep_important", "extract_to_notes", "summarize")
IF_REVISION = if_revision("conversation")


@click.group("conversation", cls=CommandGroup)
def conversation() -> None:
    """Create, list, compact and delete conversations, and append and list their messages."""


@conversation.command("create", cls=ClientCommand)
@AGENT
@click.argument("conversation_id", metavar="[CONVERSATION]", default="")
@click.option("--title", default="", metavar="TEXT", help="Title, for people.")
@click.option("--user", "user_id", default="", metavar="USER", help="Id of the user that the conversation is with.")
@tags("conversation")
@metadata("conversation")
def create_conversation(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    metadata: dict[str, Any] | None,
    **options: Any,
) -> None:
    """Create a conversation without messages. Its first message creates it as well.

    Without CONVERSATION, it has a new id.
    """
    created = client.agent(agent_id).conversations.create(conversation_id, metadata=metadata or {}, **options)
    output.done(
        created, f"{created.conversation_id} was created at revision {created.revision}", name=created.conversation_id
    )


@conversation.command("get", cls=ClientCommand)
@AGENT
@CONVERSATION
def get_conversation(client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str) -> None:
    """Print the description of a conversation.

    Exits with status 1 if there is no such conversation.
    """
    found = client.agent(agent_id).conversations.get(conversation_id)
    output.facts(
        found,
        [
            ("title", found.title, found.title),
            ("user", found.user_id, found.user_id),
            ("tags", ", ".join(found.tags), ", ".join(found.tags)),
            ("messages", found.message_count, f"{found.message_count:,}"),
            ("tokens", found.token_count, f"{found.token_count:,}"),
            ("summary", one_line(found.summary), preview(found.summary)),
            ("revision", found.revision, f"{found.revision:,}"),
        ],
    )


@conversation.command("update", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option("--title", metavar="TEXT", help="New title; '' removes it.")
@click.option("--user", "user_id", metavar="USER", help="New id of the user; '' removes it.")
@tags("conversation")
@metadata("conversation")
@IF_REVISION
def update_conversation(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    expected_revision: int | None,
    **options: Any,
) -> None:
    """Change the given fields of a conversation. New tags replace the earlier ones."""
    changes = {name: value for name, value in options.items() if value not in (None, ())}
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    updated = client.agent(agent_id).conversations.update(
        conversation_id, expected_revision=expected_revision, **changes
    )
    output.done(updated, f"{conversation_id} was updated at revision {updated.revision}")


@conversation.command("append", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.argument("role", type=click.Choice(ROLES))
@click.argument("content", metavar="CONTENT")
@click.option("--name", default="", metavar="NAME", help="Name of the speaker, to distinguish several of one role.")
@click.option("--tool-call-id", default="", metavar="ID", help="Id of the tool call that CONTENT is the result of.")
@click.option("--id", "message_id", default="", metavar="ID", help="Id of the message.  [default: a new one]")
@importance("message")
@metadata("message")
def append_message(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    tool_call_id: str,
    metadata: dict[str, Any] | None,
    **options: Any,
) -> None:
    """Append a message to a conversation. The first message creates the conversation.

    CONTENT is the text; - reads it from standard input.
    """
    from memoryd import MessageDraft, ToolResult

    options["content"] = read_text(options["content"])
    if tool_call_id:
        options["parts"] = [ToolResult(tool_call_id, options.pop("content"))]
    draft = MessageDraft(**options, metadata=metadata or {})
    done = client.agent(agent_id).conversations.append(conversation_id, [draft])
    output.done(done, f"message {done.first_number} was appended; {_size(done.conversation.token_count)}")


@conversation.command("message", cls=ClientCommand)
@AGENT
@CONVERSATION
@MESSAGE
def print_message(client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, which: str) -> None:
    """Print the text of a message.

    MESSAGE is a number, or else an id. --json prints all parts of the message. Exits with status 1 if there is no such
    message.
    """
    found = client.agent(agent_id).conversations.message(conversation_id, _number_or_id(which))
    if output.as_json:
        output.record(found)
    else:
        output.text(message_text(found))


@conversation.command("messages", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option(
    "--after", "after_number", type=click.IntRange(0), default=0, metavar="N", help="List only messages after number N."
)
@LIMIT_ALL
@click.option("--newest-first", is_flag=True, help="List the newest message first.")
@click.option(
    "--role", "roles", type=click.Choice(ROLES), multiple=True, help="List only messages of this role. Repeatable."
)
def list_messages(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    limit: int | None,
    newest_first: bool,
    after_number: int,
    roles: tuple[str, ...],
) -> None:
    """List the messages of a conversation, oldest first.

    In a pipe, each row has these fields, separated by tabs: number, role, name, text, tokens, importance, creation
    time. --json prints all parts of messages. Exits with status 1 if there is no such conversation.
    """
    now = datetime.now(UTC)
    columns: list[Column[Message]] = [
        Column("#", lambda message: message.number, right=True),
        Column("ROLE", lambda message: message.role, style="cyan"),
        Column("NAME", lambda message: message.name, may_be_cut=True, width_min=70),
        Column(
            "CONTENT",
            lambda message: one_line(message_text(message)),
            lambda message: preview(message_text(message)),
            may_be_cut=True,
        ),
        Column("TOKENS", lambda message: message.token_count, right=True, width_min=60),
        Column("IMPORTANCE", lambda message: message.importance, right=True, width_min=90),
        age_column("CREATED", lambda message: message.create_time, now),
    ]
    found = client.agent(agent_id).conversations.messages(
        conversation_id,
        order="id_descending" if newest_first else "id",
        after_number=after_number,
        roles=roles or None,
    )
    output.listing(itertools.islice(found, limit), columns, nothing="There are no such messages.")


@conversation.command("list", cls=ClientCommand)
@AGENT
@selecting("conversations")
@click.option("--tag", "all_tags", multiple=True, metavar="TAG", help="List only those with this tag. Repeatable.")
@click.option("--latest-first", is_flag=True, help="List the one that changed last first.")
def list_conversations(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    all_tags: tuple[str, ...],
    latest_first: bool,
    selection: dict[str, Any],
) -> None:
    """List the conversations of an agent, oldest first.

    In a pipe, each row has these fields, separated by tabs: id, title, user, messages, tokens, creation time, update
    time.
    """
    now = datetime.now(UTC)
    columns: list[Column[ConversationInfo]] = [
        Column("CONVERSATION", lambda found: found.conversation_id, names=True, may_be_cut=True),
        Column("TITLE", lambda found: found.title, may_be_cut=True),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=90),
        Column("MESSAGES", lambda found: found.message_count, right=True),
        Column("TOKENS", lambda found: found.token_count, right=True),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    order = "update_time_descending" if latest_first else "create_time"
    found = client.agent(agent_id).conversations.list(order=order, all_tags=all_tags, **selection)
    output.listing(found, columns, nothing="There are no such conversations.")


@conversation.command("truncate", cls=ClientCommand)
@AGENT
@CONVERSATION
@MESSAGE
@IF_REVISION
@ERASE
@with_consent
def truncate_conversation(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    which: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete MESSAGE and all messages after it.

    MESSAGE is a number, or else an id.
    """
    conversations = client.agent(agent_id).conversations

    def deed() -> str:
        first = conversations.message(conversation_id, _number_or_id(which)).number
        after = sum(1 for _ in conversations.messages(conversation_id, after_number=first))
        verb = "erase" if erase else "delete"
        return f"{verb} {counted(1 + after, 'message')} of conversation {conversation_id!r}, from message {first} on"

    if not consent.to(output, deed):
        return
    done = conversations.truncate(
        conversation_id, _number_or_id(which), expected_revision=expected_revision, erase=erase
    )
    sentence = f"deleted {counted(done.deleted_message_count, 'message')}; {_size(done.conversation.token_count)}"
    output.done(done, with_receipt(sentence, done.receipt))


@conversation.command("compact", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option(
    "--max-tokens", type=click.IntRange(1), required=True, metavar="N", help="Maximum number of tokens to keep."
)
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    default=STRATEGIES[0],
    show_default=True,
    help="Rule that selects the messages to delete.",
)
@click.option(
    "--keep-last",
    type=click.IntRange(0),
    metavar="N",
    help="Number of newest messages that are never deleted.  [default: 4]",
)
@click.option("--notebook", metavar="NOTEBOOK", help="Notebook of the notes that extract_to_notes creates.")
@click.option(
    "--min-importance",
    type=SHARE,
    metavar="NUMBER",
    help="Minimum importance of a message that extract_to_notes copies [default: 0.5], or that keep_important never "
    "deletes, 0 to 1.",
)
@with_consent
def compact_conversation(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    max_tokens: int,
    strategy: str,
    keep_last: int | None,
    notebook: str | None,
    min_importance: float | None,
    consent: Consent,
) -> None:
    """Delete messages of a conversation until at most --max-tokens remain.

    Strategies: drop_oldest deletes the oldest messages; keep_important deletes the least important ones;
    extract_to_notes deletes the oldest, and copies the important ones to notes; summarize replaces the oldest by a
    summary, if the daemon has a model for it (--summary-url).
    """
    chosen = _strategy_of(strategy, notebook, min_importance)
    conversations = client.agent(agent_id).conversations

    def deed() -> str:
        found = conversations.get(conversation_id)
        has = f"{counted(found.message_count, 'message')} with {counted(found.token_count, 'token')}"
        return f"compact conversation {conversation_id!r} ({has}) to at most {counted(max_tokens, 'token')}"

    if not consent.to(output, deed):
        return
    done = conversations.compact(conversation_id, max_tokens, chosen, keep_last=keep_last)
    sentence = f"deleted {counted(done.deleted_message_count, 'message')}; {_size(done.conversation.token_count)}"
    if done.note_ids:
        sentence += f"; created {counted(len(done.note_ids), 'note')}"
    output.done(done, sentence)


@conversation.command("ingest", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option("--project", "project_id", default="", metavar="PROJECT", help="Project that the memories belong to.")
@click.option(
    "--mode",
    type=click.Choice(("store", "propose")),
    help="Create memories, or proposals that wait for a review.  [default: the daemon's --ingest-mode]",
)
@IF_REVISION
def ingest_conversation(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    mode: str | None,
    **options: Any,
) -> None:
    """Make long-term memories of what people state in a conversation.

    Each statement becomes one memory, in the words of the message. Messages that were read before are not read again;
    at most 1,000 are read at once, or as many as the daemon's model is shown at a time (--ingest-url).
    """
    memories = client.agent(agent_id).memories
    done = memories.ingest_conversation(conversation_id, mode=mode or "unspecified", **options)
    made = sum(each.created for each in done.results)
    sentence = f"read {counted(done.message_count, 'message')}; created {counted(made, 'memory', 'memories')}"
    if done.proposals:
        sentence += f" and {counted(len(done.proposals), 'proposal')}"
    if len(done.results) > made:
        sentence += f"; {counted(len(done.results) - made, 'duplicate')}"
    if done.remaining_count:
        sentence += f"; {counted(done.remaining_count, 'message')} left to read"
    output.done(done, sentence)


@conversation.command("delete", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option("--plans", "include_plans", is_flag=True, help="Delete the plans of the same conversation as well.")
@click.option(
    "--entities", "include_entities", is_flag=True, help="Delete the entities of the same conversation as well."
)
@IF_REVISION
@ERASE
@with_consent
def delete_conversation(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, consent: Consent, **options: Any
) -> None:
    """Delete a conversation with all of its messages.

    Its plans and its entities stay unless they are included. Exits with status 1 if there is no such conversation.
    """
    conversations = client.agent(agent_id).conversations

    def deed() -> str:
        also = [noun for noun in ("plans", "entities") if options[f"include_{noun}"]]
        verb, count = "erase" if options["erase"] else "delete", conversations.get(conversation_id).message_count
        return f"{verb} conversation {conversation_id!r}, with {', '.join([counted(count, 'message'), *also])}"

    if not consent.to(output, deed):
        return
    done = conversations.delete(conversation_id, **options)
    if not done.deleted and done.receipt is None:
        raise not_found(agent_id, "conversation", conversation_id)
    deleted = [counted(done.deleted_message_count, "message")]
    if options["include_plans"]:
        deleted.append(counted(done.deleted_plan_count, "plan"))
    if options["include_entities"]:
        deleted.append(counted(done.deleted_entity_count, "entity", "entities"))
    sentence = f"{conversation_id} was deleted, with {' and '.join(deleted)}"
    output.done(done, with_receipt(sentence, done.receipt))


def _strategy_of(strategy: str, notebook: str | None, min_importance: float | None) -> "CompactionStrategy":
    from memoryd import DropOldest, ExtractToNotes, KeepImportant, Summarize

    if notebook is not None and strategy != "extract_to_notes":
        raise click.UsageError("--notebook needs --strategy extract_to_notes")
    if min_importance is not None and strategy not in ("extract_to_notes", "keep_important"):
        raise click.UsageError("--min-importance needs --strategy extract_to_notes or keep_important")
    match strategy:
        case "keep_important":
            return KeepImportant(min_importance)
        case "extract_to_notes":
            return ExtractToNotes(notebook or "", min_importance)
        case "summarize":
            return Summarize()
        case _:
            return DropOldest()


def _number_or_id(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() else text


def _size(token_count: int) -> str:
    return f"the conversation has {counted(token_count, 'token')}"
