"""The memory of a process and of its children."""

import contextlib
import threading
from pathlib import Path

MEBIBYTE = 1 << 20
_RESET_PEAK = "5"
_PACE_S = 0.05  # time: a pace, at which children are looked at


def memory_mb(pid: int, name: str = "VmRSS") -> int:
    """Return a line of a process's status in mebibytes: VmRSS, its peak VmHWM, or RssAnon without mapped files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) // 1024
    raise ValueError(f"no {name}")


def begin_peak(pid: int) -> None:
    """Let the peak of a process begin at its present memory."""
    Path(f"/proc/{pid}/clear_refs").write_text(_RESET_PEAK)


def children_of(pid: int) -> list[int]:
    """Return the running children of a process."""
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


class ChildrenPeak:
    """The highest memory of all children of a process together, from a thread that looks at them."""

    def __init__(self, pid: int) -> None:
        self.mb = 0
        self._pid = pid
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "ChildrenPeak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(_PACE_S):
            total = 0
            # One that ends meanwhile has no memory any more.
            with contextlib.suppress(OSError, ValueError):
                total = sum(memory_mb(child) for child in children_of(self._pid))
            self.mb = max(self.mb, total)
