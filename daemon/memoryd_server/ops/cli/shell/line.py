"""Lines of the shell as the words of a command."""

import shlex

import click

from memoryd_server.ops.cli.client.name.parameter import NameArgument
from memoryd_server.ops.cli.main import memoryd


def words_of(line: str, agent_id: str) -> list[str]:
    """Return the words of a command, with the agent in use where the command takes one.

    Raises ValueError if a quotation has no end.
    """
    return with_agent(shlex.split(line, comments=True), agent_id)


def with_agent(words: list[str], agent_id: str) -> list[str]:
    """Insert the agent in use after the name of a command whose first argument is an agent, unless it is there."""
    command: click.Command | None = memoryd
    count = 0
    while isinstance(command, click.Group) and count < len(words):
        command = command.get_command(click.Context(command), words[count])
        count += 1
    if not agent_id or command is None or words[count : count + 1] == [agent_id] or not _takes_agent(command):
        return words
    return [*words[:count], agent_id, *words[count:]]


def _takes_agent(command: click.Command) -> bool:
    first = next((each for each in command.params if isinstance(each, click.Argument)), None)
    return isinstance(first, NameArgument) and first.name == "agent_id" and first.required
