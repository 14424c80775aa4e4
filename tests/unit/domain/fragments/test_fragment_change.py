import hashlib
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import NOW, Agent, at, fragment_draft
from tests.unit.record_filters import of_events, of_fragments

from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment import fingerprint_of, fragment_id_of
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    CreateFragment,
    DeleteFragment,
    FlushFragments,
    FragmentCreated,
    FragmentDeleted,
    FragmentsCleared,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import AcknowledgeFragments
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords, RestoreAgent
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX, SECOND_NS, Limits
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter


def of_subject(subject: Any) -> tuple[str, int]:
    """Return the fragment and the count of a subject, empty and 0 where it has none."""
    return getattr(subject, "fragment_id", ""), getattr(subject, "count", 0)


def take_events(agent: Agent) -> list[tuple[str, str, str, int]]:
    """Return the type, cause, fragment and count of the collected events, and empty the collection."""
    taken, agent.events = agent.events, []
    return [(event.type.name, event.cause.name, *of_subject(event.subject)) for event in taken]


def test_a_fragment_is_stored_with_its_event() -> None:
    agent = Agent()
    fragment = agent.store("The cat", confidence=0.5)
    assert (fragment.fragment_id, fragment.content, fragment.type) == ("mem_00000001", "The cat", "Fact")
    assert (fragment.revision, fragment.create_time, fragment.flushed) == (1, NOW, False)
    assert agent.events[0].subject.fragment == fragment
    assert take_events(agent) == [("FRAGMENT_CREATED", "REQUEST", "mem_00000001", 0)]
    assert agent.state.part(FRAGMENTS).find("mem_00000001", agent.now) == fragment
    assert agent.state.part(FRAGMENTS).find("mem_00000002", agent.now) is None


def test_an_id_that_is_taken_gives_way_to_the_next() -> None:
    agent = Agent()
    drafted = fragment_draft("x", NOW + 1)
    ids = [agent.do(CreateFragment(drafted, number)).fragment_id for number in (2**32 - 1, 2**32 - 1, 0)]
    assert ids == ["mem_ffffffff", "mem_00000000", "mem_00000001"]
    assert fragment_id_of(255) == "mem_000000ff"


def test_the_fingerprint_is_the_start_of_the_digest_of_the_agent_id() -> None:
    assert fingerprint_of("agent-ä") == hashlib.sha256("agent-ä".encode()).hexdigest()[:16]


def test_a_fragment_is_over_at_its_deadline_and_not_before() -> None:
    agent = Agent()
    fragment = agent.store("The cat", ttl_ns=SECOND_NS)
    buffer, end = agent.state.part(FRAGMENTS), agent.now + SECOND_NS
    assert buffer.find(fragment.fragment_id, end - 1) == fragment
    assert buffer.find(fragment.fragment_id, end) is None
    assert list(buffer.search("cat", EVERY_RECORD, end - 1)) == [fragment]
    assert list(buffer.search("cat", EVERY_RECORD, end)) == []
    assert list(buffer.newest_first(end)) == []
    assert (buffer.live_count(end - 1), buffer.live_count(end)) == (1, 0)
    agent.now = end
    assert agent.do(DeleteFragment(fragment.fragment_id)) == FragmentDeleted(False, 1)


def test_the_sweep_removes_what_is_over_a_bounded_number_at_a_time() -> None:
    agent = Agent(Limits(fragments_per_agent=2_000))
    agent.fill(EXPIRED_FRAGMENTS_PER_SWEEP_MAX + 1, ttl_ns=SECOND_NS)
    stays = agent.store("other words")
    assert agent.state.next_deadline == agent.now + SECOND_NS
    agent.now += SECOND_NS
    take_events(agent)
    assert agent.do(ExpireRecords()).counts["fragments"] == EXPIRED_FRAGMENTS_PER_SWEEP_MAX
    assert {each[:2] for each in take_events(agent)} == {("FRAGMENT_DELETED", "EXPIRY")}
    assert agent.do(ExpireRecords()).counts["fragments"] == 1
    assert agent.state.next_deadline == stays.expire_time
    assert agent.state.part(FRAGMENTS) == FragmentBuffer.of([stays], [])
    assert agent.state.size_bytes == stays.size_bytes


def test_a_deleted_fragment_leaves_all_but_its_event() -> None:
    agent = Agent()
    fragment = agent.store("The cat")
    take_events(agent)
    assert agent.do(DeleteFragment(fragment.fragment_id)) == FragmentDeleted(True, 2)
    assert take_events(agent) == [("FRAGMENT_DELETED", "REQUEST", fragment.fragment_id, 0)]
    assert agent.do(DeleteFragment(fragment.fragment_id)) == FragmentDeleted(False, 2)
    assert list(agent.state.part(FRAGMENTS).search("cat", EVERY_RECORD, agent.now)) == []
    assert agent.state.size_bytes == 0


