import pytest
from msgspec.structs import replace
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, at, draft, entry_access, reads

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT, EntryDraft
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    EntryFoundOrSet,
    EntryRemoved,
    GetOrSetEntry,
    OperationResult,
    RemoveEntry,
    RemoveOperation,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.entries.reservation_change import ReleaseReservation, RenewReservation, ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import (
    QuotaExceeded,
    RecordExists,
    RecordNotFound,
    ReservationLost,
    RevisionMismatch,
    ScopeDisposed,
)
from memoryd_server.domain.limit import SECOND_NS, Limits


def set_with(agent: Agent, precondition: Precondition | None) -> object:
    return agent.do(SetEntry(ROOT, draft("k", "2"), agent.new_id(), "", precondition))


def test_a_set_entry_has_everything_that_was_given() -> None:
    agent = Agent()
    entry = agent.set("k", '{"a":1}', ttl_ns=SECOND_NS)
    given = draft("k", '{"a":1}', NOW + SECOND_NS)
    assert (entry.key, entry.value_json, entry.type_name) == (given.key, given.value_json, given.type_name)
    assert (entry.type, entry.importance) == (given.type, given.importance)
    assert (entry.tags, entry.expire_time, entry.size_bytes) == (given.tags, given.expire_time, given.size_bytes)
    assert (entry.scope_id, entry.revision, entry.create_time, entry.update_time) == (ROOT, 1, NOW, NOW)


def test_overwriting_keeps_the_id_the_creation_and_the_access_count() -> None:
    agent = Agent()
    first = agent.set("k", ttl_ns=SECOND_NS)
    agent.do(reads(entry_access(ROOT, "k", first.entry_id, 3, NOW)))
    agent.now += 1
    second = agent.set("k", "2")
    assert (second.entry_id, second.create_time, second.access_count) == (first.entry_id, NOW, 3)
    assert (second.update_time, second.expire_time, second.last_access_time) == (NOW + 1, None, NOW)
    event = agent.events[-1]
    assert (event.previous_revision, event.changed) == (first.revision, ("value_json", "expire_time"))


