"""``memoryd context compact``: a conversation takes less of a context."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd

STRATEGIES = ("drop_oldest", "keep_important", "extract_to_notes", "summarize")


@click.command("compact", cls=ClientCommand)
@click.argument("agent_id", metavar="AGENT")
@click.argument("conversation_id", metavar="CONVERSATION")
@click.option("--max-tokens", type=click.IntRange(1), required=True, metavar="N", help="What the messages may have.")
@click.option(
    "--strategy", type=click.Choice(STRATEGIES), default=STRATEGIES[0], show_default=True, help="What goes, and how."
)
@click.option(
    "--keep-last", type=click.IntRange(0), metavar="N", help="How many of the newest stay in any case.  [default: 4]"
)
@click.option("--note-storage-key", default="", metavar="KEY", help="The storage key of the notes of extract_to_notes.")
@click.option(
    "--min-importance",
    type=click.FloatRange(0, 1),
    metavar="NUMBER",
    help="How important what extract_to_notes writes down must be, from 0 to 1.  [default: 0.5]",
)
def compact_conversation(
    client: "memoryd.Client", output: Output, agent_id: str, conversation_id: str, max_tokens: int, **options: Any
) -> None:
    """Remove messages of a conversation, so that the others have no more tokens than asked for.

    drop_oldest removes the oldest, keep_important the least important, extract_to_notes the oldest with notes of those
    that are important enough, summarize the oldest with a summary by a model, if the daemon has one.
    """
    done = client.agent(agent_id).conversations.compact(conversation_id, max_tokens, **options)
    left = done.conversation
    said = f"{done.messages_removed:,} messages were removed; the conversation has {left.token_count:,} tokens"
    if done.note_ids:
        said += f", and there are {len(done.note_ids):,} notes of them"
    output.done(done, said)
