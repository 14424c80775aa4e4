import msgspec
from tests.unit.domain.sample import Agent, entry_access, entry_record, memory_access, scope_record

from memoryd_server.domain.agent.part import ChangeKey
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryType
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.agents.access import AccessCounts

ENTRY = Entry("k", "1", "id", "", EntryType.FACT, 0.5, (), "", ROOT, 1, 1, 1, None, 2, 10, 5)
K = "entry//k"


def test_a_read_returns_what_was_counted_before_it() -> None:
    counts = AccessCounts()
    assert not counts
    assert counts.note(K, "id", 7) == (0, None)
    assert counts.note(K, "id", 8) == (1, 7)
    assert counts.counted(K, "id") == (2, 8)
    assert counts.counted(K, "id") == (2, 8)


def test_reads_are_counted_together_as_they_are_one_by_one() -> None:
    counts, singly = AccessCounts(), AccessCounts()
    reads = [(K, "id"), ("entry//l", "l"), (K, "id"), (K, "new")]
    for now in (7, 8):
        expected = [singly.note(path, record_id, now) for path, record_id in reads]
        assert counts.note_each(*zip(*reads, strict=True), now) == expected
    assert counts.take().accesses == singly.take().accesses


def test_taken_counts_are_returned_once() -> None:
    counts = AccessCounts()
    counts.note(K, "id", 7)
    counts.note(K, "id", 8)
    assert counts.take().accesses == {WORKING_MEMORY.name: [entry_access(ROOT, "k", "id", 2, 8)]}
    assert not counts
    assert counts.take().accesses == {}


def test_an_entry_that_replaced_another_starts_without_reads() -> None:
    counts = AccessCounts()
    counts.note(K, "id", 7)
    assert counts.counted(K, "new") == (0, None)
    assert counts.note(K, "new", 9) == (0, None)
    assert counts.take().accesses == {WORKING_MEMORY.name: [entry_access(ROOT, "k", "new", 1, 9)]}


def test_counts_of_removed_and_replaced_entries_are_dropped_and_those_of_updated_ones_are_kept() -> None:
    counts = AccessCounts()
    counts.note(K, "id", 7)
    counts.forget_replaced({entry_record(ROOT, "k"): ENTRY, entry_record(ROOT, "l"): None, scope_record("k"): None})
    assert counts
    counts.forget_replaced({entry_record(ROOT, "k"): msgspec.structs.replace(ENTRY, entry_id="new")})
    assert not counts
    counts.note(K, "id", 7)
    counts.forget_replaced({entry_record(ROOT, "k"): None})
    assert not counts
    counts.note(K, "id", 7)
    counts.forget_all()
    assert not counts


def test_recalls_of_a_memory_are_counted_until_they_are_taken_or_it_is_deleted() -> None:
    agent = Agent()
    memory, other = agent.create("one"), agent.create("two")
    one, two = (ChangeKey("memory", each.memory_id) for each in (memory, other))
    counts = AccessCounts()
    for change, time in ((one, 7), (one, 8), (two, 9)):
        counts.note(f"memory/{change.key}", change.key, time)
    assert counts.counted(f"memory/{one.key}", one.key) == (2, 8)
    counts.forget_replaced({one: memory, two: None})
    assert counts.counted(f"memory/{one.key}", one.key) == (2, 8)
    assert counts.counted(f"memory/{two.key}", two.key) == (0, None)
    assert counts.take().accesses == {MEMORIES.name: [memory_access(memory.memory_id, 2, 8)]}
    assert not counts
