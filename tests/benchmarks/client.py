"""The latency of a call by each language's wrapper: one call at a time, with the daemon on the same machine."""

from pathlib import Path

from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess
from tests.clients.language import LANGUAGES
from tests.clients.program import Program

CALLS = 3_000
RUNS = 3


def one_at_a_time(directory: Path) -> list[Figure]:
    """Measure all clients in turn, RUNS times, so that a slow moment of the machine affects them alike."""
    built = {name: language for name, language in LANGUAGES.items() if language.is_built()}
    if missing := LANGUAGES.keys() - built.keys():
        raise RuntimeError(f"not built: {', '.join(sorted(missing))}; build them with: scripts/test --clients")
    gets_ms: dict[str, list[list[float]]] = {name: [] for name in built}
    sets_ms: dict[str, list[list[float]]] = {name: [] for name in built}
    with DaemonProcess(directory) as daemon:
        for _ in range(RUNS):
            for name, language in built.items():
                with Program(language, daemon.address) as program:
                    took = program.ask("measure", agent=name, calls=CALLS)
                gets_ms[name].append([seconds * 1000 for seconds in took["get_s"]])
                sets_ms[name].append([seconds * 1000 for seconds in took["set_s"]])
    return [
        *(_figure("GetEntry", LANGUAGES[name].title, runs) for name, runs in gets_ms.items()),
        *(_figure("SetEntry synced", LANGUAGES[name].title, runs) for name, runs in sets_ms.items()),
    ]


def _figure(method: str, title: str, runs: list[list[float]]) -> Figure:
    """Return the figure of the run that has the median of the runs' medians."""
    middle = sorted(runs, key=lambda run: percentile(run, 50))[len(runs) // 2]
    p50, p95, p99 = (percentile(middle, each) for each in (50, 95, 99))
    rate = len(middle) / (sum(middle) / 1000)
    detail = f"p95 {p95:.2f}, p99 {p99:.2f} ms; {rate:,.0f} calls/s; the middle of {len(runs)} runs of {len(middle):,}"
    return Figure("DC-04", f"{method} from {title}, p50", p50, "ms", detail=detail)
