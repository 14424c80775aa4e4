from collections.abc import Callable

import pytest
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, draft, scope_record

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.commit import CommitWrites
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    GetOrSetEntry,
    RemoveEntry,
    RemoveOperation,
    SetEntry,
    WriteEntries,
)
from memoryd_server.domain.entries.reservation_change import RenewReservation, ReserveEntry
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope, RenewScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import RecordExists, ScopeDisposed
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, Limits

IDLE_NS = 100 * SECOND_NS
DEADLINE = NOW + 125 * SECOND_NS
"""The deadline of a scope that was used last at NOW: a part of the idle time later than that."""

USES: dict[str, Callable[[str], Command]] = {
    "set": lambda scope_id: SetEntry(scope_id, draft("k"), "e"),
    "get or set": lambda scope_id: GetOrSetEntry(scope_id, draft("k"), "e"),
    "get or set what is there": lambda scope_id: GetOrSetEntry(scope_id, draft("there"), "e"),
    "reserve": lambda scope_id: ReserveEntry(scope_id, "new", "u", SECOND_NS),
    "reserve what is there": lambda scope_id: ReserveEntry(scope_id, "there", "u", SECOND_NS),
    "reserve what another holds": lambda scope_id: ReserveEntry(scope_id, "held", "u", SECOND_NS),
    "renew a reservation": lambda scope_id: RenewReservation(scope_id, "held", "t", SECOND_NS),
    "remove": lambda scope_id: RemoveEntry(scope_id, "there"),
    "remove nothing": lambda scope_id: RemoveEntry(scope_id, "absent"),
    "clear": ClearEntries,
    "write": lambda scope_id: WriteEntries(scope_id, (RemoveOperation("absent"),), "e"),
    "create below": lambda scope_id: CreateScope("s", scope_id, "new"),
    "merge": lambda scope_id: MergeScope(scope_id, True, False, "e"),
    "merge what is below": lambda scope_id: MergeScope("below", True, True, "e"),
    "read": RenewScope,
    "commit": lambda scope_id: CommitWrites((RemoveEntry(ROOT, "absent"), RemoveEntry(scope_id, "absent"))),
}


def scope(agent: Agent, scope_id: str) -> Scope:
    return agent.state.part(WORKING_MEMORY).scope(scope_id)


def test_an_unused_scope_ends_with_all_below_it_and_its_event_says_why() -> None:
    agent = Agent()
    outer = agent.create_scope(idle_ttl_ns=IDLE_NS)
    inner = agent.create_scope(outer, idle_ttl_ns=IDLE_NS)
    innermost = agent.create_scope(inner)
    agent.set("k", scope_id=innermost)
    stays = agent.create_scope()
    assert (scope(agent, outer).idle_ttl_ns, scope(agent, outer).expire_time) == (IDLE_NS, DEADLINE)
    assert agent.state.next_deadline == DEADLINE
    agent.take_events()
    agent.now = DEADLINE - 1
    assert agent.do(ExpireRecords()).counts == {}
    agent.now = DEADLINE
    assert agent.do(ExpireRecords()).counts == {"scopes": 3}
    assert agent.take_events() == [
        ("SCOPE_DISPOSED", "PARENT_DISPOSED", innermost, ""),
        ("SCOPE_DISPOSED", "PARENT_DISPOSED", inner, ""),
        ("SCOPE_DISPOSED", "EXPIRY", outer, ""),
    ]
    with pytest.raises(ScopeDisposed):
        agent.set("k", scope_id=inner)
    assert agent.state.part(WORKING_MEMORY).disposed_scopes[outer].expire_time is None
    assert list(agent.state.part(WORKING_MEMORY).scopes) == [stays]
    assert agent.state.next_deadline is None


@pytest.mark.parametrize("use", USES)
def test_a_use_of_a_scope_puts_off_its_end_and_that_of_those_above(use: str) -> None:
    agent = Agent()
    outer = agent.create_scope(idle_ttl_ns=IDLE_NS)
    inner = agent.create_scope(outer, idle_ttl_ns=IDLE_NS)
    agent.do(CreateScope("below", inner, "below"))
    agent.set("there", scope_id=inner)
    agent.do(ReserveEntry(inner, "held", "t", 2 * IDLE_NS))
    agent.now += IDLE_NS
    agent.do(USES[use](inner))
    assert scope(agent, outer).expire_time == scope(agent, inner).expire_time == agent.now + 125 * SECOND_NS
    agent.now = DEADLINE
    agent.do(ExpireRecords())
    assert {outer, inner} <= set(agent.state.part(WORKING_MEMORY).scopes)


@pytest.mark.parametrize("use", ["get or set what is there", "reserve what another holds", "remove nothing", "read"])
def test_a_use_without_a_change_keeps_the_revision_and_emits_nothing(use: str) -> None:
    agent = Agent()
    scope_id = agent.create_scope(idle_ttl_ns=IDLE_NS)
    agent.set("there", scope_id=scope_id)
    agent.do(ReserveEntry(scope_id, "held", "t", 2 * IDLE_NS))
    agent.take_events()
    agent.now += IDLE_NS
    revision = agent.state.revision
    assert agent.do(USES[use](scope_id)).revision == revision
    assert (agent.state.revision, agent.events) == (revision, [])
    assert set(agent.decision.changes) == {scope_record(scope_id)}


def test_a_scope_in_use_is_written_once_per_quarter_of_its_idle_time() -> None:
    agent = Agent()
    scope_id = agent.create_scope(idle_ttl_ns=IDLE_NS)
    agent.now += 25 * SECOND_NS
    agent.do(RenewScope(scope_id))
    assert not agent.decision.changes
    agent.now += 1
    agent.do(RenewScope(scope_id))
    assert set(agent.decision.changes) == {scope_record(scope_id)}
    agent.do(DisposeScope(scope_id))
    agent.do(RenewScope(scope_id))
    assert not agent.decision.changes


def test_scopes_that_expired_make_room_for_a_new_one_but_not_its_parents() -> None:
    agent = Agent(Limits(scopes_per_agent=2))
    parent = agent.create_scope(idle_ttl_ns=IDLE_NS)
    over = agent.create_scope(idle_ttl_ns=IDLE_NS)
    agent.now = DEADLINE
    with pytest.raises(RecordExists):
        agent.do(CreateScope("scope", ROOT, "x", MUST_NOT_EXIST))
    new = agent.create_scope(parent)
    assert set(agent.state.part(WORKING_MEMORY).scopes) == {parent, new}
    assert over in agent.state.part(WORKING_MEMORY).disposed_scopes


def test_a_restore_counts_as_a_use_of_every_scope() -> None:
    agent = Agent()
    kept, lost = agent.create_scope(idle_ttl_ns=IDLE_NS), agent.create_scope(idle_ttl_ns=IDLE_NS)
    image = agent.image()
    agent.do(DisposeScope(lost))
    agent.now += 1_000 * IDLE_NS
    agent.do(RestoreAgent(image, "s"))
    assert {scope(agent, each).expire_time for each in (kept, lost)} == {agent.now + 125 * SECOND_NS}
