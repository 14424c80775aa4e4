"""``memoryd memory link``, ``unlink`` and ``links``."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.client.selection import selecting_users
from memoryd_server.ops.cli.memory.parameter import LINK_TYPES
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import MemoryLink

FROM = name_argument("memory", "from_memory_id", metavar="FROM")
TO = name_argument("memory", "to_memory_id", metavar="TO")


@click.command("link", cls=ClientCommand)
@AGENT
@FROM
@TO
@click.option(
    "--type",
    "link_type",
    type=click.Choice(LINK_TYPES),
    default=LINK_TYPES[0],
    show_default=True,
    help="Relation of FROM to TO.",
)
@click.option("--strength", type=SHARE, metavar="NUMBER", help="Strength of the link, 0 to 1.  [default: 0.5]")
def link_memories(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    from_memory_id: str,
    to_memory_id: str,
    link_type: str,
    strength: float | None,
) -> None:
    """Create a link between two memories, or change its strength.

    A link of the type supersedes gives TO the status superseded: `memoryd recall` omits it unless --status asks for it.
    """
    done = client.agent(agent_id).memories.link(from_memory_id, to_memory_id, link_type, strength=strength)
    link = f"the link ({link_type}) from {from_memory_id} to {to_memory_id}"
    outcome = "was created" if done.created else "was updated" if done.changed else "has this strength already"
    output.done(done, f"{link} {outcome} at revision {done.revision}")


@click.command("unlink", cls=ClientCommand)
@AGENT
@FROM
@TO
@click.option(
    "--type", "link_type", type=click.Choice(LINK_TYPES), help="Type of the link to delete.  [default: all types]"
)
def unlink_memories(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    from_memory_id: str,
    to_memory_id: str,
    link_type: str | None,
) -> None:
    """Delete the links from one memory to another.

    Exits with status 1 if there is no such link.
    """
    of_type = f" of the type {link_type}" if link_type else ""
    if not client.agent(agent_id).memories.unlink(from_memory_id, to_memory_id, link_type):
        raise click.ClickException(f"there is no link{of_type} from {from_memory_id!r} to {to_memory_id!r}")
    links = f"the links{of_type} from {from_memory_id} to {to_memory_id}"
    output.done({"from_memory_id": from_memory_id, "to_memory_id": to_memory_id, "deleted": True}, f"deleted {links}")


@click.command("links", cls=ClientCommand)
@AGENT
@name_argument("memory", metavar="[MEMORY]", default="")
@click.option("--type", "link_type", type=click.Choice(LINK_TYPES), help="List only links of this type.")
@selecting_users("links")
def list_links(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    memory_id: str,
    link_type: str | None,
    selection: dict[str, Any],
) -> None:
    """List the links of a memory, or of the memories that the options select.

    In a pipe, each row has these fields, separated by tabs: id of the source, type, id of the target, strength,
    creation time.
    """
    columns: list[Column[MemoryLink]] = [
        Column("FROM", lambda link: link.from_memory_id, names=True, may_be_cut=True),
        Column("TYPE", lambda link: link.type, style="cyan"),
        Column("TO", lambda link: link.to_memory_id, names=True, may_be_cut=True),
        Column("STRENGTH", lambda link: link.strength, lambda link: f"{link.strength:.2f}", right=True),
        Column(
            "CREATED",
            lambda link: link.create_time,
            lambda link: f"{link.create_time.astimezone():%Y-%m-%d}",
            width_min=80,
        ),
    ]
    found = client.agent(agent_id).memories.links(memory_id, link_type=link_type, **selection)
    output.listing(found, columns, nothing="There are no such links.")
