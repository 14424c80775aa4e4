"""Checks of the machine: versions, open files, and the front end."""

import importlib.util
import platform
import resource
from collections.abc import Iterator

from memoryd_server import __version__
from memoryd_server.ops.cli.doctor.finding import Finding, ok
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.limit import FILES_RESERVED


def check_host(settings: Settings) -> Iterator[Finding]:
    """Yield the findings about the machine."""
    system = f"{platform.system()} {platform.machine()}"
    yield ok("versions", f"memoryd {__version__}, Python {platform.python_version()}, {system}")
    yield _open_files(settings)
    if importlib.util.find_spec("memoryd_front"):
        yield ok("front end", "installed")
    else:
        yield Finding(
            "front end", "warn", "not installed: each call costs many times more", "install the package memoryd-front"
        )


def _open_files(settings: Settings) -> Finding:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.limits.connections * len(settings.listening.addresses) + FILES_RESERVED
    if most == resource.RLIM_INFINITY or most >= needed:
        return ok("open files", f"{needed:,} needed for {settings.limits.connections:,} connections")
    return Finding(
        "open files",
        "warn",
        f"{most:,} allowed, {needed:,} needed for {settings.limits.connections:,} connections",
        "raise the limit (ulimit -Hn, LimitNOFILE=), or lower --limit-connections",
    )
