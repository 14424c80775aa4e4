"""``memoryd context``: the content of a model's context window."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import counted, message_text

if TYPE_CHECKING:
    import memoryd
    from memoryd import ComposedContext, ContextManifestItem

MODEL = click.option(
    "--model", default="", metavar="NAME", help="Model whose tokens are counted, such as gpt-5.  [default: an estimate]"
)


@click.group("context", cls=CommandGroup)
def context() -> None:
    """Compose the context for a model, and count tokens."""


@context.command("compose", cls=ClientCommand)
@AGENT
@name_argument("conversation", metavar="[CONVERSATION]", default="")
@click.option(
    "--max-tokens", type=click.IntRange(1), metavar="N", help="Token budget of the context.  [default: the daemon's]"
)
@MODEL
@click.option(
    "--query",
    default="",
    metavar="TEXT",
    help="Query for documents and memories.  [default: the last message of the user]",
)
@click.option(
    "--reserve-tokens",
    type=click.IntRange(0),
    metavar="N",
    help="Tokens of the budget that stay free.  [default: 0, without --max-tokens the daemon's]",
)
@click.option("--strict-budgets", is_flag=True, help="Leave the unused budget of a section unused.")
@selecting("notes, documents and memories")
@click.option("--manifest", is_flag=True, help="List the records that are included and left out, instead of messages.")
def compose_context(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    conversation_id: str,
    max_tokens: int | None,
    model: str,
    query: str,
    reserve_tokens: int | None,
    strict_budgets: bool,
    manifest: bool,
    selection: dict[str, Any],
) -> None:
    """Compose the context for a model: notes, documents and memories.

    With CONVERSATION, its plan, entities and messages are included.

    With --manifest, in a pipe, each row has these fields, separated by tabs: outcome, section, kind, id, tokens. --json
    prints messages and manifest.
    """
    composed = client.agent(agent_id).compose(
        conversation_id,
        max_tokens=max_tokens,
        model=model,
        query=query,
        include_manifest=manifest or output.as_json,
        reserve_tokens=reserve_tokens,
        strict_budgets=strict_budgets,
        **selection,
    )
    if output.as_json:
        output.record(composed)
    elif manifest:
        output.listing(composed.manifest, _manifest_columns(), nothing="No record was considered.")
    else:
        for message in composed.messages:
            speaker = f"{message.role} ({message.name})" if message.name else message.role
            output.text(f"--- {speaker}: {message.section} ---\n{message_text(message)}".rstrip("\n"))
    if output.is_terminal:
        output.line(_summary(composed))


@context.command("count-tokens", cls=ClientCommand)
@click.argument("text", metavar="TEXT")
@MODEL
def count_tokens(client: "memoryd.Client", output: Output, text: str, model: str) -> None:
    """Count the tokens of TEXT.

    - reads TEXT from standard input.
    """
    count = client.count_tokens([read_text(text)], model=model)
    total = count.total_token_count
    output.facts(count, [("tokens", total, f"{total:,}"), ("counted by", count.tokenizer, count.tokenizer)])


def _manifest_columns() -> "list[Column[ContextManifestItem]]":
    return [
        Column("OUTCOME", lambda item: item.outcome, lambda item: item.outcome.replace("_", " ")),
        Column("SECTION", lambda item: item.section, style="cyan", may_be_cut=True),
        Column("KIND", lambda item: item.record.kind),
        Column("ID", lambda item: item.record, names=True, may_be_cut=True),
        Column("TOKENS", lambda item: item.token_count, right=True),
    ]


def _summary(composed: "ComposedContext") -> str:
    left_out = counted(sum(usage.left_out_count for usage in composed.usages), "record")
    summary = f"{composed.token_count:,} of {composed.max_tokens:,} tokens ({composed.tokenizer}); {left_out} left out"
    missing = ", ".join(usage.section for usage in composed.usages if usage.missing_feature)
    return f"{summary}; not in the agent's tier: {missing}" if missing else summary
