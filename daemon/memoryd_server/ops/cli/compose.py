"""``memoryd context compose``: what would go to a model, and why it is that."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Column, Output

if TYPE_CHECKING:
    import memoryd
    from memoryd import ComposedContext, ManifestItem


@click.command("compose", cls=ClientCommand)
@click.argument("agent_id", metavar="AGENT")
@click.argument("conversation_id", metavar="[CONVERSATION]", default="")
@click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="The budget.  [default: the daemon's]")
@click.option("--model", default="", metavar="NAME", help="Whose tokens, such as gpt-5.  [default: an estimate]")
@click.option("--query", default="", metavar="TEXT", help="What memories to look for.  [default: the last question]")
@click.option("--manifest", is_flag=True, help="Tell what became of each record, not the messages.")
def compose_context(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    max_tokens: int | None,
    model: str,
    query: str,
    manifest: bool,
) -> None:
    """Compose what goes to a model: notes, memories, and CONVERSATION.

    With --manifest, a row in a pipe has outcome, section, kind, id and tokens, separated by tabs. --json prints all of
    it.
    """
    context = client.agent(agent_id).compose(conversation_id, max_tokens=max_tokens or 0, model=model, query=query)
    if output.as_json:
        output.record(context)
    elif manifest:
        output.listing(context.manifest, _manifest_columns(), nothing="There is nothing to tell.")
    else:
        for message in context.messages:
            speaker = f"{message.role} ({message.name})" if message.name else message.role
            output.text(f"--- {speaker}: {message.section} ---\n{message.content}".rstrip("\n"))
    if output.is_terminal:
        output.line(_summary(context))


def _manifest_columns() -> "list[Column[ManifestItem]]":
    return [
        Column("OUTCOME", lambda item: item.outcome, lambda item: item.outcome.replace("_", " ")),
        Column("SECTION", lambda item: item.section, style="cyan", may_be_cut=True),
        Column("KIND", lambda item: item.kind),
        Column("ID", lambda item: item.record_id, style="bold", may_be_cut=True),
        Column("TOKENS", lambda item: item.tokens, right=True),
    ]


def _summary(context: "ComposedContext") -> str:
    left_out = sum(usage.left_out_count for usage in context.usages)
    counted = f"{context.tokens:,} of {context.max_tokens:,} tokens ({context.tokenizer})"
    return f"{counted}, {left_out:,} records left out"
