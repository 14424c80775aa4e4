"""The daemon's metrics, where they can be read."""

import re
import urllib.request
from typing import NamedTuple

from memoryd_server.ops.limit import METRICS_BYTES_MAX, METRICS_S_MAX

# By the beginning and the end of their names, since the exporter adds units: whichever of them the daemon has.
_CALLS = re.compile(r"rpc_server_(?:call_)?duration\w*_count")
_LAG = re.compile(r"agents_memory_watch_lag_commits")
_MEMORY = re.compile(r"process_(?:resident_memory|memory_usage)_bytes")


class Scrape(NamedTuple):
    """Values of the daemon's metrics. None stands for one that the daemon does not have."""

    call_count: float | None
    watch_lag_commits: float | None
    memory_bytes: float | None


NOTHING = Scrape(None, None, None)


def scrape(address: str) -> Scrape:
    """Return the values at http://ADDRESS/metrics. Raises OSError if they cannot be read."""
    # The address is one of this command line, and never a file.
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=METRICS_S_MAX) as response:
        return parse(response.read(METRICS_BYTES_MAX).decode())


def parse(text: str) -> Scrape:
    """Return the values in a text in the format of Prometheus."""
    # Imported late: only a daemon with metrics needs it.
    from prometheus_client.parser import text_string_to_metric_families

    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def values(name: re.Pattern[str]) -> list[float]:
        return [sample.value for sample in samples if name.fullmatch(sample.name)]

    calls, lags, memory = map(values, (_CALLS, _LAG, _MEMORY))
    return Scrape(sum(calls) if calls else None, max(lags, default=None), sum(memory) if memory else None)
