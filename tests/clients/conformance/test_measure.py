"""What scripts/bench asks of a language's program."""

from collections.abc import Callable

from tests.clients.language import Language
from tests.clients.program import Program
from tests.daemon import Daemon
from tests.integration.wire import Wire

CALLS = 20
WARM_UP_CALLS = 100


def test_it_tells_how_long_each_call_took(
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