def test_a_search_finds_any_word_with_the_confidence_newest_first() -> None:
    agent = Agent()
    old, sure = agent.store("red apple"), agent.store("Green apple", confidence=0.9)
    unsure = agent.store("green pear", confidence=0.2)
    search = agent.state.part(FRAGMENTS).search
    assert list(search("APPLE pear", EVERY_RECORD, agent.now)) == [unsure, sure, old]
    assert list(search("apple pear", of_fragments(min_confidence=0.2), agent.now)) == [unsure, sure]
    assert list(search("apple pear", of_fragments(min_confidence=0.21), agent.now)) == [sure]
    assert list(search("apple pear", of_fragments(min_confidence=0.0), agent.now)) == [unsure, sure]
    assert list(search("!", EVERY_RECORD, agent.now)) == []


def test_a_filter_selects_fragments_by_user_type_and_stage_in_any_order() -> None:
    agent = Agent()
    for number, user_id, kind in ((9, "ann", "Fact"), (3, "", "Event"), (5, "ann", "Event")):
        drafted = msgspec.structs.replace(fragment_draft("x", NOW + 9), user_id=user_id, type=kind)
        agent.do(CreateFragment(drafted, number))
    agent.store("over", ttl_ns=1)
    agent.now += 1
    agent.do(FlushFragments())
    agent.do(CreateFragment(fragment_draft("x", NOW + 9), 1))

    def ids(order: ListOrder = ListOrder.CREATE_TIME, **fields: Any) -> list[int]:
        chosen = of_fragments(**fields)
        return [
            int(each.fragment_id[4:], 16) for each in agent.state.part(FRAGMENTS).selected(chosen, order, agent.now)
        ]

    assert ids() == ids(ListOrder.UPDATE_TIME) == [9, 3, 5, 1]
    assert ids(ListOrder.CREATE_TIME_DESCENDING) == ids(ListOrder.UPDATE_TIME_DESCENDING) == [1, 5, 3, 9]
    assert (ids(ListOrder.ID), ids(ListOrder.ID_DESCENDING)) == ([1, 3, 5, 9], [9, 5, 3, 1])
    assert (ids(user_id="ann"), ids(user_id="")) == ([9, 5], [3, 1])
    assert (ids(type="Event"), ids(type="Event", user_id="ann")) == ([3, 5], [5])
    assert (ids(flushed=True), ids(flushed=False)) == ([9, 3, 5], [1])


def test_events_pass_the_users_whose_fragments_they_may_be_about() -> None:
    agent = Agent()
    fragment_id = agent.do(
        CreateFragment(msgspec.structs.replace(fragment_draft("x", NOW + 9), user_id="ann"), 7)
    ).fragment_id
    agent.do(FlushFragments())
    agent.do(DeleteFragment(fragment_id))
    ann, bob = (of_events(RecordFilter(user_ids=frozenset({each}))) for each in ("ann", "bob"))
    assert [ann.keeps("a", event) for event in agent.events] == [True, True, True]
    assert [bob.keeps("a", event) for event in agent.events] == [False, True, True]
    assert not of_events(RecordFilter(conversation_ids=frozenset({"ann"}))).keeps("a", agent.events[0])


def test_the_created_fragment_is_made_of_its_draft_and_its_result() -> None:
    agent = Agent()
    drafted = fragment_draft("x", NOW + 9, confidence=0.5)
    for threshold in (0, 2):
        created = agent.do(CreateFragment(drafted, 7, threshold))
        late = msgspec.structs.replace(drafted, expire_time=NOW + 99)
        stored = agent.state.part(FRAGMENTS).find(created.fragment_id, agent.now)
        assert stored is not None
        assert created.fragment(late) == msgspec.structs.replace(stored, sequence=0)


@pytest.mark.parametrize(
    ("fragment_id", "precondition", "refusal"),
    [
        ("mem_00000001", at(7), RevisionMismatch),
        ("mem_00000001", Precondition(must_not_exist=True), RecordExists),
        ("mem_00000002", at(1), RevisionMismatch),
        ("mem_00000002", Precondition(must_exist=True), RecordNotFound),
    ],
)
def test_a_deletion_whose_condition_does_not_hold_changes_nothing(
    fragment_id: str, precondition: Precondition, refusal: type[Exception]
) -> None:
    agent = Agent()
    agent.store()
    with pytest.raises(refusal):
        agent.do(DeleteFragment(fragment_id, precondition))
    assert len(agent.state.part(FRAGMENTS)) == 1
    assert agent.do(DeleteFragment("mem_00000002", at(0))) == FragmentDeleted(False, 1)
    assert agent.do(DeleteFragment("mem_00000001", at(1))) == FragmentDeleted(True, 2)