def test_setting_an_expired_key_creates_an_entry_and_emits_the_expiry_first() -> None:
    agent = Agent()
    first = agent.set("k", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    second = agent.set("k", "2")
    assert second.entry_id != first.entry_id
    assert agent.take_events() == [("ENTRY_REMOVED", "EXPIRY", ROOT, "k"), ("ENTRY_SET", "REQUEST", ROOT, "k")]


def test_must_not_exist_refuses_a_live_entry_and_takes_an_expired_one_for_absent() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    with pytest.raises(RecordExists) as refused:
        set_with(agent, MUST_NOT_EXIST)
    assert refused.value.metadata == {"kind": "entry", "record_id": "k", "revision": "1"}
    agent.now += SECOND_NS
    done = set_with(agent, MUST_NOT_EXIST)
    assert (done.created, done.entry.entry_id, done.revision) == (True, "id3", 2)


def test_expected_revision_is_that_of_the_entry_and_zero_means_absent() -> None:
    agent = Agent()
    set_with(agent, at(0))
    agent.set("other")
    with pytest.raises(RevisionMismatch) as refused:
        set_with(agent, at(2))
    assert refused.value.metadata == {"expected_revision": "2", "actual_revision": "1"}
    with pytest.raises(RevisionMismatch):
        set_with(agent, at(0))
    done = set_with(agent, at(1))
    assert (done.created, done.entry.entry_id, done.revision) == (False, "id1", 3)


@pytest.mark.parametrize(
    "requested",
    [
        SetEntry("s", draft("k"), "id"),
        GetOrSetEntry("s", draft("k"), "id"),
        GetOrSetEntry("s", draft("k"), "id", local_only=True),
        RemoveEntry("s", "k"),
        ClearEntries("s"),
        WriteEntries("s", (RemoveOperation("k"),), "id"),
        ReserveEntry("s", "k", "t", SECOND_NS),
        RenewReservation("s", "k", "t", SECOND_NS),
        ReleaseReservation("s", "k", "t"),
        CreateScope("n", "s", "id"),
        MergeScope("s", True, False, "id"),
    ],
    ids=lambda requested: type(requested).__name__,
)
def test_a_scope_that_is_not_there_refuses_each_command(requested: Command) -> None:
    agent = Agent()
    with pytest.raises(RecordNotFound) as unknown:
        agent.do(requested)
    assert unknown.value.metadata == {"agent_id": "a", "kind": "scope", "record_id": "s"}
    agent.do(CreateScope("name", ROOT, "s"))
    agent.do(DisposeScope("s"))
    with pytest.raises(ScopeDisposed) as disposed:
        agent.do(requested)
    assert disposed.value.metadata == {"scope_id": "s", "scope_name": "name"}


def test_get_or_set_finds_an_ancestors_entry_unless_it_looks_locally() -> None:
    agent = Agent()
    agent.set("k", "1")
    scope_id = agent.create_scope()
    found = agent.do(GetOrSetEntry(scope_id, draft("k", "2"), "id"))
    assert isinstance(found, EntryFoundOrSet)
    assert (found.created, found.entry.value_json, found.revision) == (False, "1", 2)
    stored = agent.do(GetOrSetEntry(scope_id, draft("k", "2"), "id", local_only=True))
    assert isinstance(stored, EntryFoundOrSet)
    assert (stored.created, stored.entry.scope_id, stored.revision) == (True, scope_id, 3)


def test_a_removed_key_shows_the_parents_value_again() -> None:
    agent = Agent()
    agent.set("k", "1")
    scope_id = agent.create_scope()
    agent.set("k", "2", scope_id)
    assert agent.value("k", scope_id) == "2"
    assert agent.do(RemoveEntry(scope_id, "k")) == EntryRemoved(True, 4)
    assert agent.value("k", scope_id) == "1"
    assert agent.do(RemoveEntry(scope_id, "k")) == EntryRemoved(False, 4)


def test_removing_an_expired_key_removes_nothing_but_emits_the_expiry() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    assert agent.do(RemoveEntry(ROOT, "k")) == EntryRemoved(False, 2)
    assert agent.take_events() == [("ENTRY_REMOVED", "EXPIRY", ROOT, "k")]


def test_remove_and_clear_check_their_preconditions() -> None:
    agent = Agent()
    agent.set("k")
    agent.set("other")
    with pytest.raises(RevisionMismatch):
        agent.do(RemoveEntry(ROOT, "k", at(2)))
    with pytest.raises(RevisionMismatch):
        agent.do(ClearEntries(ROOT), precondition=at(1))
    agent.do(RemoveEntry(ROOT, "k", at(1)))
    agent.do(ClearEntries(ROOT), precondition=at(3))
    assert agent.state.part(WORKING_MEMORY).entry_count == 0


def test_clearing_the_root_leaves_the_scopes_alone_and_counts_live_entries() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    agent.set("l")
    scope_id = agent.create_scope()
    agent.set("m", "1", scope_id)
    agent.do(ReserveEntry(ROOT, "r", "t", 9 * SECOND_NS))
    agent.now += SECOND_NS
    agent.take_events()
    cleared = agent.do(ClearEntries(ROOT))
    assert (cleared.cleared_entry_count, cleared.revision) == (1, 6)
    assert [(event.type.name, event.subject.entries_cleared) for event in agent.events] == [("ENTRIES_CLEARED", 1)]
    assert agent.value("m", scope_id) == "1"
    assert not agent.state.part(WORKING_MEMORY).reservations


def test_clearing_nothing_changes_nothing() -> None:
    agent = Agent()
    agent.set("k")
    scope_id = agent.create_scope()
    assert agent.do(ClearEntries(scope_id)).revision == 2
    assert agent.decision.events == []


def test_a_batch_is_one_revision_and_returns_the_result_of_each_operation() -> None:
    agent = Agent()
    first = agent.set("k")
    operations = (
        SetOperation(draft("k", "2"), at(1)),
        SetOperation(draft("l"), MUST_NOT_EXIST),
        RemoveOperation("m"),
    )
    written = agent.do(WriteEntries(ROOT, operations, "b"))
    assert written.results == (
        OperationResult("k", first.entry_id),
        OperationResult("l", "b001", created=True),
        OperationResult("m"),
    )
    assert {event.revision for event in agent.decision.events} == {written.revision} == {2}
    agent.do(WriteEntries(ROOT, (RemoveOperation("l", at(2)),), "c"))
    assert agent.value("l") is None


@pytest.mark.parametrize(
    "last",
    [
        SetOperation(draft("k"), MUST_NOT_EXIST),
        RemoveOperation("k", at(7)),
        SetOperation(draft("third")),
    ],
    ids=["precondition of a set", "precondition of a remove", "limit"],
)
def test_a_batch_with_one_refused_operation_changes_nothing(last: SetOperation) -> None:
    agent = Agent(Limits(entries_per_agent=2))
    agent.set("k")
    before = agent.state
    with pytest.raises((RecordExists, RevisionMismatch, QuotaExceeded)):
        agent.do(WriteEntries(ROOT, (SetOperation(draft("second")), last), "b"))
    assert agent.state is before


def test_a_token_must_be_held_and_is_used_up() -> None:
    agent = Agent()
    agent.do(ReserveEntry(ROOT, "k", "t", SECOND_NS))
    with pytest.raises(ReservationLost):
        agent.set("k", token="another")
    agent.set("k", token="t")
    assert not agent.state.part(WORKING_MEMORY).reservations
    with pytest.raises(ReservationLost) as lost:
        agent.set("k", token="t")
    assert lost.value.metadata == {"key": "k"}


def test_setting_without_a_token_ends_the_reservation() -> None:
    agent = Agent()
    agent.do(ReserveEntry(ROOT, "k", "t", SECOND_NS))
    agent.set("k")
    with pytest.raises(ReservationLost):
        agent.set("k", token="t")


def test_the_entry_past_the_limit_is_refused_and_overwriting_is_not() -> None:
    agent = Agent()
    operations = [SetOperation(draft(f"k{number}")) for number in range(10_000)]
    for start in range(0, 10_000, 1_000):
        agent.do(WriteEntries(ROOT, tuple(operations[start : start + 1_000]), f"b{start}"))
    with pytest.raises(QuotaExceeded) as refused:
        agent.set("one more")
    assert refused.value.metadata == {"limit": "entries_per_agent", "value": "10000"}
    agent.set("k1", "2")
    agent.do(RemoveEntry(ROOT, "k2"))
    agent.set("one more")
    assert agent.state.part(WORKING_MEMORY).entry_count == 10_000


def test_expired_entries_make_room_when_the_limit_is_reached() -> None:
    agent = Agent(Limits(entries_per_agent=2))
    agent.set("k", ttl_ns=SECOND_NS)
    agent.set("l", ttl_ns=2 * SECOND_NS)
    with pytest.raises(QuotaExceeded):
        agent.set("m")
    agent.now += SECOND_NS
    agent.take_events()
    agent.set("m")
    assert agent.take_events() == [("ENTRY_REMOVED", "EXPIRY", ROOT, "k"), ("ENTRY_SET", "REQUEST", ROOT, "m")]


def test_storage_counts_bytes_and_what_shrinks_is_always_taken() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=10))
    agent.set("k", "123456789")
    with pytest.raises(QuotaExceeded) as refused:
        agent.set("l", "1")
    assert refused.value.metadata == {"limit": "storage_bytes_per_agent", "value": "10"}
    agent.limits = Limits(storage_bytes_per_agent=5)
    agent.set("k", "1234567")
    assert agent.state.size_bytes == 8


