"""``memoryd context``: conversations, and what goes into a model's context window."""

import itertools
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.compact import compact_conversation
from memoryd_server.ops.cli.compose import compose_context
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line

if TYPE_CHECKING:
    import memoryd
    from memoryd import ConversationInfo, Message

AGENT = click.argument("agent_id", metavar="AGENT")
CONVERSATION = click.argument("conversation_id", metavar="CONVERSATION")
ROLES = ("system", "user", "assistant", "tool")
CONTENT_SHOWN_MAX = 400


@click.group("context")
def context() -> None:
    """Keep conversations, and compose what goes to a model."""


@context.command("append", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.argument("role", type=click.Choice(ROLES))
@click.argument("content", metavar="CONTENT")
@click.option("--name", default="", metavar="NAME", help="Who speaks, where many have the same role.")
@click.option("--tool-call-id", default="", metavar="ID", help="The call that a tool answers.")
@click.option("--importance", type=click.FloatRange(0, 1), metavar="NUMBER", help="From 0 to 1.  [default: 0.5]")
@click.option("--metadata", callback=object_option, metavar="JSON", help="An object with whatever else is known.")
def append_message(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    metadata: dict[str, Any] | None,
    **options: Any,
) -> None:
    """Add a message to the end of a conversation, which begins with its first.

    CONTENT is the text; - reads it from standard input.
    """
    from memoryd import DraftMessage

    options["content"] = read_text(options["content"])
    draft = DraftMessage(**options, metadata=metadata or {})
    after = client.agent(agent_id).conversations.append(conversation_id, [draft])
    output.done(
        after, f"message {after.next_number - 1} was appended; the conversation has {after.token_count:,} tokens"
    )


@context.command("messages", cls=ClientCommand)
@AGENT
@CONVERSATION
@click.option("--after", "after_number", type=click.IntRange(0), default=0, metavar="N", help="Those after this one.")
@click.option("--limit", type=click.IntRange(1, sys.maxsize), metavar="N", help="At most so many.  [default: all]")
@click.option("--newest-first", is_flag=True, help="Begin at the end.")
def list_messages(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    limit: int | None,
    **options: Any,
) -> None:
    """List the messages of a conversation.

    In a pipe, a row has number, role, name, content, tokens, importance and time, separated by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[Message]] = [
        Column("#", lambda message: message.number, right=True),
        Column("ROLE", lambda message: message.role, style="cyan"),
        Column("NAME", lambda message: message.name, may_be_cut=True, width_min=70),
        Column(
            "CONTENT",
            lambda message: one_line(message.content),
            lambda message: one_line(message.content[:CONTENT_SHOWN_MAX]),
            may_be_cut=True,
        ),
        Column("TOKENS", lambda message: message.token_count, right=True, width_min=60),
        Column("MATTERS", lambda message: message.importance, right=True, width_min=80),
        Column("AGE", lambda message: message.create_time, lambda message: age(message.create_time, now), right=True),
    ]
    found = client.agent(agent_id).conversations.messages(conversation_id, **options)
    output.listing(itertools.islice(found, limit), columns, nothing="There are no such messages.")


@context.command("conversations", cls=ClientCommand)
@AGENT
def list_conversations(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """List the conversations of an agent, the oldest first.

    In a pipe, a row has id, messages, tokens, and the times of the first and the last change, separated by tabs.
    """
    now = datetime.now(UTC)
    columns: list[Column[ConversationInfo]] = [
        Column("CONVERSATION", lambda found: found.conversation_id, style="bold", may_be_cut=True),
        Column("MESSAGES", lambda found: found.message_count, right=True),
        Column("TOKENS", lambda found: found.token_count, right=True),
        Column("BEGAN", lambda found: found.create_time, lambda found: age(found.create_time, now), right=True),
        Column("CHANGED", lambda found: found.update_time, lambda found: age(found.update_time, now), right=True),
    ]
    output.listing(client.agent(agent_id).conversations.list(), columns, nothing="There are no conversations.")


@context.command("delete", cls=ClientCommand)
@AGENT
@CONVERSATION
def delete_conversation(client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str) -> None:
    """Remove a conversation with its messages.

    Ends with 1 when it is not there.
    """
    deleted = client.agent(agent_id).conversations.delete(conversation_id)
    if not deleted:
        raise click.ClickException(f"agent {agent_id!r} has no conversation {conversation_id!r} (RECORD_NOT_FOUND)")
    output.done({"messages_deleted": deleted}, f"{deleted:,} messages were deleted")


@context.command("count", cls=ClientCommand)
@AGENT
@click.argument("text", metavar="TEXT")
@click.option("--model", default="", metavar="NAME", help="Whose tokens, such as gpt-5.  [default: an estimate]")
def count_tokens(client: "memoryd.Client", output: Output, agent_id: str, text: str, model: str) -> None:
    """Count the tokens of TEXT; - reads it from standard input."""
    count = client.agent(agent_id).conversations.count_tokens([read_text(text)], model=model)
    output.facts(count, [("tokens", count.total, f"{count.total:,}"), ("counted by", count.tokenizer, count.tokenizer)])


context.add_command(compact_conversation)
context.add_command(compose_context)
