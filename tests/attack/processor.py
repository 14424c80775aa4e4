"""The processor time of processes, and the time for which their threads waited for a core."""

import contextlib
import os
import time
from pathlib import Path

_CPUCLOCK_SCHED = 2


def processor_s(pid: int) -> float:
    """Return the processor time of all threads of a process."""
    return time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)


class RunQueue:
    """The time for which threads that could run had to wait for a core: all of this process, and the first of others.

    0 where the kernel does not count it.
    """

    def __init__(self, *pids: int) -> None:
        self._files = [Path(f"/proc/{pid}/task/{pid}/schedstat") for pid in pids]

    def waited_s(self) -> float:
        """Return the total so far."""
        own = Path(f"/proc/{os.getpid()}/task")
        total = 0
        for file in (*self._files, *(task / "schedstat" for task in own.iterdir())):
            with contextlib.suppress(OSError, IndexError):
                total += int(file.read_text().split()[1])
        return total / 1e9