def test_the_oldest_make_room_past_the_limit_in_the_same_commit() -> None:
    agent = Agent(Limits(fragments_per_agent=2))
    first = agent.store("1")
    agent.store("2")
    take_events(agent)
    stored = agent.do(CreateFragment(fragment_draft("3", agent.now + SECOND_NS), 99))
    assert stored == FragmentCreated("mem_00000063", agent.now, agent.now + SECOND_NS, 1, 0, 3)
    assert take_events(agent) == [
        ("FRAGMENT_CREATED", "REQUEST", "mem_00000063", 0),
        ("FRAGMENT_DELETED", "EVICTION", first.fragment_id, 0),
    ]
    assert agent.contents() == ["2", "3"]


def test_what_is_over_makes_room_before_what_is_old() -> None:
    agent = Agent(Limits(fragments_per_agent=2))
    agent.store("old")
    over = agent.store("over", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    take_events(agent)
    agent.store("new")
    assert take_events(agent)[0] == ("FRAGMENT_DELETED", "EXPIRY", over.fragment_id, 0)
    assert agent.contents() == ["old", "new"]


def test_more_that_are_over_than_a_sweep_takes_still_make_room_first() -> None:
    count = EXPIRED_FRAGMENTS_PER_SWEEP_MAX + 2
    agent = Agent(Limits(fragments_per_agent=2 * count))
    agent.store("old")
    agent.fill(count, ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.limits = Limits(fragments_per_agent=2)
    agent.store("new")
    assert agent.contents() == ["old", "new"]


def test_a_lowered_limit_evicts_all_that_are_too_many() -> None:
    agent = Agent()
    for content in "abcd":
        agent.store(content)
    agent.limits = Limits(fragments_per_agent=2)
    agent.store("e")
    assert agent.contents() == ["d", "e"]


def test_flushed_fragments_are_not_evicted_and_refuse_new_ones_when_only_they_are_left() -> None:
    agent = Agent(Limits(fragments_per_agent=3))
    agent.store("1")
    agent.store("2")
    agent.do(FlushFragments())
    lease = agent.lease(1)
    agent.store("3")
    agent.store("4")
    assert agent.contents() == ["1", "2", "4"]
    agent.limits = Limits(fragments_per_agent=2)
    before = agent.state
    with pytest.raises(QuotaExceeded) as refused:
        agent.store("5")
    assert agent.state is before
    assert refused.value.metadata == {"limit": "fragments_per_agent", "value": "2"}
    assert "acknowledge or delete some" in refused.value.message
    assert lease is not None
    agent.do(AcknowledgeFragments(lease.token))
    agent.store("5")
    assert agent.contents() == ["2", "5"]


def test_fragments_count_against_the_storage_of_the_agent() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=10))
    agent.set("k", "12345")
    with pytest.raises(QuotaExceeded) as refused:
        agent.store("12345")
    assert refused.value.metadata == {"limit": "storage_bytes_per_agent", "value": "10"}
    agent.store("1234")
    with pytest.raises(QuotaExceeded):
        agent.set("l")
    agent.limits = Limits(storage_bytes_per_agent=5, fragments_per_agent=1)
    assert agent.store("4321").content == "4321"


def test_reaching_the_threshold_flushes_all_with_one_event() -> None:
    agent = Agent()
    agent.store("1", threshold=3)
    agent.store("over", ttl_ns=SECOND_NS, threshold=3)
    agent.now += SECOND_NS
    agent.store("2", threshold=3)
    take_events(agent)
    stored = agent.do(CreateFragment(fragment_draft("3", agent.now + SECOND_NS), 99, 3))
    assert stored.flushed == 3
    assert take_events(agent) == [
        ("FRAGMENT_CREATED", "REQUEST", "mem_00000063", 0),
        ("FRAGMENTS_FLUSHED", "THRESHOLD", "", 3),
    ]
    assert all(fragment.flushed for fragment in agent.state.part(FRAGMENTS).fragments.values())
    assert agent.store("4", threshold=3).flushed is False


def test_a_buffer_that_holds_less_than_the_threshold_is_flushed_when_it_is_full() -> None:
    agent = Agent()
    agent.limits = Limits(fragments_per_agent=2)
    assert agent.store("1", threshold=3).flushed is False
    assert agent.store("2", threshold=3).flushed is True
    assert take_events(agent)[-1] == ("FRAGMENTS_FLUSHED", "THRESHOLD", "", 2)


