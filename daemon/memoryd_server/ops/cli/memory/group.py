"""``memoryd memory``: the group of all commands for memories."""

import click

from memoryd_server.ops.cli.memory.create import create_memory
from memoryd_server.ops.cli.memory.forget import forget_memory, purge_memory, restore_memory
from memoryd_server.ops.cli.memory.link import link_memories, list_links, unlink_memories
from memoryd_server.ops.cli.memory.proposal import accept_proposals, list_proposals, reject_proposals
from memoryd_server.ops.cli.memory.read import get_memory, list_memories
from memoryd_server.ops.cli.memory.recall import recall_memories
from memoryd_server.ops.cli.memory.reembed import reembed_memories
from memoryd_server.ops.cli.memory.update import reinforce_memory, update_memory
from memoryd_server.ops.cli.terminal.command_group import CommandGroup


@click.group("memory", cls=CommandGroup)
def memory() -> None:
    """Create, recall, correct, link and forget long-term memories.

    Proposals are memories that wait until they are accepted.

    The short forms of create and recall are `memoryd remember` and `memoryd recall`.
    """


for _command in (
    create_memory,
    get_memory,
    list_memories,
    recall_memories,
    update_memory,
    reinforce_memory,
    link_memories,
    unlink_memories,
    list_links,
    forget_memory,
    restore_memory,
    purge_memory,
    reembed_memories,
    list_proposals,
    accept_proposals,
    reject_proposals,
):
    memory.add_command(_command)
