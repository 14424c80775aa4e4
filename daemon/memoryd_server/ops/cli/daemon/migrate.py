"""``memoryd migrate``: move memory from one store to another."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence

import click

from memoryd_server.ops.cli.terminal.phrase import plain
from memoryd_server.ops.cli.terminal.progress import counting
from memoryd_server.ops.config.rule import check
from memoryd_server.ops.config.setting_type import NAME, Count
from memoryd_server.ops.config.settings import Redis, Settings
from memoryd_server.ops.error import OperatorError

PLACE = "sqlite:DIR|URL"
NAMES_SHOWN_MAX = 10


@click.command
@click.option(
    "--from",
    "source",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_MIGRATE_FROM",
    show_envvar=True,
    help="What to read. A password belongs into the environment.",
)
@click.option(
    "--to",
    "target",
    metavar=PLACE,
    required=True,
    envvar="MEMORYD_MIGRATE_TO",
    show_envvar=True,
    help="What to fill. A password belongs into the environment.",
)
@click.option(
    "--redis-prefix",
    type=NAME,
    default=Redis().prefix,
    show_default=True,
    envvar="MEMORYD_REDIS_PREFIX",
    show_envvar=True,
    help="As in serve.",
)
@click.option(
    "--redis-shards",
    type=Count(1),
    default=Redis().shards,
    show_default=True,
    envvar="MEMORYD_REDIS_SHARDS",
    show_envvar=True,
    help="As in serve: into how many shards a new store is split, for good.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Let the source's agents replace those of their name in the target, also newer ones, and empty the target's "
    "journal: nobody can resume a watch there, and request ids are forgotten. Agents of other names stay.",
)
def migrate(source: str, target: str, redis_prefix: str, redis_shards: int, overwrite: bool) -> None:
    """Copy all agents from one store to another, and compare them.

    sqlite:DIR is the data directory of an embedded store. The daemon of the source may go on meanwhile: what changed is
    told as differing. Stop it then, run this again, which copies only that, and begin the daemons of the target, which
    must not run before.

    What the target has beyond the source is not lost unless --overwrite says so. Exit code 1 when something differs.
    """
    # What is written is for its owner only, as what the daemon writes.
    os.umask(0o077)
    # What goes wrong with a store is this command's own error, and told once.
    logging.getLogger("memoryd").addHandler(logging.NullHandler())
    settings = Settings(redis=Redis(prefix=redis_prefix, shards=redis_shards))
    check(settings)
    # It brings in everything, and `memoryd migrate --help` needs none of it.
    from memoryd_server.engine.images.migration import WouldOverwrite
    from memoryd_server.ops.wiring.store_migration import move

    try:
        with counting() as report:
            moved = asyncio.run(move(source, target, settings.redis, report, overwrites=overwrite))
    except WouldOverwrite as found:
        raise OperatorError(_describe_loss(found.agent_ids, was_served=found.was_served), "WOULD_OVERWRITE") from found
    click.echo(
        f"{moved.agents:,} agents with {moved.records:,} records are the same on both sides, checksum "
        f"{moved.checksum}; {moved.copied:,} were copied, {moved.ended:,} ended"
    )
    if moved.foreign:
        click.echo(f"only in the target, and left alone: {_named(moved.foreign)}", err=True)
    if moved.differing:
        click.echo(
            f"differing, since somebody wrote meanwhile: {_named(moved.differing)}; stop who does, and run this again",
            err=True,
        )
        sys.exit(1)


def _describe_loss(agent_ids: Sequence[str], *, was_served: bool) -> str:
    found = []
    if was_served:
        found.append("its journal tells what clients did there")
    if agent_ids:
        found.append(f"agents that are newer there, or others: {_named(agent_ids)}")
    return f"the target has what the source does not: {'; '.join(found)}. Nothing was copied; --overwrite replaces it"


def _named(agent_ids: Sequence[str]) -> str:
    shown = ", ".join(map(plain, agent_ids[:NAMES_SHOWN_MAX]))
    more = len(agent_ids) - NAMES_SHOWN_MAX
    return f"{shown} and {more:,} more" if more > 0 else shown