def test_flushing_on_request_returns_how_many_became_ready() -> None:
    agent = Agent()
    assert agent.do(FlushFragments()) == FragmentsFlushed(0, 0)
    agent.store("1")
    agent.store("over", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    take_events(agent)
    assert agent.do(FlushFragments()) == FragmentsFlushed(1, 3, expired=1)
    assert take_events(agent) == [
        ("FRAGMENT_DELETED", "EXPIRY", "mem_00000002", 0),
        ("FRAGMENTS_FLUSHED", "REQUEST", "", 1),
    ]
    assert agent.do(FlushFragments()) == FragmentsFlushed(0, 3)


def test_clearing_removes_all_and_returns_how_many_were_live() -> None:
    agent = Agent()
    assert agent.do(ClearFragments()) == FragmentsCleared(0, 0)
    agent.store("1")
    agent.store("over", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    take_events(agent)
    with pytest.raises(RevisionMismatch):
        agent.do(ClearFragments(), precondition=at(1))
    assert agent.do(ClearFragments(), precondition=at(2)) == FragmentsCleared(1, 3)
    assert take_events(agent) == [("FRAGMENTS_CLEARED", "REQUEST", "", 0)]
    assert (len(agent.state.part(FRAGMENTS)), agent.state.size_bytes) == (0, 0)
    assert agent.store("2").sequence == 2


@pytest.mark.parametrize(
    ("clearing", "events", "left"),
    [
        (ClearAgent(), ["ENTRIES_CLEARED", "FRAGMENTS_CLEARED"], (0, 0)),
        (ClearAgent(kinds=frozenset({RecordKind.ENTRY})), ["ENTRIES_CLEARED"], (0, 1)),
        (ClearAgent(kinds=frozenset({RecordKind.FRAGMENT})), ["FRAGMENTS_CLEARED"], (1, 0)),
    ],
)
def test_clearing_an_agent_clears_what_was_named(
    clearing: ClearAgent, events: list[str], left: tuple[int, int]
) -> None:
    agent = Agent()
    agent.set("k")
    agent.store()
    agent.take_events()
    cleared = agent.do(clearing)
    counts = (cleared.counts.get(RecordKind.ENTRY, 0), cleared.counts.get(RecordKind.FRAGMENT, 0))
    assert counts == (1 - left[0], 1 - left[1])
    assert [event.type.name for event in agent.events] == events
    assert (agent.state.part(WORKING_MEMORY).entry_count, len(agent.state.part(FRAGMENTS))) == left


def test_ending_an_agent_reports_how_many_fragments_ended() -> None:
    agent = Agent()
    agent.store()
    agent.store(ttl_ns=1)
    agent.now += 1
    assert agent.do(EndAgent()).counts == {RecordKind.FRAGMENT: 1}
    assert agent.events[-1].subject.counts == {RecordKind.FRAGMENT: 1}
    assert agent.store().sequence == 0


def test_restoring_emits_the_difference_of_the_fragments() -> None:
    agent = Agent()
    kept, changed, lost = agent.store("kept"), agent.store("changed"), agent.store("lost", ttl_ns=SECOND_NS)
    over = agent.store("over", ttl_ns=2)
    image = agent.image()
    agent.do(DeleteFragment(lost.fragment_id))
    agent.do(FlushFragments())
    agent.do(DeleteFragment(over.fragment_id))
    held = agent.lease(1)
    later = agent.store("later")
    agent.now += 2
    take_events(agent)
    agent.do(RestoreAgent(image, "s"))
    assert take_events(agent) == [
        *[("FRAGMENT_DELETED", "RESTORE", each.fragment_id, 0) for each in (kept, changed, later)],
        *[("FRAGMENT_CREATED", "RESTORE", each.fragment_id, 0) for each in (kept, changed, lost)],
        ("AGENT_RESTORED", "RESTORE", "", 0),
    ]
    assert held is not None
    assert agent.contents() == ["kept", "changed", "lost"]
    assert not agent.state.part(FRAGMENTS).leases
    assert agent.store().sequence > later.sequence


def test_restoring_keeps_what_is_as_it_was_and_takes_it_out_of_leases() -> None:
    agent = Agent()
    agent.store("kept")
    agent.do(FlushFragments())
    image = agent.image()
    agent.lease()
    take_events(agent)
    agent.do(RestoreAgent(image, "s"))
    assert [event[0] for event in take_events(agent)] == ["AGENT_RESTORED"]
    (fragment,) = agent.state.part(FRAGMENTS).available()
    assert (fragment.flushed, fragment.delivery_count) == (True, 1)


def test_events_about_fragments_pass_no_filter_of_scopes_or_keys() -> None:
    agent = Agent()
    agent.store()
    (event,) = agent.events
    assert EventFilter().keeps("a", event)
    assert EventFilter(event_types=frozenset({EventType.FRAGMENT_CREATED})).keeps("a", event)
    for narrow in (EventFilter(scope_ids=frozenset({""})), EventFilter(key_prefix="k")):
        assert not narrow.keeps("a", event)
