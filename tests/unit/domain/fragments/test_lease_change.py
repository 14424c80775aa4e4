import pytest
from tests.unit.domain.sample import Agent

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.error import LeaseLost
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    DeleteFragment,
    FlushFragments,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    FragmentsLeased,
    FragmentsSettled,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS


def flushed_agent(*contents: str) -> Agent:
    agent = Agent()
    for content in contents:
        agent.store(content)
    agent.do(FlushFragments())
    agent.take_events()
    return agent


def leased(agent: Agent, count_max: int = 100, lease_ns: int = 30 * SECOND_NS) -> Lease:
    lease = agent.lease(count_max, lease_ns)
    assert lease is not None
    return lease


def held(agent: Agent, lease: Lease) -> list[str]:
    return [fragment.content for fragment in agent.state.part(FRAGMENTS).held(lease)]


def test_what_is_not_flushed_is_not_handed_out() -> None:
    agent = Agent()
    agent.store()
    before = agent.state
    assert agent.lease() is None
    assert agent.state is before


def test_flushed_fragments_are_handed_out_once_oldest_first() -> None:
    agent = flushed_agent("1", "2", "3")
    assert held(agent, leased(agent, 2)) == ["1", "2"]
    assert held(agent, leased(agent, 2)) == ["3"]
    assert agent.lease() is None
    assert agent.state.part(FRAGMENTS).leased_count(agent.now) == 3
    assert not agent.events
    assert {each.delivery_count for each in agent.state.part(FRAGMENTS).fragments.values()} == {1}


def test_a_lease_takes_no_more_than_a_message_carries() -> None:
    half = "x" * (PAGE_BYTES_MAX // 2)
    agent = flushed_agent(half, half, half)
    assert len(leased(agent).sequences) == 2


def test_a_lease_that_runs_out_gives_its_fragments_to_the_next_without_a_commit() -> None:
    agent = flushed_agent("1", "2")
    first = leased(agent, 1, SECOND_NS)
    assert not Agent().state.part(FRAGMENTS).has_available(agent.now)
    leased(agent)
    assert not agent.state.part(FRAGMENTS).has_available(agent.now)
    agent.now += SECOND_NS
    assert agent.state.part(FRAGMENTS).has_available(agent.now)
    assert agent.state.part(FRAGMENTS).leased_count(agent.now) == 1
    for gone in (
        RenewLease(first.token, SECOND_NS),
        AcknowledgeFragments(first.token),
        ReleaseFragments(first.token),
    ):
        with pytest.raises(LeaseLost):
            agent.do(gone)
    again = leased(agent)
    assert held(agent, again) == ["1"]
    assert agent.state.part(FRAGMENTS).fragments[0].delivery_count == 2


def test_the_sweep_ends_leases_without_an_event() -> None:
    agent = flushed_agent("1")
    leased(agent, lease_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.do(ExpireRecords())
    assert not agent.events
    assert not agent.state.part(FRAGMENTS).leases
    assert len(agent.state.part(FRAGMENTS).ready) == 1


def test_a_renewed_lease_holds_longer() -> None:
    agent = flushed_agent("1")
    lease = leased(agent, lease_ns=SECOND_NS)
    agent.now += SECOND_NS - 1
    renewed = agent.do(RenewLease(lease.token, SECOND_NS))
    assert renewed == FragmentsLeased(Lease(lease.token, agent.now + SECOND_NS, lease.sequences), agent.state.revision)
    agent.now += SECOND_NS - 1
    assert agent.lease() is None
    assert agent.state.part(FRAGMENTS).fragments[0].delivery_count == 1


def test_acknowledged_fragments_are_gone_with_their_events() -> None:
    agent = flushed_agent("1", "2", "3")
    lease = leased(agent)
    chosen = frozenset({"mem_00000002", "mem_ffffffff"})
    settled = agent.do(AcknowledgeFragments(lease.token, chosen))
    assert settled == FragmentsSettled(1, agent.state.revision)
    assert [event.subject.fragment_id for event in agent.events] == ["mem_00000002"]
    assert agent.take_events() == [("FRAGMENT_DELETED", "ACKNOWLEDGED", "", "")]
    assert held(agent, agent.state.part(FRAGMENTS).leases[lease.token]) == ["1", "3"]
    assert agent.do(AcknowledgeFragments(lease.token)).count == 2
    assert (len(agent.state.part(FRAGMENTS)), len(agent.state.part(FRAGMENTS).leases)) == (0, 0)
    with pytest.raises(LeaseLost):
        agent.do(AcknowledgeFragments(lease.token))


def test_released_fragments_go_back_at_once() -> None:
    agent = flushed_agent("1", "2")
    lease = leased(agent)
    assert agent.do(ReleaseFragments(lease.token, frozenset({"mem_00000001"}))).count == 1
    assert held(agent, leased(agent)) == ["1"]
    revision = agent.state.revision
    assert agent.do(ReleaseFragments(lease.token, frozenset({"unknown"}))) == FragmentsSettled(0, revision)
    assert agent.do(ReleaseFragments(lease.token)).count == 1
    assert held(agent, leased(agent)) == ["2"]
    assert not agent.events


@pytest.mark.parametrize(
    "requested",
    [RenewLease("x", 1), AcknowledgeFragments("x"), ReleaseFragments("x")],
)
def test_a_lease_that_never_was_is_lost(requested: Command) -> None:
    with pytest.raises(LeaseLost) as lost:
        Agent().do(requested)
    assert lost.value.metadata == {}


def test_a_flushed_fragment_outlives_its_time_to_live_until_it_is_acknowledged() -> None:
    agent = Agent()
    agent.store("short", ttl_ns=SECOND_NS)
    agent.store("over", ttl_ns=1)
    agent.now += 1
    assert agent.do(FlushFragments()) == FragmentsFlushed(1, 3, expired=1)
    lease = leased(agent, lease_ns=2 * SECOND_NS)
    agent.now += SECOND_NS
    agent.do(ExpireRecords())
    assert held(agent, lease) == ["short"]
    assert agent.contents() == ["short"]
    agent.now += SECOND_NS
    agent.do(ExpireRecords())
    assert agent.state.next_deadline is None
    again = leased(agent)
    assert held(agent, again) == ["short"]
    agent.do(ReleaseFragments(again.token))
    agent.now += 3_600 * SECOND_NS
    assert agent.do(ExpireRecords()).counts == {}
    assert agent.do(AcknowledgeFragments(leased(agent).token)).count == 1
    assert agent.state.part(FRAGMENTS) == FragmentBuffer(next_sequence=2)


def test_a_lease_ends_with_its_last_fragment() -> None:
    agent = flushed_agent("1")
    leased(agent)
    agent.do(DeleteFragment("mem_00000001"))
    assert not agent.state.part(FRAGMENTS).leases


def test_clearing_ends_the_leases() -> None:
    agent = flushed_agent("1")
    lease = leased(agent)
    agent.do(ClearFragments())
    with pytest.raises(LeaseLost):
        agent.do(AcknowledgeFragments(lease.token))
