"""``memoryd agent update``."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    import memoryd
    from memoryd.protocol.agent import AgentChanges


@click.command("update", cls=ClientCommand)
@AGENT
@click.option("--name", "display_name", metavar="TEXT", help="New name for people; '' for none.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label that replaces all labels; repeatable.")
@click.option("--entry-ttl", type=DURATION, metavar="DURATION", help="Time to live of entries set without one.")
@click.option(
    "--fragment-ttl", type=DURATION, metavar="DURATION", help="Time to live of fragments that are created without one."
)
@click.option(
    "--max-tokens", type=click.IntRange(0), metavar="N", help="Budget of composed contexts whose request has none."
)
@click.option("--model", metavar="NAME", help="Model of composed contexts whose request names none.")
@click.option("--tier", metavar="NAME", help="New tier, which needs the verb admin; '' for none.")
@click.option("--no-defaults", is_flag=True, help="Remove all defaults.")
def update_agent(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    display_name: str | None,
    tags: tuple[str, ...],
    tier: str | None,
    no_defaults: bool,
    **options: Any,
) -> None:
    """Change the name, the labels, the tier and the defaults of an agent, which is created if it does not exist.

    The given defaults replace all defaults of the agent.
    """
    from memoryd import AgentDefaults

    given = {_DEFAULTS[name]: value for name, value in options.items() if value is not None}
    if given and no_defaults:
        raise click.UsageError("--no-defaults excludes the other defaults")
    changes: AgentChanges = {}
    if display_name is not None:
        changes["display_name"] = display_name
    if tags:
        changes["tags"] = tags
    if tier is not None:
        changes["tier"] = tier
    if given or no_defaults:
        changes["defaults"] = AgentDefaults(**given) if given else None
    if not changes:
        raise click.UsageError("Name at least one field to change.")
    updated = client.agent(agent_id).update_info(**changes)
    output.done(updated, f"{agent_id} is at revision {updated.revision}")


_DEFAULTS = {
    "entry_ttl": "entry_ttl",
    "fragment_ttl": "fragment_ttl",
    "max_tokens": "context_max_tokens",
    "model": "model",
}
"""The defaults of an agent, by the names of the options."""