def test_counted_reads_keep_the_revision_and_go_to_the_entry_that_was_read() -> None:
    agent = Agent()
    entry = agent.set("k")
    accesses = (
        entry_access(ROOT, "k", entry.entry_id, 2, NOW + 1),
        entry_access(ROOT, "gone", "id", 1, NOW),
        entry_access("gone", "k", "id", 1, NOW),
    )
    agent.do(reads(*accesses))
    counted = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"]
    assert (counted.access_count, counted.last_access_time, counted.revision) == (2, NOW + 1, 1)
    assert (agent.state.revision, agent.state.update_time) == (1, NOW)
    agent.do(reads(entry_access(ROOT, "k", "an earlier entry", 9, NOW)))
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].access_count == 2


KEPT = ("type_name", "type", "importance", "tags", "metadata_json", "expire_time", "user_id")


def test_an_entry_keeps_the_fields_that_are_named_and_counts_their_bytes() -> None:
    agent = Agent()
    first = replace(draft("k", "1", agent.now + 100, '{"a":1}'), size_bytes=2 + 7 + 4 + 3, user_id="ann")
    agent.do(SetEntry(ROOT, first, "e"))
    agent.do(SetEntry(ROOT, EntryDraft("k", "22", 3), "f", kept=KEPT))
    entry = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"]
    assert entry.draft == replace(first, value_json="22", size_bytes=3 + 7 + 4 + 3)
    agent.do(SetEntry(ROOT, EntryDraft("k", "3", 2), "f", kept=("type_name", "tags")))
    entry = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"]
    assert entry.draft == EntryDraft("k", "3", 2 + 4 + 3, type_name="Type", tags=("tag",))


def test_an_entry_that_expired_or_is_missing_passes_nothing_on() -> None:
    agent = Agent()
    agent.do(SetEntry(ROOT, draft("k", expire_time=agent.now + 5), "e"))
    agent.now += 5
    assert agent.do(SetEntry(ROOT, EntryDraft("k", "2", 2), "f", kept=KEPT)).created
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].draft == EntryDraft("k", "2", 2)
