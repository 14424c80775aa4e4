"""The command of a language's program that scripts/bench uses."""

from collections.abc import Callable

from tests.clients.language import Language
from tests.clients.program import Program
from tests.daemon import Daemon
from tests.integration.wire import Wire

CALLS = 20
WARM_UP_CALLS = 100


def test_it_returns_the_duration_of_each_call(
    language: Language, start: Callable[..., Program], shared_daemon: Daemon, wire: Wire
) -> None:
    agent = wire.agent()
    took = start(language, shared_daemon.address).ask("measure", agent=agent.id, calls=CALLS)
    for durations in (took["set_s"], took["get_s"]):
        assert len(durations) == CALLS
        assert all(seconds > 0 for seconds in durations)
    (entry,) = agent.list().entries
    assert len(entry.value_json) == 200
    assert agent.revision == entry.access_count == CALLS + WARM_UP_CALLS
