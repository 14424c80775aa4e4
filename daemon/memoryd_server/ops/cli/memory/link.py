"""``memoryd link``: relate memories to each other."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.memory.parameter import AGENT, LINK_TYPES
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd
    from memoryd import Memories


@click.command("link", cls=ClientCommand)
@AGENT
@click.argument("from_memory_id", metavar="FROM")
@click.argument("to_memory_id", metavar="TO")
@click.option("--type", "link_type", type=click.Choice(LINK_TYPES), help="How FROM relates to TO.  [default: related]")
@click.option("--strength", type=click.FLOAT, metavar="NUMBER", help="From 0 to 1.  [default: 0.5]")
@click.option("--remove", is_flag=True, help="Remove the link of this --type, or all, instead.")
def link_memories(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    from_memory_id: str,
    to_memory_id: str,
    link_type: str | None,
    strength: float | None,
    remove: bool,
) -> None:
    """Link two memories, or give their link another strength.

    A memory that supersedes another marks it so: it is recalled on request only. With --remove, ends with 1 when there
    is no such link.
    """
    if remove and strength is not None:
        raise click.UsageError("--remove needs no --strength")
    memories = client.agent(agent_id).memories
    if remove:
        _remove(memories, output, from_memory_id, to_memory_id, link_type)
        return
    chosen = link_type or LINK_TYPES[0]
    done = memories.link(from_memory_id, to_memory_id, chosen, strength=strength)
    told = f"the link ({chosen}) from {from_memory_id} to {to_memory_id} was {'updated' if done.is_update else 'made'}"
    superseded = f"; {to_memory_id} is superseded" if done.superseded else ""
    output.done(done, f"{told} at revision {done.revision}{superseded}")


def _remove(memories: "Memories", output: Output, from_id: str, to_id: str, link_type: str | None) -> None:
    done = memories.unlink(from_id, to_id, link_type)
    if not done.links_removed:
        kind = f" of the type {link_type}" if link_type else ""
        raise click.ClickException(f"there is no link{kind} from {from_id!r} to {to_id!r} (LINK_NOT_FOUND)")
    links = "1 link was" if done.links_removed == 1 else f"{done.links_removed:,} links were"
    restored = f"; {to_id} is active again" if done.restored else ""
    output.done(done, f"{links} removed{restored}")
