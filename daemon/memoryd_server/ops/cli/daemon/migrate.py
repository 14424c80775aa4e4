"""``memoryd migrate``: move memory from one store to another."""

import logging
import os
import sys
from collections.abc import Sequence

import click

from memoryd_server.ops.cli.terminal.phrase import counted, plain
from memoryd_server.ops.cli.terminal.progress import counting
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import NAMES_SHOWN_MAX

PLACE = "URL"


@click.command
@click.option(
    "--from",
    "source",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_MIGRATE_FROM",
    show_envvar=True,
    help="Source store. Set a URL with a password in the environment.",
)
@click.option(
    "--to",
    "target",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_MIGRATE_TO",
    show_envvar=True,
    help="Target store. Set a URL with a password in the environment.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace agents in the target that have the same id, even if they are newer, and clear the target's journal: "
    "its resume tokens and request ids become invalid. Other agents remain.",
)
def migrate(source: str, target: str, overwrite: bool) -> None:
    """Copy all agents from one store to another, and compare the copies.

    Each store is a URL as in serve --store. That of an embedded store names its data directory: sqlite:/srv/memoryd.
    The source may be in use: agents that changed meanwhile are reported as differing, with exit status 1. Then stop the
    source's daemons and run the command again, which copies only the differences. The target's daemons must be stopped.

    Without --overwrite, the command fails if data of the target would be lost. Agents that only the target has never
    change.
    """
    # Files that this creates are readable by their owner only, as those of the daemon.
    os.umask(0o077)
    # A failure of a store is this command's own error: a log line would repeat it.
    logging.getLogger("memoryd").addHandler(logging.NullHandler())
    # Imported late: `memoryd migrate --help` needs none of it.
    import asyncio

    from memoryd_server.engine.images.migration import WouldOverwrite
    from memoryd_server.ops.wiring.store_migration import move

    try:
        with counting() as report:
            moved = asyncio.run(move(source, target, report, overwrites=overwrite))
    except WouldOverwrite as found:
        raise OperatorError(_describe_loss(found.agent_ids, was_served=found.was_served)) from found
    click.echo(
        f"source and target have the same {counted(moved.agents, 'agent')} with {counted(moved.records, 'record')}, "
        f"checksum {moved.checksum}; copied {moved.copied:,}, deleted {moved.ended:,}"
    )
    if moved.foreign:
        click.echo(f"only in the target, and not changed: {_named(moved.foreign)}", err=True)
    if moved.differing:
        click.echo(
            f"differing, because of writes meanwhile: {_named(moved.differing)}; stop the writers, and run this again",
            err=True,
        )
        sys.exit(1)


def _describe_loss(agent_ids: Sequence[str], *, was_served: bool) -> str:
    found = []
    if was_served:
        found.append("a journal of clients' changes")
    if agent_ids:
        found.append(f"agents that are newer or different: {_named(agent_ids)}")
    return f"the target has data that the source lacks: {'; '.join(found)}. Nothing was copied; --overwrite replaces it"


def _named(agent_ids: Sequence[str]) -> str:
    shown = ", ".join(map(plain, agent_ids[:NAMES_SHOWN_MAX]))
    more = len(agent_ids) - NAMES_SHOWN_MAX
    return f"{shown} and {more:,} more" if more > 0 else shown
