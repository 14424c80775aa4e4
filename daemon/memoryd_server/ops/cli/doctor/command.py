"""``memoryd doctor``."""

import sys
from collections.abc import Iterator
from typing import Any

import click

from memoryd_server.ops.cli.client.connection import (
    OPTIONS,
    Connection,
    connection_of,
    failures_explained,
    options_given,
)
from memoryd_server.ops.cli.doctor.finding import Finding
from memoryd_server.ops.cli.terminal import form
from memoryd_server.ops.cli.terminal.output import Column
from memoryd_server.ops.config.option import Configuration, SettingsCommand, with_settings
from memoryd_server.ops.config.settings import Settings

_COLUMNS: list[Column[Finding]] = [
    Column("CHECK", lambda each: each.check, names=True),
    Column("STATE", lambda each: each.state, style="cyan"),
    Column("FOUND", lambda each: each.found, wraps=True),
    Column("REMEDY", lambda each: each.remedy, style="yellow", wraps=True),
]


@click.command("doctor", cls=SettingsCommand)
@with_settings
@click.option("--offline", is_flag=True, help="Check no running daemon.")
def doctor(configuration: Configuration, offline: bool, **given: Any) -> None:
    """Check settings, files, machine and daemon, and print what to do.

    Takes the options of serve, as the daemon has them, and those of the connection. Without --address, the daemon is
    expected at the first address of --listen. Exits with status 1 if a check fails.

    In a pipe, each row has these fields, separated by tabs: check, state (ok, warn, fail), what was found, what to do.
    """
    output = form.output_of(given)
    with failures_explained():
        connection = None if offline else connection_of(options_given(click.get_current_context()))
        if connection is not None and connection.address is None:
            connection = connection._replace(address=str(configuration.settings.listening.listen[0]))
        findings = list(_findings(configuration.settings, connection))
        output.listing(findings, _COLUMNS, nothing="")
    sys.exit(any(each.state == "fail" for each in findings))


doctor.params += (*OPTIONS, *form.OPTIONS)


def _findings(settings: Settings, connection: Connection | None) -> Iterator[Finding]:
    # Imported late: help needs none of it.
    from memoryd_server.ops.cli.doctor.data import check_data
    from memoryd_server.ops.cli.doctor.host import check_host
    from memoryd_server.ops.cli.doctor.running import check_running
    from memoryd_server.ops.cli.doctor.security import check_security

    yield from check_host(settings)
    yield from check_data(settings)
    yield from check_security(settings)
    if connection is not None:
        yield from check_running(connection)
