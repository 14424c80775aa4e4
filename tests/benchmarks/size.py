"""P-4: the memory that entries take, and the cost of a call as their number grows."""

import statistics
from pathlib import Path

from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.fill import fill
from tests.benchmarks.go_loader import measure_writes, request_id
from tests.benchmarks.load import Shape, measure, require_h2load
from tests.benchmarks.process import DaemonProcess

MEMORY_ENTRIES = 10_000
FEW_ENTRIES = 1_000
MANY_ENTRIES = 1_000_000
PAIRS = 5
MB = 1_000_000

_ROOMY = (
    *("--limit-entries-per-agent", str(2 * MANY_ENTRIES), "--cache-bytes-max", "8GiB"),
    *("--limit-storage-bytes-per-agent", "4GiB", "--durability", "journaled"),
)
_SHAPE = Shape(8, 16, seconds=1)


def memory(directory: Path) -> list[Figure]:
    """Measure the memory of 10,000 entries of 200 bytes in a fresh daemon."""
    value_json = '"' + "v" * 198 + '"'
    with DaemonProcess(directory) as daemon:
        fill(daemon.address, ["warm"], workload.keys(100), value_json, 100)
        before = daemon.rss_bytes()
        fill(daemon.address, ["agent"], workload.keys(MEMORY_ENTRIES), value_json, 100)
        daemon.settle()
        grown = daemon.rss_bytes() - before
    name = "Memory of 10,000 entries of 200 bytes"
    detail = f"{grown / MEMORY_ENTRIES:,.0f} bytes an entry; growth of the process, all of it, synced"
    return [
        Figure("P-4", name, grown / MB, "MB", below=20, detail=detail),
        Figure("WM-25", name, grown / MB, "MB", below=100),
    ]


def one_agent(directory: Path) -> list[Figure]:
    """Measure how the cost of a call changes from 1,000 to 1,000,000 entries of one agent."""
    return _flatness(directory, "one agent", ["agent"], MANY_ENTRIES)


def many_agents(directory: Path) -> list[Figure]:
    """Measure how the cost of a call changes from 1,000 to 1,000,000 entries of 1,000 agents."""
    return _flatness(directory, "1,000 agents", ["agent", *workload.agent_ids(MANY_ENTRIES // 1_000 - 1)], 1_000)


def _flatness(directory: Path, where: str, agent_ids: list[str], entries_each: int) -> list[Figure]:
    require_h2load()
    for name in ("few", "many"):
        (directory / name).mkdir()
    with DaemonProcess(directory / "few", *_ROOMY) as few, DaemonProcess(directory / "many", *_ROOMY) as many:
        fill(few.address, ["agent"], workload.keys(FEW_ENTRIES), '"value"', 1_000)
        fill(many.address, agent_ids, workload.keys(entries_each), '"value"', 1_000)
        few.settle()
        many.settle()
        figures = []
        for method, measured, request in (
            ("GetEntry", measure, workload.get_request("agent")),
            ("SetEntry", measure_writes, workload.set_request("agent", request_id=request_id())),
        ):
            pairs = [
                [measured(each, f"{workload.SERVICE}/{method}", [request], _SHAPE, directory) for each in (few, many)]
                for _ in range(PAIRS)
            ]
            # Processor time, not wall time, which depends on the machine's other work.
            change = 100 * (statistics.median(large.cpu_us / small.cpu_us for small, large in pairs) - 1)
            detail = f"{change:+.1f} %; {statistics.median(large.cpu_us for _, large in pairs):.0f} µs of processor"
            name = f"{method} with 1,000,000 entries of {where} against 1,000, change of cost"
            figures.append(Figure("P-4", name, abs(change), "%", below=10, detail=detail))
    return figures
