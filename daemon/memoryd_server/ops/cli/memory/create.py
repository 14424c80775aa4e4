"""``memoryd memory create``, with the short form ``remember``."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_option
from memoryd_server.ops.cli.client.parameter import AGENT, importance, metadata, tags
from memoryd_server.ops.cli.memory.parameter import TYPES
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    import memoryd
    from memoryd import CreatedMemory


@click.command("create", cls=ClientCommand)
@AGENT
@click.argument("content", metavar="CONTENT")
@click.option("--user", "user_id", default="", metavar="ID", help="User that the memory belongs to.  [default: none]")
@click.option("--project", "project_id", default="", metavar="ID", help="Project that the memory belongs to.")
@click.option("--type", "type", type=click.Choice(TYPES), help="Type of the memory.  [default: inferred from CONTENT]")
@click.option(
    "--alias", "aliases", multiple=True, metavar="TEXT", help="Other wording by which the memory is found. Repeatable."
)
@tags("memory")
@importance("memory")
@click.option(
    "--when",
    "occur_time",
    type=MOMENT,
    metavar="MOMENT",
    help="Time at which it happened: 2026-05-20, 2026-05-20T14:30, or 2d for two days ago.  [default: now]",
)
@click.option(
    "--conversation", "conversation_id", default="", metavar="ID", help="Conversation in which it was learned."
)
@click.option("--document", "document_id", default="", metavar="ID", help="Document from which it was learned.")
@click.option("--learned", "learning_context", default="", metavar="TEXT", help="Description of how it was learned.")
@metadata("memory")
@click.option("--ttl", type=DURATION, metavar="DURATION", help="Time to live, such as 7d.  [default: no expiry]")
@click.option("--id", "memory_id", default="", metavar="MEMORY", help="Id of the memory.  [default: a new one]")
@name_option(
    "memory", "--link", "linked_ids", metavar="MEMORY", multiple=True, help="Memory to link as related. Repeatable."
)
@name_option(
    "memory",
    "--supersedes",
    "superseded_ids",
    metavar="MEMORY",
    multiple=True,
    help="Memory that this one replaces. Repeatable.",
)
@click.option("--allow-duplicates", is_flag=True, help="Create it even if it is a duplicate.")
@click.option("--skip-contradictions", is_flag=True, help="Do not link it with the memories that it contradicts.")
def create_memory(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    content: str,
    user_id: str,
    conversation_id: str,
    document_id: str,
    learning_context: str,
    linked_ids: tuple[str, ...],
    superseded_ids: tuple[str, ...],
    **options: Any,
) -> None:
    """Create a memory.

    If it duplicates an existing memory, that one is reinforced instead. CONTENT is the text; - reads it from standard
    input.
    """
    from memoryd import MemoryLinkDraft, Provenance

    links = [MemoryLinkDraft(each) for each in linked_ids] + [
        MemoryLinkDraft(each, "supersedes") for each in superseded_ids
    ]
    created = client.agent(agent_id).memories.remember(
        read_text(content),
        user_id=user_id,
        provenance=Provenance(conversation_id, document_id, learning_context),
        links=links,
        **options,
    )
    output.done(created, _outcome(created), name=created.memory.memory_id if created.memory else "")


def _outcome(created: "CreatedMemory") -> str:
    if created.memory is None:
        return "nothing was created: this content was purged with --block-reimport"
    if created.outcome == "reinforced":
        return f"{created.memory_id} already says this; reinforced at revision {created.revision}"
    others = ", ".join(created.contradicted_memory_ids)
    contradicted = f"; it contradicts {others}" if others else ""
    mentioned = ", ".join(f"{each.start_time:%Y-%m-%d} ({each.text})" for each in created.mentioned_times)
    also = contradicted + (f"; it mentions {mentioned}" if mentioned else "")
    return f"{created.memory_id} ({created.memory.type}) was created at revision {created.revision}{also}"
