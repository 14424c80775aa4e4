"""Checks of the running daemon."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoryd_server import __version__
from memoryd_server.ops.cli.client.failure import failed
from memoryd_server.ops.cli.doctor.finding import Finding, State, ok
from memoryd_server.ops.cli.terminal.phrase import age, component_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoryd_server.ops.cli.client.connection import Connection


REMEDIES = {
    "store": "see the daemon's log, the disk and, if it is shared, the store's own server",
    "disk": "free space, or delete records: the daemon accepts changes again by itself",
    "journal": "see the daemon's log: the journal grows until its oldest rows can be pruned",
    "snapshots": "see the daemon's log, and free space in the data directory",
    "embedder": "check the endpoint and its key",
    "watches": "look for watchers that do not read, or raise --limit-watch-bytes",
    "policy": "run `memoryd policy check --keys` on the token file",
    "certificates": "check the files of --tls-cert-file and --tls-key-file",
    "audit": "free space on the disk of --audit-log, or give the daemon the right to write there",
}
"""The remedy for each component that does not work."""


def check_running(connection: "Connection") -> "Iterator[Finding]":
    """Yield the findings about the daemon at an address."""
    import memoryd

    try:
        with memoryd.connect(connection.address, **connection.settings) as client:
            server, target = client.server_info(), client.target
    except memoryd.MemorydError as error:
        yield Finding("daemon", "fail", failed(error).message, "--offline checks no daemon")
        return
    found = f"{target} is {server.state}, started {age(server.start_time, datetime.now(UTC))} ago"
    if server.state == "serving":
        yield ok("daemon", found)
    else:
        yield Finding("daemon", "fail", found, "see its components below, and its log")
    for each in server.components:
        shown = component_text(each, datetime.now(UTC))
        if each.state == "ok":
            yield ok(f"daemon {each.name}", shown)
        else:
            state: State = "fail" if each.state == "failed" or server.state != "serving" else "warn"
            yield Finding(f"daemon {each.name}", state, shown, REMEDIES.get(each.name, "see the daemon's log"))
    if server.version == __version__:
        yield ok("daemon version", server.version)
    else:
        yield Finding(
            "daemon version",
            "warn",
            f"the daemon is {server.version}, this command {__version__}",
            "install the same version of both",
        )
