"""A clock that jumps: what has a time to live ends by it, comes back by no jump, and ids never repeat."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.faults.machine import Faults
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused
from tests.wait import until

from memoryd.v1 import fragment_service_pb2 as fragment_pb

HOUR_S = 3_600
LEASE_S = 600


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    return Faults(tmp_path)


@pytest.fixture
def agent(faults: Faults, tmp_path: Path) -> Iterator[Memory]:
    daemon = Daemon(tmp_path, environment=faults.environment)
    daemon.start()
    try:
        with daemon.channel() as channel:
            yield Wire(channel).agent("clock")
    finally:
        daemon.close()


def fragment(agent: Memory, text: str) -> str:
    request = fragment_pb.CreateFragmentRequest(agent_id=agent.id, draft={"content": text})
    return str(agent.wire.fragments.CreateFragment(request).fragment.fragment_id)


def leased(agent: Memory) -> fragment_pb.LeaseFragmentsResponse:
    request = fragment_pb.LeaseFragmentsRequest(agent_id=agent.id, limit=10, wait_duration={})
    request.lease_duration.FromSeconds(LEASE_S)
    return agent.wire.fragments.LeaseFragments(request)


@pytest.mark.whole
def test_what_expired_while_the_clock_was_ahead_stays_expired(agent: Memory, faults: Faults) -> None:
    agent.set("lasting")
    agent.set("brief", ttl={"seconds": HOUR_S})
    with Watcher(agent.wire, agent.id).opened() as watcher:
        faults.set_clock(2 * HOUR_S)
        assert not agent.contains("brief").found
        # The event of the sweep, once; the clock goes back only then.
        watcher.until_events(1)
        faults.set_clock(-2 * HOUR_S)
        assert agent.values() == {"lasting": 1}
        agent.set("after")
        watcher.until_events(2)
        assert [event.entry.key for event in watcher.events] == ["brief", "after"]
    assert agent.values() == {"lasting": 1, "after": 1}


def test_what_was_set_while_the_clock_was_ahead_ends_when_the_clock_is_there_again(
    agent: Memory, faults: Faults
) -> None:
    faults.set_clock(10 * HOUR_S)
    agent.set("brief", ttl={"seconds": HOUR_S})
    faults.set_clock(0)
    assert agent.values() == {"brief": 1}
    faults.set_clock(12 * HOUR_S)
    until(lambda: not agent.values(), "it has expired")


@pytest.mark.whole
def test_leases_end_by_the_clock_and_their_holders_lose_them(agent: Memory, faults: Faults) -> None:
    reserve = {"lease_duration": {"seconds": LEASE_S}}
    token = agent.reserve("key", **reserve).reservation_token
    fragment_id = fragment(agent, "a thought")
    agent.wire.fragments.FlushFragments(fragment_pb.FlushFragmentsRequest(agent_id=agent.id))
    first = leased(agent)
    assert [each.fragment_id for each in first.fragments] == [fragment_id]
    faults.set_clock(2 * HOUR_S)
    again = leased(agent)
    assert [each.fragment_id for each in again.fragments] == [fragment_id]
    assert agent.reserve("key", **reserve).reservation_token not in ("", token)
    for later_s in (2 * HOUR_S, 0, -HOUR_S):
        faults.set_clock(later_s)
        settle = fragment_pb.AcknowledgeFragmentsRequest(agent_id=agent.id, lease_token=first.lease_token)
        assert refused(lambda settle=settle: agent.wire.fragments.AcknowledgeFragments(settle)).reason == "LEASE_LOST"  # type: ignore[misc]
        assert refused(lambda: agent.set("key", reservation_token=token)).reason == "RESERVATION_LOST"
    # Back in time, the second lease lasts for longer, and its holder still has it.
    request = fragment_pb.AcknowledgeFragmentsRequest(agent_id=agent.id, lease_token=again.lease_token)
    assert agent.wire.fragments.AcknowledgeFragments(request).revision == agent.revision


@pytest.mark.whole
def test_ids_and_revisions_never_repeat(agent: Memory, faults: Faults) -> None:
    ids, revisions = list[str](), list[int]()
    for later_s in (0, HOUR_S, 0, -HOUR_S, 400 * 24 * HOUR_S, 0):
        faults.set_clock(later_s)
        ids += [fragment(agent, f"thought {number}") for number in range(3)]
        revisions.append(agent.set("key").revision)
    assert len(set(ids)) == len(ids)
    assert revisions == sorted(set(revisions))
