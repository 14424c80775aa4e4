"""``memoryd check``: which agents are whole."""

import operator
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection
from memoryd_server.ops.cli.terminal.form import OPTIONS, output_of
from memoryd_server.ops.cli.terminal.output import Column

if TYPE_CHECKING:
    from memoryd_server.ports.inspection import InspectedAgent


class Row(msgspec.Struct, frozen=True):
    """One agent. What was not checked is None."""

    agent_id: str
    state: str
    revision: int | None
    records: int | None
    damaged_records: int | None
    journal: str | None
    error: str


_COLUMNS: list[Column[Row]] = [
    Column("AGENT", operator.attrgetter("agent_id"), names=True, may_be_cut=True),
    Column("STATE", operator.attrgetter("state")),
    Column("REVISION", operator.attrgetter("revision"), right=True),
    Column("RECORDS", operator.attrgetter("records"), right=True),
    Column("DAMAGED", operator.attrgetter("damaged_records"), right=True),
    Column("JOURNAL", operator.attrgetter("journal")),
    Column("ERROR", operator.attrgetter("error"), wraps=True, width_min=90),
]


@click.command(cls=ConnectingCommand)
@click.option(
    "--store",
    "url",
    metavar="URL",
    envvar="MEMORYD_CHECK_STORE",
    show_envvar=True,
    help="Read this store, without a daemon. Set a URL with a password in the environment.",
)
def check(connection: Connection, url: str | None, **given: Any) -> None:
    """Show which agents are whole: those of a running daemon, or those in a store.

    Without --store, the running daemon loads each agent that the caller may use. With --store, the command reads the
    store itself, and changes nothing. The URL is one as in serve --store; that of an embedded store names its data
    directory, as sqlite:/srv/memoryd, whose daemon must be stopped. There, the journal is checked too. If the files are
    damaged, they are copied to a temporary directory (TMPDIR), which needs as much space.

    Exits with status 1 if anything is damaged. In a pipe, each row has these fields, separated by tabs: agent, state
    (whole, damaged), revision, records, damaged records, journal (whole, damaged; empty if not checked), error.
    """
    loss = ""
    if url is None:
        rows = list(_served(connection))
    else:
        # Imported late: help needs none of it.
        import asyncio

        rows, loss = asyncio.run(_stored(url))
    output_of(given).listing(rows, _COLUMNS, nothing="There are no agents.")
    if loss:
        click.echo(f"any agent may lack its last changes: {loss}", err=True)
    if loss or any("damaged" in (row.state, row.journal) for row in rows):
        sys.exit(1)


check.params += OPTIONS


async def _stored(url: str) -> tuple[list[Row], str]:
    from memoryd_server.ops.wiring.store_salvage import agents_of, inspected

    async with inspected(url, "--store") as inspection:
        return [_row(found) async for found in agents_of(inspection)], inspection.loss


def _row(found: "InspectedAgent") -> Row:
    journal = None if found.is_journal_damaged is None else "damaged" if found.is_journal_damaged else "whole"
    state = "damaged" if found.error else "whole"
    return Row(found.agent_id, state, found.revision, found.records, found.damaged_records, journal, found.error)


def _served(connection: Connection) -> Iterator[Row]:
    import memoryd
    from memoryd.errors import AgentNotFound, DataLoss

    with memoryd.connect(connection.address, **connection.settings) as client:
        for found in client.agents():
            try:
                stats = client.agent(found.agent_id).stats()
            except DataLoss as error:
                yield Row(found.agent_id, "damaged", found.revision, None, None, None, error.message)
            except AgentNotFound:
                continue  # it ended meanwhile
            else:
                records = sum(stats.record_counts.values())
                yield Row(found.agent_id, "whole", found.revision, records, 0, None, "")
