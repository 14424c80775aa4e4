"""``memoryd forget``: forget memories, restore them, or remove them for good."""

import sys
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.memory.parameter import AGENT, MEMORY
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd


@click.command(cls=ClientCommand)
@AGENT
@MEMORY
@click.option("--restore", is_flag=True, help="Bring a forgotten one back instead.")
@click.option("--purge", is_flag=True, help="Remove it for good instead, forgotten or not.")
@click.option("--keep-out", is_flag=True, help="With --purge: let this very content never come back.")
@click.option("--yes", is_flag=True, help="With --purge: do not ask, also on a terminal.")
def forget(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    memory_id: str,
    restore: bool,
    purge: bool,
    keep_out: bool,
    yes: bool,
) -> None:
    """Forget a memory.

    It is not recalled any more, and can be restored for a while. Purged, it is gone: content, vector, earlier versions,
    links, and what events told of them; snapshots from before still hold it.
    """
    if restore and purge:
        raise click.UsageError("--restore and --purge exclude each other")
    if keep_out and not purge:
        raise click.UsageError("--keep-out goes with --purge")
    memories = client.agent(agent_id).memories
    if purge:
        if not yes and sys.stdin.isatty():
            click.confirm(f"Remove {memory_id} for good?", abort=True, err=True)
        memories.purge(memory_id, keep_out=keep_out)
        output.done({"memory_id": memory_id, "purged": True}, f"{memory_id} is gone for good")
    elif restore:
        restored = memories.restore(memory_id)
        told = "was restored" if restored else "was not forgotten"
        output.done({"memory_id": memory_id, "restored": restored}, f"{memory_id} {told}")
    else:
        done = memories.forget(memory_id)
        told = "is forgotten" if done.changed else "was forgotten before"
        until = f"{done.purge_time.astimezone():%Y-%m-%d %H:%M}"
        output.done(done, f"{memory_id} {told}; it can be restored until {until}")
