"""``memoryd reembed``: move memories over to the daemon's embedder."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.progress import CountReport, counting

if TYPE_CHECKING:
    import memoryd


@click.command(cls=ClientCommand)
@click.argument("agent_id", metavar="[AGENT]", default="")
@click.option("--all", "all_agents", is_flag=True, help="Those of all agents.")
@click.option("--include-given", is_flag=True, help="Replace vectors that their writers gave, too.")
def reembed(client: "memoryd.Client", output: Output, agent_id: str, all_agents: bool, include_given: bool) -> None:
    """Give memories vectors of the daemon's embedder.

    Those that have none, or one of another embedder. They are recalled meanwhile, and what is interrupted goes on where
    it was. Ends with 1 when the embedder does not answer.
    """
    if bool(agent_id) == all_agents:
        raise click.UsageError("name an AGENT, or --all")
    agent_ids = [agent.agent_id for agent in client.agents()] if all_agents else [agent_id]
    embedded = 0
    with counting() as report:
        for each in agent_ids:
            embedded += _reembed(client.agent(each), include_given, report)
    memories = "memory has" if embedded == 1 else "memories have"
    output.done({"memories_embedded": embedded}, f"{embedded:,} {memories} a new vector")


def _reembed(agent: "memoryd.Agent", include_given: bool, report: CountReport) -> int:
    embedded = left = 0
    for told in agent.memories.reembed(include_given=include_given):
        if not told.model:
            raise click.ClickException("the daemon has no embedder (NO_EMBEDDER)")
        embedded += told.memories_embedded
        left = told.memories_left
        report(agent.agent_id, embedded, embedded + left)
    if left:
        of_agent = f"{left:,} of agent {agent.agent_id!r} {'is' if left == 1 else 'are'} left"
        raise click.ClickException(
            f"the embedder does not answer, and {of_agent}: run this again later (EMBEDDER_UNAVAILABLE)"
        )
    return embedded
