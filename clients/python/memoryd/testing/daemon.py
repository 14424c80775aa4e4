"""The daemon of a test: one that exists, one within this process, or a process of its own."""

import importlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    import memoryd

ADDRESS = "MEMORYD_TEST_ADDRESS"
COMMAND = "MEMORYD_TEST_COMMAND"
# Its data need not survive, and nobody restores them.
FLAGS = ("--listen", "127.0.0.1:0", "--durability", "memory", "--log-level", "info")
_DAEMON_MODULE = "memoryd_server.testing.daemon"


@dataclass(frozen=True, slots=True)
class Daemon:
    """A running daemon. ``is_shared`` is true if it was running before, so that others may use it, too."""

    address: str
    is_shared: bool = False

    def connect(self, **options: Any) -> "memoryd.Client":
        """Return a client, with the options of ``memoryd.connect``."""
        import memoryd

        return memoryd.connect(self.address, **options)

    def connect_aio(self, **options: Any) -> "memoryd.aio.Client":
        """Return a client for the running event loop, with the options of ``memoryd.aio.connect``."""
        import memoryd

        return memoryd.aio.connect(self.address, **options)

    def new_agent_id(self) -> str:
        """Return the id of an agent that nobody uses."""
        return f"test-{uuid4().hex}"


@contextmanager
def running_daemon(*flags: str) -> Iterator[Daemon]:
    """Run a daemon for as long as the block lasts. ``flags`` are further ones of ``memoryd serve``.

    It is the daemon at MEMORYD_TEST_ADDRESS, if that is set: then ``flags`` are ignored, and it goes on running.
    Otherwise it runs within this process where ``memoryd_server`` is installed and MEMORYD_TEST_COMMAND is not set;
    else the command MEMORYD_TEST_COMMAND, or ``memoryd`` in PATH, runs as a process. It takes no settings from the
    variables MEMORYD_… of the environment, so that a test has the same daemon everywhere.

    Raises DaemonFailed, or in this process what its start raises.
    """
    if address := os.environ.get(ADDRESS):
        yield Daemon(address, is_shared=True)
        return
    with tempfile.TemporaryDirectory(prefix="memoryd-", ignore_cleanup_errors=True) as directory:
        chosen = (*FLAGS, "--data-dir", f"{directory}/data", *flags)
        command = os.environ.get(COMMAND)
        if command is None and importlib.util.find_spec("memoryd_server") is not None:
            with _within_this_process(chosen) as address:
                yield Daemon(address)
        else:
            from memoryd.testing.process import running_process

            with running_process([command or "memoryd", "serve", *chosen], environment_of_daemon()) as address:
                yield Daemon(address)


def environment_of_daemon() -> dict[str, str]:
    """Return this process's environment without the settings of memoryd."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MEMORYD_")}


@contextmanager
def _within_this_process(flags: tuple[str, ...]) -> Iterator[str]:
    # By its name: the client needs no daemon.
    module = importlib.import_module(_DAEMON_MODULE)
    settings = {name: value for name, value in os.environ.items() if name.startswith("MEMORYD_")}
    for name in settings:
        del os.environ[name]
    try:
        daemon = module.InProcessDaemon(*flags, listens=True)
    finally:
        os.environ.update(settings)
    with daemon:
        yield daemon.address
