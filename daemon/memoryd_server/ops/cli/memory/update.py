"""``memoryd memory update`` and ``reinforce``."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.memory.parameter import MEMORY, STATUSES, TYPES
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd


@click.command("update", cls=ClientCommand)
@AGENT
@MEMORY
@click.option("--content", metavar="TEXT", help="New content; - reads it from standard input.")
@click.option("--type", "type", type=click.Choice(TYPES), help="New type.")
@click.option("--status", type=click.Choice(STATUSES), help="New status.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="New tag, instead of the existing ones. Repeatable.")
@click.option(
    "--alias", "aliases", multiple=True, metavar="TEXT", help="New alias, instead of the existing ones. Repeatable."
)
@click.option("--importance", type=SHARE, metavar="NUMBER", help="New importance, 0 to 1.")
@click.option("--metadata", callback=object_option, metavar="JSON", help="New JSON object of your own.")
@click.option("--when", "occur_time", type=MOMENT, metavar="MOMENT", help="New time at which it happened.")
def update_memory(
    client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, content: str | None, **changes: Any
) -> None:
    """Change the given fields of a memory.

    Earlier versions are kept for a while: see `memoryd memory get --as-of`.
    """
    given = {name: value for name, value in changes.items() if value not in (None, ())}
    if content is not None:
        given["content"] = read_text(content)
    if not given:
        raise click.UsageError("Name at least one field to change.")
    done = client.agent(agent_id).memories.update(memory_id, **given)
    outcome = f"was updated at revision {done.revision}" if done.changed else "has these values already"
    output.done(done, f"{memory_id} {outcome}")


@click.command("reinforce", cls=ClientCommand)
@AGENT
@MEMORY
@click.option(
    "--confidence",
    type=SHARE,
    metavar="NUMBER",
    help="New confidence, 0 to 1.  [default: higher than before]",
)
def reinforce_memory(
    client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, confidence: float | None
) -> None:
    """Raise a memory's confidence, and slow down its loss of salience.

    An archived memory becomes active.
    """
    done = client.agent(agent_id).memories.reinforce(memory_id, confidence=confidence)
    output.done(done, f"{memory_id} has confidence {done.confidence:.2f} at revision {done.revision}")
