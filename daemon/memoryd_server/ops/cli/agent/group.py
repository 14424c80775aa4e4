"""``memoryd agent``: the group of all commands for agents."""

import click

from memoryd_server.ops.cli.agent.copy import export_agent, import_agent
from memoryd_server.ops.cli.agent.read import get_agent, list_agents, show_stats
from memoryd_server.ops.cli.agent.removal import clear_agent, end_agent, forget_user
from memoryd_server.ops.cli.agent.update import update_agent
from memoryd_server.ops.cli.terminal.command_group import CommandGroup


@click.group("agent", cls=CommandGroup)
def agent() -> None:
    """List, describe, copy, clear and end agents, show how much memory they use, and forget users."""


for _command in (
    *(list_agents, get_agent, show_stats, update_agent, export_agent, import_agent),
    *(clear_agent, end_agent, forget_user),
):
    agent.add_command(_command)
