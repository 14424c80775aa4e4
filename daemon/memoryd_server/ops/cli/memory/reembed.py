"""``memoryd memory reembed``: vectors of the daemon's current embedder for all memories."""

from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import counted
from memoryd_server.ops.cli.terminal.progress import CountReport, counting

if TYPE_CHECKING:
    import memoryd
    from memoryd import Reembedding


@click.command("reembed", cls=ClientCommand)
@name_argument("agent", metavar="[AGENT]", default="")
@click.option("--all", "all_agents", is_flag=True, help="Embed the memories of all agents.")
@click.option("--replace-client-embeddings", is_flag=True, help="Replace vectors that clients supplied, too.")
def reembed_memories(
    client: "memoryd.Client", output: Output, agent_id: str, all_agents: bool, replace_client_embeddings: bool
) -> None:
    """Compute the vectors of memories that have none of the daemon's current embedder.

    Recall works meanwhile. An interrupted run can be repeated: it embeds what is left. Exits with status 1 if the
    embedder cannot be reached.
    """
    if bool(agent_id) == all_agents:
        raise click.UsageError("Name either AGENT or --all.")
    agent_ids = [agent.agent_id for agent in client.agents()] if all_agents else [agent_id]
    embedded = 0
    with counting() as report:
        for each in agent_ids:
            embedded += _reembed(client.agent(each), replace_client_embeddings, report)
    output.done({"embedded_count": embedded}, f"embedded {_counted(embedded)}")


def _reembed(agent: "memoryd.Agent", replace_client_embeddings: bool, report: CountReport) -> int:
    def follow(done: "Reembedding") -> None:
        report(agent.agent_id, done.embedded_count, done.embedded_count + done.remaining_count)

    done = agent.memories.reembed(replace_client_embeddings=replace_client_embeddings, progress=follow)
    if not done.model:
        raise click.ClickException("the daemon has no embedder: see `memoryd serve --embedder`")
    if left := done.remaining_count:
        raise click.ClickException(
            f"the embedder cannot be reached; {_counted(left)} of agent {agent.agent_id!r} left: try again later"
        )
    return done.embedded_count


def _counted(count: int) -> str:
    return counted(count, "memory", "memories")
