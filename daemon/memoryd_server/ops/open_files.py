"""The number of files and connections that this process may have open."""

import contextlib
import logging
import resource

import msgspec

from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.limit import FILES_RESERVED

log = logging.getLogger("memoryd.server")


def raise_open_files() -> int:
    """Raise the number of files that this process may have open to what the system allows, and return it.

    The usual limit, 1,024, is for programs that use ``select``. Connections count as files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS allows less than it says.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return hard
    return soft


def within_open_files(settings: Settings, open_files_max: int) -> Settings:
    """Return the settings with as many connections as leave enough files for the data."""
    limits, addresses = settings.limits, len(settings.listening.addresses)
    if open_files_max == resource.RLIM_INFINITY:
        return settings
    connections = max((open_files_max - FILES_RESERVED) // addresses, 1)
    if connections >= limits.connections:
        return settings
    log.warning(
        "fewer connections than configured: raise the limit of open files (ulimit -n, LimitNOFILE=)",
        extra={"connections": connections, "configured": limits.connections, "open_files": open_files_max},
    )
    return msgspec.structs.replace(settings, limits=msgspec.structs.replace(limits, connections=connections))
