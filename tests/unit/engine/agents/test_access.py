import msgspec
from tests.unit.domain.sample import Agent

from memoryd_server.domain.agent.command import Access, MemoryAccess
from memoryd_server.domain.agent.transition import entry_record, memory_record, scope_record
from memoryd_server.domain.entries.entry import ROOT, Entry, MemoryType
from memoryd_server.engine.agents.access import AccessCounts

ENTRY = Entry("k", "1", "id", "", MemoryType.FACT, 0.5, (), "", ROOT, 1, 1, 1, None, 2, 10, 5)


def test_a_read_answers_what_was_before_it() -> None:
    counts = AccessCounts()
    assert not counts
    assert counts.note(ENTRY, 7) == (10, 5)
    assert counts.note(ENTRY, 8) == (11, 7)
    assert counts.told(ENTRY) == (12, 8)
    assert counts.told(ENTRY) == (12, 8)


def test_taken_counts_are_given_out_once() -> None:
    counts = AccessCounts()
    counts.note(ENTRY, 7)
    counts.note(ENTRY, 8)
    assert counts.take().accesses == (Access(ROOT, "k", "id", 2, 8),)
    assert not counts
    assert counts.take().accesses == ()


def test_an_entry_that_took_the_place_of_another_begins_at_none() -> None:
    counts = AccessCounts()
    counts.note(ENTRY, 7)
    successor = msgspec.structs.replace(ENTRY, entry_id="new", access_count=0, last_access_time=None)
    assert counts.told(successor) == (0, None)
    assert counts.note(successor, 9) == (0, None)
    assert counts.take().accesses == (Access(ROOT, "k", "new", 1, 9),)


def test_counts_of_removed_and_replaced_entries_are_let_go_and_those_of_updated_ones_are_kept() -> None:
    counts = AccessCounts()
    counts.note(ENTRY, 7)
    counts.forget_replaced({entry_record(ROOT, "k"): ENTRY, entry_record(ROOT, "l"): None, scope_record("k"): None})
    assert counts
    counts.forget_replaced({entry_record(ROOT, "k"): msgspec.structs.replace(ENTRY, entry_id="new")})
    assert not counts
    counts.note(ENTRY, 7)
    counts.forget_replaced({entry_record(ROOT, "k"): None})
    assert not counts
    counts.note(ENTRY, 7)
    counts.forget_all()
    assert not counts


def test_recalls_of_a_memory_are_counted_until_they_are_taken_or_it_is_gone() -> None:
    agent = Agent()
    memory, other = agent.create("one"), agent.create("two")
    counts = AccessCounts()
    for time in (7, 8):
        counts.note_memory(memory, time)
    counts.note_memory(other, 9)
    assert (bool(counts), counts.told_memory(memory)) == (True, (2, 8))
    counts.forget_replaced({memory_record(memory.memory_id): memory, memory_record(other.memory_id): None})
    assert (counts.told_memory(memory), counts.told_memory(other)) == ((2, 8), (0, other.last_access_time))
    assert counts.take().memory_accesses == (MemoryAccess(memory.memory_id, 2, 8),)
    assert (bool(counts), counts.told_memory(memory)) == (False, (0, memory.last_access_time))
    counts.note_memory(memory, 10)
    counts.forget_all()
    assert not counts
