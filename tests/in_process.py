"""A daemon inside the process of the tests: for all that is not about sockets, signals, kills or the command."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.daemon import PATIENT_FLAGS, Daemon
from tests.integration.wire import Wire

from memoryd_server.testing.daemon import InProcessDaemon, settings_of


class InProcess(InProcessDaemon):
    """Serves what ``memoryd serve`` serves with these flags. It may be stopped and started again on the same data."""

    def __init__(self, directory: Path, *flags: str) -> None:
        self.directory = directory
        self.data_dir = directory / "data"
        self.flags = list(flags)
        super().__init__("--data-dir", str(self.data_dir), *PATIENT_FLAGS, *flags)

    def start(self) -> None:
        """Start with the flags as they are now, and wait until it serves."""
        self.settings = settings_of("--data-dir", str(self.data_dir), *PATIENT_FLAGS, *self.flags)
        super().start()

    def close(self) -> None:
        """End it if it still runs."""
        self.stop()


AnyDaemon = Daemon | InProcess
ServeDaemon = Callable[..., AbstractContextManager[Wire]]

KIND: type[Daemon] | type[InProcess] = Daemon if os.environ.get("MEMORYD_TEST_TRANSPORT") == "grpc" else InProcess
"""The daemons of tests that need no process. MEMORYD_TEST_TRANSPORT=grpc makes them processes, too."""
