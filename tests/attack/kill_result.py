"""The result of kills and of faults of the machine, and the daemon that they happen to."""

import time

import msgspec
from tests.daemon import Daemon


class KillResult(msgspec.Struct, frozen=True):
    """The result of kills. ``broken`` says what the ledgers found first; empty if nothing was lost."""

    name: str
    what: str
    kills: int
    acknowledged: int
    events: int
    start_s_max: float
    broken: str


class TimedDaemon(Daemon):
    """A daemon whose slowest start is known."""

    start_s_max = 0.0

    def start(self) -> None:
        """Start the daemon, and wait until it accepts connections."""
        began = time.monotonic()
        super().start()
        self.start_s_max = max(self.start_s_max, time.monotonic() - began)

    @property
    def runs(self) -> bool:
        """If true, the process has not ended."""
        return self._process is not None and self._process.poll() is None
