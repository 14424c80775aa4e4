"""``memoryd salvage``: save what is whole in a damaged store."""

import logging
import os
import sys

import click

from memoryd_server.ops.cli.daemon.migrate import PLACE
from memoryd_server.ops.cli.terminal.phrase import counted, plain


@click.command
@click.option(
    "--from",
    "source",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_SALVAGE_FROM",
    show_envvar=True,
    help="Damaged store. Set a URL with a password in the environment.",
)
@click.option(
    "--to",
    "target",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_SALVAGE_TO",
    show_envvar=True,
    help="New store. Set a URL with a password in the environment.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Save agents even if it is unknown which of them lack their last changes.",
)
def salvage(source: str, target: str, accept_loss: bool) -> None:
    """Save all whole agents of a damaged store in a new one.

    Each store is a URL as in serve --store. That of an embedded store names its data directory: sqlite:/srv/memoryd.
    Stop the daemons of both first. The damaged store is not changed.

    Each agent keeps its revision. The journal is not copied: watches cannot resume, and requests that were executed are
    not recognized when repeated. Snapshots are not copied either.

    Prints how many agents were saved and, on standard error, each agent that was not. Exits with status 1 if anything
    is lost.
    """
    # Files that this creates are readable by their owner only, as those of the daemon.
    os.umask(0o077)
    # What the stores log is no message to the operator of this command.
    logging.getLogger("memoryd").addHandler(logging.NullHandler())
    # Imported late: `memoryd salvage --help` needs none of it.
    import asyncio

    from memoryd_server.ops.wiring.store_salvage import salvage as save

    saved = asyncio.run(save(source, target, accepts_loss=accept_loss))
    click.echo(f"saved {counted(saved.agents, 'agent')} with {counted(saved.records, 'record')}")
    if saved.loss:
        click.echo(f"any agent may lack its last changes: {saved.loss}", err=True)
    for agent in saved.damaged:
        name = plain(agent.agent_id) or "an agent whose id cannot be read"
        click.echo(f"not saved: {name}: {plain(agent.error)}", err=True)
    if saved.loss or saved.damaged:
        sys.exit(1)
