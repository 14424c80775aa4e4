"""A daemon inside the tests' process, for tests that are not about sockets, signals, kills or the command."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.daemon import PATIENT_FLAGS, Daemon
from tests.integration.wire import Wire

from memoryd_server.testing.daemon import InProcessDaemon, settings_of


class InProcess(InProcessDaemon):
    """Serves as ``memoryd serve`` does with these flags. It may be stopped and started again on the same data."""

    def __init__(self, directory: Path, *flags: str) -> None:
        self.directory = directory
        self.data_dir = directory / "data"
        self.flags = list(flags)
        super().__init__("--data-dir", str(self.data_dir), *PATIENT_FLAGS, *flags)

    def start(self) -> None:
        """Start the daemon with the current ``flags``, and wait until it serves."""
        self.settings = settings_of("--data-dir", str(self.data_dir), *PATIENT_FLAGS, *self.flags)
        super().start()

    def close(self) -> None:
        """End the daemon if it still runs."""
        self.stop()


AnyDaemon = Daemon | InProcess
ServeDaemon = Callable[..., AbstractContextManager[Wire]]

KIND: type[Daemon] | type[InProcess] = Daemon if os.environ.get("MEMORYD_TEST_DAEMON") == "process" else InProcess
"""The daemon of tests that need no process of its own. MEMORYD_TEST_DAEMON=process runs it as a process anyway."""
