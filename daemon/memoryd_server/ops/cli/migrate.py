"""``memoryd migrate``: move memory from one store to another."""

import asyncio
import sys

import click

from memoryd_server.ops.cli.progress import counting

PLACE = "sqlite:DIR|URL"


@click.command
@click.option("--from", "source", metavar=PLACE, required=True, envvar="MEMORYD_MIGRATE_FROM", help="What to read.")
@click.option("--to", "target", metavar=PLACE, required=True, envvar="MEMORYD_MIGRATE_TO", help="What to fill.")
@click.option("--redis-prefix", "prefix", default="memoryd", show_default=True, help="As in serve.")
def migrate(source: str, target: str, prefix: str) -> None:
    """Copy all agents from one store to another, and compare them.

    sqlite:DIR is the data directory of an embedded store. The daemon of the source may go on meanwhile: what changed is
    told as differing. Stop it then, run this again, which copies only that, and begin the daemons of the target.

    Exit code 1 when something differs.
    """
    # It brings in everything, and `memoryd migrate --help` needs none of it.
    from memoryd_server.ops.moving import move

    with counting() as report:
        moved = asyncio.run(move(source, target, prefix, report))
    click.echo(
        f"{moved.agents:,} agents with {moved.records:,} records are the same on both sides, checksum "
        f"{moved.checksum}; {moved.copied:,} were copied, {moved.ended:,} ended"
    )
    if moved.foreign:
        click.echo(f"only in the target, and left alone: {', '.join(moved.foreign)}", err=True)
    if moved.differing:
        click.echo(f"differing, since the source is written to: {', '.join(moved.differing)}", err=True)
        sys.exit(1)
