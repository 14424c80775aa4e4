"""Checks of the running daemon."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoryd_server import __version__
from memoryd_server.ops.cli.client.failure import failed
from memoryd_server.ops.cli.doctor.finding import Finding, ok
from memoryd_server.ops.cli.terminal.phrase import age

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoryd_server.ops.cli.client.connection import Connection


def check_running(connection: "Connection") -> "Iterator[Finding]":
    """Yield the findings about the daemon at an address."""
    import memoryd

    try:
        with memoryd.connect(connection.address, **connection.settings) as client:
            server, target = client.server_info(), client.target
    except memoryd.MemorydError as error:
        yield Finding("daemon", "fail", failed(error).message, "--offline checks no daemon")
        return
    found = f"{target} is {server.state} since {age(server.start_time, datetime.now(UTC))}"
    if server.state == "serving":
        yield ok("daemon", found)
    else:
        yield Finding("daemon", "fail", found, "see its log: a full disk makes the store read-only")
    if server.version == __version__:
        yield ok("daemon version", server.version)
    else:
        yield Finding(
            "daemon version",
            "warn",
            f"the daemon is {server.version}, this command {__version__}",
            "install the same version of both",
        )
