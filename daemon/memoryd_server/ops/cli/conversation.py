"""``memoryd conversation``: the messages between an agent and others."""

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.parameter import AGENT, LIMIT_ALL, importance, metadata
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, one_line, preview
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import ConversationInfo, Message

CONVERSATION = click.argument("conversation_id", metavar="CONVERSATION")
ROLES = ("system", "user", "assistant", "tool")
STRATEGIES = ("drop_oldest", "keep_important", "extract_to_notes", "summarize")


@click.group("conversation")
def conversation() -> None:
    """Append, list, compact and delete the messages of conversations."""


@conversation.command("append", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.argument("role", type=click.Choice(ROLES))
@click.argument("content", metavar="CONTENT")
@click.option("--name", default="", metavar="NAME", help="Name of the speaker, to distinguish several of one role.")
@click.option("--tool-call-id", default="", metavar="ID", help="Id of the tool call that the message answers.")
@importance("message")
@metadata("message")
def append_message(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    metadata: dict[str, Any] | None,
    **options: Any,
) -> None:
    """Append a message to a conversation. The first message creates the conversation.

    CONTENT is the text; - reads it from standard input.
    """
    from memoryd import DraftMessage

    options["content"] = read_text(options["content"])
    draft = DraftMessage(**options, metadata=metadata or {})
    after = client.agent(agent_id).conversations.append(conversation_id, [draft])
    output.done(after, f"message {after.next_number - 1} was appended; {_size(after.token_count)}")


@conversation.command("messages", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option(
    "--after", "after_number", type=click.IntRange(0), default=0, metavar="N", help="List only messages after number N."
)
@LIMIT_ALL
@click.option("--newest-first", is_flag=True, help="List the newest message first.")
def list_messages(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    limit: int | None,
    **options: Any,
) -> None:
    """List the messages of a conversation, oldest first.

    In a pipe, each row has these fields, separated by tabs: number, role, name, content, tokens, importance, creation
    time.
    """
    now = datetime.now(UTC)
    columns: list[Column[Message]] = [
        Column("#", lambda message: message.number, right=True),
        Column("ROLE", lambda message: message.role, style="cyan"),
        Column("NAME", lambda message: message.name, may_be_cut=True, width_min=70),
        Column(
            "CONTENT",
            lambda message: one_line(message.content),
            lambda message: preview(message.content),
            may_be_cut=True,
        ),
        Column("TOKENS", lambda message: message.token_count, right=True, width_min=60),
        Column("IMPORTANCE", lambda message: message.importance, right=True, width_min=90),
        age_column("CREATED", lambda message: message.create_time, now),
    ]
    found = client.agent(agent_id).conversations.messages(conversation_id, **options)
    output.listing(itertools.islice(found, limit), columns, nothing="There are no such messages.")


@conversation.command("list", cls=ClientCommand)
@AGENT
def list_conversations(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """List the conversations of an agent, oldest first.

    In a pipe, each row has these fields, separated by tabs: id, messages, tokens, creation time, update time.
    """
    now = datetime.now(UTC)
    columns: list[Column[ConversationInfo]] = [
        Column("CONVERSATION", lambda found: found.conversation_id, style="bold", may_be_cut=True),
        Column("MESSAGES", lambda found: found.message_count, right=True),
        Column("TOKENS", lambda found: found.token_count, right=True),
        age_column("CREATED", lambda found: found.create_time, now),
        age_column("UPDATED", lambda found: found.update_time, now),
    ]
    output.listing(client.agent(agent_id).conversations.list(), columns, nothing="There are no conversations.")


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
    help="Rule that selects the messages to remove.",
)
@click.option(
    "--keep-last",
    type=click.IntRange(0),
    metavar="N",
    help="Number of newest messages that are never removed.  [default: 4]",
)
@click.option("--note-storage-key", default="", metavar="KEY", help="Key of the notes that extract_to_notes creates.")
@click.option(
    "--min-importance",
    type=SHARE,
    metavar="NUMBER",
    help="Minimum importance of a message that extract_to_notes copies, 0 to 1.  [default: 0.5]",
)
def compact_conversation(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, max_tokens: int, **options: Any
) -> None:
    """Remove messages of a conversation until at most --max-tokens remain.

    Strategies: drop_oldest removes the oldest messages; keep_important removes the least important ones;
    extract_to_notes removes the oldest, and copies the important ones to notes; summarize replaces the oldest by a
    summary, if the daemon has a model for it (--summary-url).
    """
    done = client.agent(agent_id).conversations.compact(conversation_id, max_tokens, **options)
    sentence = f"removed {counted(done.messages_removed, 'message')}; {_size(done.conversation.token_count)}"
    if done.note_ids:
        sentence += f"; created {counted(len(done.note_ids), 'note')}"
    output.done(done, sentence)


@conversation.command("delete", cls=ClientCommand)
@AGENT
@CONVERSATION
def delete_conversation(client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str) -> None:
    """Delete a conversation with all of its messages.

    Exits with status 1 if there is no such conversation.
    """
    deleted = client.agent(agent_id).conversations.delete(conversation_id)
    if not deleted:
        raise not_found(agent_id, "conversation", conversation_id)
    sentence = f"{conversation_id} was deleted, with {counted(deleted, 'message')}"
    output.done({"messages_deleted": deleted}, sentence)


def _size(token_count: int) -> str:
    return f"the conversation has {counted(token_count, 'token')}"
