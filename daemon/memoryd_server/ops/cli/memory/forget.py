"""``memoryd memory forget``, ``restore`` and ``purge``."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.memory.parameter import MEMORY
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd


@click.command("forget", cls=ClientCommand)
@AGENT
@MEMORY
def forget_memory(client: "memoryd.Client", output: Output, agent_id: str, memory_id: str) -> None:
    """Hide a memory from recall. It can be restored for a while.

    The daemon's setting memory_forgotten is the time after which it cannot be restored. Exits with status 1 if there is
    no such memory.
    """
    done = client.agent(agent_id).memories.forget(memory_id)
    if done.memory is None or done.memory.purge_time is None:
        raise not_found(agent_id, "memory", memory_id)
    outcome = "was forgotten" if done.deleted else "was forgotten before"
    until = f"{done.memory.purge_time.astimezone():%Y-%m-%d %H:%M}"
    output.done(done, f"{memory_id} {outcome}; restorable until {until}")


@click.command("restore", cls=ClientCommand)
@AGENT
@MEMORY
def restore_memory(client: "memoryd.Client", output: Output, agent_id: str, memory_id: str) -> None:
    """Restore a forgotten memory."""
    done = client.agent(agent_id).memories.restore(memory_id)
    outcome = "was restored" if done.changed else "is not forgotten"
    output.done(done, f"{memory_id} {outcome}")


@click.command("purge", cls=ClientCommand)
@AGENT
@MEMORY
@click.option("--block-reimport", is_flag=True, help="Reject the same content if it is created again.")
@with_consent
def purge_memory(
    client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, block_reimport: bool, consent: Consent
) -> None:
    """Erase a memory from the store and the journal, for good. It need not be forgotten first.

    This erases its content, vector, earlier versions, links and the content of its events. Snapshots that were created
    before still contain it. Exits with status 1 if there is no such memory.
    """
    if not consent.to(output, lambda: f"erase memory {memory_id!r} of agent {agent_id!r}"):
        return
    if not client.agent(agent_id).memories.purge(memory_id, block_reimport=block_reimport):
        raise not_found(agent_id, "memory", memory_id)
    output.done({"memory_id": memory_id, "deleted": True}, f"{memory_id} was purged")
