"""Gauges of daemons that share a store: each reports the whole store."""

from collections.abc import Callable

import pytest
from tests.daemon import Daemon
from tests.integration.metrics import scraped
from tests.integration.shared.pair import flags_of, new_prefix
from tests.integration.wire import Wire
from tests.port import free_port
from tests.valkey.server import ValkeyServer


@pytest.mark.whole
def test_each_daemon_counts_what_all_have_written_also_right_after_a_restart(
    valkey: ValkeyServer, launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    prefix, ports = new_prefix(), [free_port(), free_port()]
    flags = [flags_of(valkey.url, prefix, "--metrics-listen", f"127.0.0.1:{port}") for port in ports]
    daemons = [launch_process(*each) for each in flags]
    first, second = map(connect, daemons)
    first.agent("a").write({"a": 1, "b": 2})
    second.agent("a").write({"c": 3})
    second.agent("b").write({"a": 1})
    second.agent("b").scope()

    def gauges() -> list[tuple[float, float]]:
        found = map(scraped, ports)
        return [(each["agents_memory_working_entries"], each["agents_memory_working_scopes"]) for each in found]

    assert gauges() == [(4, 1)] * 2
    first.agent("a").remove("c")
    assert gauges() == [(3, 1)] * 2
    daemons[0].kill()
    daemons[0].start()
    assert gauges() == [(3, 1)] * 2
