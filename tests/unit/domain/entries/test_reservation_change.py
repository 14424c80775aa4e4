import pytest
from tests.unit.domain.sample import NOW, Agent

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.reservation_change import (
    EntryReserved,
    ReleaseReservation,
    RenewReservation,
    ReserveEntry,
)
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import QuotaExceeded, ReservationLost
from memoryd_server.domain.limit import SECOND_NS, Limits


def reserve(agent: Agent, token: str, scope_id: str = ROOT, *, local_only: bool = False) -> EntryReserved:
    result = agent.do(ReserveEntry(scope_id, "k", token, SECOND_NS, local_only))
    assert isinstance(result, EntryReserved)
    return result


def test_the_first_caller_reserves_and_the_second_hears_who_holds() -> None:
    agent = Agent()
    first = reserve(agent, "t1")
    second = reserve(agent, "t2")
    assert (first.held_by_caller, first.held_by_other, first.revision) == (True, False, 1)
    assert (second.held_by_caller, second.held_by_other, second.revision) == (False, True, 1)
    assert first.reservation == second.reservation
    assert agent.events == []


def test_an_entry_is_found_instead_also_in_an_ancestor_unless_looked_for_locally() -> None:
    agent = Agent()
    agent.set("k")
    scope_id = agent.create_scope()
    found = reserve(agent, "t", scope_id)
    assert (found.entry, found.reservation, found.held_by_other) == (
        agent.state.part(WORKING_MEMORY).entries[ROOT]["k"],
        None,
        False,
    )
    assert reserve(agent, "t", scope_id, local_only=True).held_by_caller


def test_a_lease_is_over_at_its_end_and_then_another_takes_over() -> None:
    agent = Agent()
    reserve(agent, "t1")
    agent.now += SECOND_NS - 1
    assert reserve(agent, "t2").held_by_other
    agent.now += 1
    taken = reserve(agent, "t2")
    assert taken.held_by_caller
    with pytest.raises(ReservationLost):
        agent.set("k", token="t1")
    agent.set("k", token="t2")


def test_renewing_counts_from_now_and_needs_the_token() -> None:
    agent = Agent()
    reserve(agent, "t")
    agent.now += SECOND_NS // 2
    renewed = agent.do(RenewReservation(ROOT, "k", "t", 3 * SECOND_NS))
    assert renewed.reservation.expire_time == agent.now + 3 * SECOND_NS
    with pytest.raises(ReservationLost):
        agent.do(RenewReservation(ROOT, "k", "another", SECOND_NS))
    agent.now += 3 * SECOND_NS
    with pytest.raises(ReservationLost):
        agent.do(RenewReservation(ROOT, "k", "t", SECOND_NS))


def test_a_released_key_may_be_reserved_at_once_and_only_the_holder_releases() -> None:
    agent = Agent()
    with pytest.raises(ReservationLost):
        agent.do(ReleaseReservation(ROOT, "k", "t"))
    reserve(agent, "t")
    with pytest.raises(ReservationLost):
        agent.do(ReleaseReservation(ROOT, "k", "another"))
    assert agent.do(ReleaseReservation(ROOT, "k", "t")).revision == 2
    assert reserve(agent, "t2").held_by_caller


def test_there_are_no_more_reservations_than_there_may_be_entries() -> None:
    agent = Agent(Limits(entries_per_agent=2))
    for number in range(2):
        agent.do(ReserveEntry(ROOT, f"r{number}", "t", SECOND_NS))
    with pytest.raises(QuotaExceeded) as refused:
        reserve(agent, "t")
    assert refused.value.metadata == {"limit": "entries_per_agent", "value": "2"}
    assert agent.now == NOW


def test_a_key_is_reserved_only_while_there_is_room_for_its_entry() -> None:
    agent = Agent(Limits(entries_per_agent=2))
    agent.set("a", ttl_ns=SECOND_NS)
    reserve(agent, "t")
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(ReserveEntry(ROOT, "l", "u", SECOND_NS))
    assert refused.value.metadata == {"limit": "entries_per_agent", "value": "2"}
    agent.set("k", token="t")
    with pytest.raises(QuotaExceeded):
        agent.do(ReserveEntry(ROOT, "l", "u", SECOND_NS))
    agent.now += SECOND_NS
    assert agent.do(ReserveEntry(ROOT, "l", "u", SECOND_NS)).held_by_caller
