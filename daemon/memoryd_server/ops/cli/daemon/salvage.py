"""``memoryd salvage``: save what is whole in a damaged data directory."""

import asyncio
import logging
import os
import sys
from pathlib import Path

import click

from memoryd_server.ops.cli.terminal.phrase import counted, plain

PLACE = click.Path(path_type=Path, file_okay=False)


@click.command
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("target", type=PLACE)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Save agents even if it is unknown which of them lack their last changes.",
)
def salvage(source: Path, target: Path, accept_loss: bool) -> None:
    """Save all whole agents of the data directory SOURCE in a new one, TARGET.

    Stop the daemon of SOURCE first. SOURCE is never changed. Each agent keeps its revision; the journal is not copied:
    watches cannot resume, and requests that were executed are not recognized when repeated. Snapshots stay in SOURCE.

    Prints what was saved, and, on standard error, each agent that was not. Exits with status 1 if anything was lost.
    """
    # Files that this creates are readable by their owner only, as those of the daemon.
    os.umask(0o077)
    logging.getLogger("memoryd").addHandler(logging.NullHandler())
    # Imported late: `memoryd salvage --help` needs none of it.
    from memoryd_server.ops.wiring.store_salvage import salvage as save

    saved = asyncio.run(save(source, target, accepts_loss=accept_loss))
    click.echo(f"saved {counted(saved.agents, 'agent')} with {counted(saved.records, 'record')} in {target}")
    if saved.loss:
        click.echo(f"{saved.loss}: any agent may lack its last changes", err=True)
    for agent in saved.damaged:
        click.echo(
            f"lost: {plain(agent.agent_id) or 'an agent whose id cannot be read'}, all of revisions 1 to "
            f"{agent.revision or '(unknown)'}; {agent.damaged_records} of {counted(agent.records, 'record')} damaged: "
            f"{plain(agent.error)}",
            err=True,
        )
    for agent_id in saved.history_lost:
        click.echo(f"saved, with damage in its history: {plain(agent_id)}", err=True)
    if saved.loss or saved.damaged:
        sys.exit(1)
