"""``memoryd remember``: create a memory."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.memory.parameter import AGENT, TYPES
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    import memoryd
    from memoryd import CreatedMemory


@click.command(cls=ClientCommand)
@AGENT
@click.argument("content", metavar="CONTENT")
@click.option("--user", "user_id", required=True, metavar="ID", help="Whom it is about, or who told it.")
@click.option("--project", "project_id", default="", metavar="ID", help="The project that it belongs to.")
@click.option("--type", "type", type=click.Choice(TYPES), help="What it is.  [default: by the words of CONTENT]")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label; repeatable.")
@click.option("--importance", type=click.FLOAT, metavar="NUMBER", help="From 0 to 1.  [default: 0.5]")
@click.option(
    "--when",
    "occur_time",
    type=MOMENT,
    metavar="MOMENT",
    help="When it happened: 2026-05-20, 2026-05-20T14:30, or, two days ago, 2d.  [default: now]",
)
@click.option("--conversation", "conversation_id", default="", metavar="ID", help="Where it was said.")
@click.option("--document", "document_id", default="", metavar="ID", help="Where it was read.")
@click.option("--learned", "learning_context", default="", metavar="TEXT", help="How it was learned.")
@click.option("--metadata", callback=object_option, metavar="JSON", help="An object with whatever else is known.")
@click.option(
    "--ttl", type=DURATION, metavar="DURATION", help="How long to remember it, such as 7d.  [default: for good]"
)
@click.option("--id", "memory_id", default="", metavar="MEMORY", help="Name it.  [default: a name by the daemon]")
@click.option("--link", "linked_ids", metavar="MEMORY", multiple=True, help="Relate it to this memory; repeatable.")
@click.option("--supersedes", "superseded_ids", metavar="MEMORY", multiple=True, help="What it replaces; repeatable.")
@click.option(
    "--skip-kinship-check", is_flag=True, help="Keep it even when a memory tells the same; look for no contradictions."
)
def remember(
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

    One that tells the same already is reinforced instead. CONTENT is the text; - reads it from standard input.
    """
    from memoryd import DraftLink, Provenance

    links = [DraftLink(each) for each in linked_ids] + [DraftLink(each, "supersedes") for each in superseded_ids]
    created = client.agent(agent_id).memories.remember(
        read_text(content),
        user_id=user_id,
        provenance=Provenance(conversation_id, document_id, learning_context),
        links=links,
        **options,
    )
    output.done(created, _told(created))


def _told(created: "CreatedMemory") -> str:
    if created.outcome == "kept_out":
        return "nothing was created: this content was purged so that it stays out"
    if created.outcome == "reinforced":
        return f"{created.memory_id} tells the same, and was reinforced at revision {created.revision}"
    others = ", ".join(created.contradicted_memory_ids)
    contradicted = f"; it contradicts {others}" if others else ""
    return f"{created.memory_id} ({created.type}) was created at revision {created.revision}{contradicted}"
