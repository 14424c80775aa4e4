"""The daemon is killed and restarted: no event is missed or repeated, and no change is lost or applied twice."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from tests.clients.conformance import journal
from tests.clients.language import Language
from tests.clients.program import Program
from tests.daemon import Daemon, insecure_channel
from tests.integration.wire import Wire
from tests.wait import WAIT_S_MAX, until

Start = Callable[..., Program]

KILLS = 3
UPDATES = 1_200


def reached(writer: Program, daemon: Daemon, agent_id: str, least: int) -> None:
    """Wait until the writer's counter is at least ``least``."""

    def is_there() -> bool:
        value = agent.value("count")
        assert not writer.has_answered(), f"at {value} the writer ended with {writer.end()}"
        return isinstance(value, int) and value >= least

    with insecure_channel(daemon.address) as channel:
        agent = Wire(channel).agent(agent_id)
        until(is_there, f"the counter is at {least}")


@pytest.mark.faults
def test_retries_change_nothing_twice_and_a_watch_misses_nothing_while_the_daemon_is_killed(
    language: Language, start: Start, launch: Callable[..., Daemon]
) -> None:
    """Each change is a compare-and-set, so that one that is applied twice makes the counter too great."""
    daemon = launch("--durability", "journaled")
    agent_id = f"agent-{uuid4().hex[:12]}"
    writer, watcher = start(language, daemon.address), start(language, daemon.address)
    watcher.ask("watch", name="events", agent=agent_id)
    writer.begin("update", agent=agent_id, key="count", count=UPDATES)
    for kill in range(1, KILLS + 1):
        reached(writer, daemon, agent_id, kill * UPDATES // (KILLS + 2))
        daemon.kill()
        daemon.start()
    assert writer.end()["last"] == UPDATES
    watched = watcher.ask("watched", name="events", count=UPDATES, timeout_s=WAIT_S_MAX)
    with insecure_channel(daemon.address) as channel:
        wire = Wire(channel)
        assert wire.agent(agent_id).value("count") == UPDATES
        assert watched["events"] == journal.events(wire, agent_id)
    assert [event["revision"] for event in watched["events"]] == list(range(1, UPDATES + 1))
    # The watch may not have reconnected before the daemon was killed again.
    assert 1 <= watched["resumes"] <= KILLS


def test_a_watch_resumes_in_another_process(
    language: Language, start: Start, wire: Wire, shared_daemon: Daemon
) -> None:
    agent = wire.agent()
    first = start(language, shared_daemon.address)
    first.ask("watch", name="events", agent=agent.id)
    agent.set("seen")
    token = first.ask("watched", name="events", count=1, timeout_s=WAIT_S_MAX)["resume_token"]
    first.kill()
    agent.set("meanwhile")
    second = start(language, shared_daemon.address)
    second.ask("watch", name="events", agent=agent.id, resume_token=token)
    watched = second.ask("watched", name="events", count=1, timeout_s=WAIT_S_MAX)["events"]
    assert [event["key"] for event in watched] == ["meanwhile"]


def test_an_initial_state_comes_before_new_events(
    language: Language, start: Start, wire: Wire, shared_daemon: Daemon
) -> None:
    agent = wire.agent()
    agent.write({"a": 1, "b": 2, "other": 3})
    program = start(language, shared_daemon.address)
    program.ask("watch", name="events", agent=agent.id, initial_state=True, key_prefix="")
    agent.set("c")
    watched = program.ask("watched", name="events", count=4, timeout_s=WAIT_S_MAX)["events"]
    assert sorted(event["key"] for event in watched[:3]) == ["a", "b", "other"]
    assert watched[3]["key"] == "c"


def test_a_watch_that_is_closed_leaves_its_program_able_to_end(
    language: Language, start: Start, shared_daemon: Daemon, wire: Wire
) -> None:
    program = start(language, shared_daemon.address)
    program.ask("watch", name="one", agent=wire.agent().id)
    program.ask("watch", name="other", agent=wire.agent().id)
    program.ask("unwatch", name="one")
    assert program.close() == 0
