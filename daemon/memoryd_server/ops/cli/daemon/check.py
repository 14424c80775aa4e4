"""``memoryd check``: which agents are whole."""

import operator
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from memoryd_server.ops.cli.client.connection import JSON, Connection, ConnectingCommand
from memoryd_server.ops.cli.terminal.output import Column, Output

if TYPE_CHECKING:
    from memoryd_server.ports.inspection import AgentCondition


class Row(msgspec.Struct, frozen=True):
    """One agent. What a running daemon does not tell is None."""

    agent_id: str
    state: str
    revision: int | None
    records: int | None
    damaged_records: int | None
    journal: str | None
    error: str


_COLUMNS: list[Column[Row]] = [
    Column("AGENT", operator.attrgetter("agent_id"), style="bold", may_be_cut=True),
    Column("STATE", operator.attrgetter("state")),
    Column("REVISION", operator.attrgetter("revision"), right=True),
    Column("RECORDS", operator.attrgetter("records"), right=True),
    Column("DAMAGED", operator.attrgetter("damaged_records"), right=True),
    Column("JOURNAL", operator.attrgetter("journal")),
    Column("ERROR", operator.attrgetter("error"), wraps=True, width_min=90),
]


@click.command(cls=ConnectingCommand)
@click.argument(
    "directory",
    metavar="[DATA_DIR]",
    required=False,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
def check(connection: Connection, directory: Path | None, as_json: bool) -> None:
    """Show which agents are whole: those in DATA_DIR, or those of a running daemon.

    DATA_DIR is read without a daemon, or beside one, and is never changed. All records are read, and the journal. If
    files are damaged, they are copied to a temporary directory (TMPDIR), which needs as much space. Without DATA_DIR, a
    running daemon loads each agent; that also checks agents in Redis.

    Exits with status 1 if anything is damaged. In a pipe, each row has these fields, separated by tabs: agent, state
    (whole, damaged), revision, records, damaged records, journal (whole, damaged), error.
    """
    output = Output(as_json=as_json)
    damaged = [0]

    def counted(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            damaged[0] += row.state == "damaged" or row.journal == "damaged"
            yield row

    if directory is None:
        output.listing(counted(_served(connection)), _COLUMNS, nothing="There are no agents.")
    else:
        from memoryd_server.ops.wiring.store_salvage import conditions, inspected

        with inspected(directory) as inspection:
            output.listing(counted(map(_row, conditions(inspection))), _COLUMNS, nothing="There are no agents.")
            if inspection.loss:
                damaged[0] += 1
                click.echo(f"{inspection.loss}: any agent may lack its last changes", err=True)
    if damaged[0]:
        sys.exit(1)


check.params.append(JSON)


def _row(found: "AgentCondition") -> Row:
    journal = "damaged" if found.journal_damaged else "whole"
    return Row(
        found.agent_id, found.state, found.revision, found.records, found.damaged_records, journal, found.error
    )


def _served(connection: Connection) -> Iterator[Row]:
    import memoryd
    from memoryd.errors import DataLoss

    with memoryd.connect(connection.address, **connection.settings) as client:
        for found in client.agents():
            try:
                stats = client.agent(found.agent_id).stats()
            except DataLoss as error:
                yield Row(found.agent_id, "damaged", found.revision, None, None, None, str(error))
            else:
                records = sum(stats.record_counts.values())
                yield Row(found.agent_id, "whole", found.revision, records, 0, None, "")
