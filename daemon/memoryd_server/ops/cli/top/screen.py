"""A sample as a screen of a terminal, and the keys that a person presses."""

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memoryd_server.ops.cli.terminal.phrase import age, component_text, counted, plain, size
from memoryd_server.ops.cli.top.sample import AgentRow, Sample

if TYPE_CHECKING:
    from rich.console import RenderableType

ORDERS: dict[str, Callable[[AgentRow], Any]] = {
    "updated": lambda row: -row.update_time.timestamp(),
    "changes": lambda row: -(row.changes_per_s or 0.0),
    "records": lambda row: -row.record_count,
    "storage": lambda row: -row.storage_bytes,
    "agent": lambda row: row.agent_id,
}
"""The orders of the agents; the key of each is its first letter."""

UNKNOWN = "-"


def render(sample: Sample, order: str, height: int | None = None) -> "RenderableType":
    """Return a sample as at most ``height`` lines: the daemon, then its agents."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("AGENT", "CHANGES/S", "RECORDS", "STORAGE", "REVISION", "UPDATED"):
        table.add_column(title, justify="left" if title == "AGENT" else "right", no_wrap=True)
    lines = [Text(plain(line), no_wrap=True, overflow="ellipsis") for line in head(sample)]
    rows = sorted(sample.agents, key=ORDERS[order])
    for row in rows if height is None else rows[: max(0, height - len(lines) - 2)]:
        table.add_row(
            Text(plain(row.agent_id), style="bold", overflow="ellipsis"),
            rate(row.changes_per_s),
            f"{row.record_count:,}",
            size(row.storage_bytes),
            f"{row.revision:,}",
            age(row.update_time, sample.time),
        )
    return Group(*lines, Text(""), table)


def head(sample: Sample) -> Iterator[str]:
    """Yield the lines about the daemon, and about each of its components that does not work."""
    up = age(sample.start_time, sample.time)
    yield f"memoryd {sample.version} at {sample.address}: {sample.state} for {up}, {sample.backend}"
    lag = UNKNOWN if sample.watch_lag_commits is None else counted(int(sample.watch_lag_commits), "commit")
    memory = UNKNOWN if sample.memory_bytes is None else size(int(sample.memory_bytes))
    yield f"{rate(sample.calls_per_s)} calls/s, {rate(sample.changes_per_s)} changes/s, lag {lag}, memory {memory}"
    yield ", ".join(
        f"{_title(name)} {amount(name, count)}/{amount(name, sample.limits[name])}"
        for name, count in sorted(sample.usage.items())
        if name in sample.limits
    )
    yield from (f"{each.name}: {component_text(each, sample.time)}" for each in sample.components if each.reason)


def _title(name: str) -> str:
    return name.removeprefix("concurrent_").replace("_", " ")


def amount(name: str, count: int) -> str:
    """Return a number in the unit of its name."""
    return size(count) if "bytes" in name else f"{count:,}"


def rate(per_s: float | None) -> str:
    """Return a rate, or a dash if it is not known."""
    return UNKNOWN if per_s is None else f"{per_s:,.1f}"


@contextmanager
def keys() -> Iterator[Callable[[float], str]]:
    """Read single keys during a with block: the function waits up to some seconds, and returns a key or ''."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def read(seconds: float) -> str:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        # Not by sys.stdin, whose buffer select does not see.
        return os.read(descriptor, 1).decode("ascii", "replace") if ready else ""

    try:
        tty.setcbreak(descriptor)
        yield read
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
