from dataclasses import replace

import pytest
from tests.unit.ops.cli.answer import ENTRY, FRAGMENT, LINK, MEMORY, PLAN, TIME, WINDOW, entry, event

from memoryd import (
    ConversationInfo,
    Document,
    EventCause,
    EventType,
    MemoryKind,
    Message,
    MessageRole,
    Note,
    PlanStatus,
)
from memoryd_server.ops.cli.event.event_line import EventLines, event_row

NOTE = Note("n1", "ada", "", "Tea", "one\nline", 0.5, TIME, TIME, 7)

DOCUMENT = Document("d1", "ada", "On tea", "", ("t",), "tea.md", "text/markdown", 9, 2, 1, TIME, TIME, 7)

MESSAGE = Message("talk", "ada", 3, MessageRole.USER, "one\nline", "", "", {}, 0.5, 2, TIME, 7)
CONVERSATION = ConversationInfo("talk", "ada", 3, 6, 4, TIME, TIME, 7)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (event(EventType.ENTRY_SET, key="user", entry=ENTRY), 'ada + user = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, key="user", entry=ENTRY, is_update=True), 'ada ~ user = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, key="k", entry=ENTRY, cause=EventCause.INITIAL_STATE), 'ada · k = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, key="k", entry=ENTRY, cause=EventCause.MERGE), 'ada + k (merge) = {"name":"Ada"}'),
        (event(EventType.ENTRY_REMOVED, key="user", scope_name="task"), "ada - task/user"),
        (event(EventType.ENTRY_REMOVED, key="user", cause=EventCause.EXPIRY), "ada - user (expiry)"),
        (event(EventType.SCOPE_CREATED, scope_name="task"), "ada scope created task/"),
        (
            event(EventType.SCOPE_DISPOSED, scope_name="t", entries_cleared=1, cause=EventCause.PARENT_DISPOSED),
            "ada scope disposed t/ (parent disposed) with 1 entry",
        ),
        (event(EventType.MEMORY_CLEARED, entries_cleared=2_000), "ada memory cleared with 2,000 entries"),
        (event(EventType.FRAGMENT_STORED, fragment_id="mem_1", fragment=FRAGMENT), "ada + mem_1 = one line"),
        (
            event(EventType.FRAGMENT_STORED, fragment_id="mem_1", cause=EventCause.INITIAL_STATE),
            "ada · mem_1",
        ),
        (event(EventType.FRAGMENT_DELETED, fragment_id="mem_1", cause=EventCause.EVICTION), "ada - mem_1 (eviction)"),
        (
            event(EventType.FRAGMENTS_FLUSHED, fragment_count=1_000, cause=EventCause.THRESHOLD),
            "ada fragments flushed (threshold): 1,000",
        ),
        (event(EventType.FRAGMENTS_CLEARED, fragment_count=2), "ada fragments cleared: 2"),
        (event(EventType.MEMORY_CREATED, memory_id="m1", memory=MEMORY), "ada + m1 semantic = one line"),
        (
            event(EventType.MEMORY_CREATED, memory_id="m1", memory=MEMORY, cause=EventCause.INITIAL_STATE),
            "ada · m1 semantic = one line",
        ),
        (
            event(EventType.MEMORY_UPDATED, memory_id="m1", memory=replace(MEMORY, content="")),
            "ada ~ m1 semantic",
        ),
        (
            event(EventType.MEMORY_REINFORCED, memory_id="m1", memory=MEMORY, cause=EventCause.DUPLICATE),
            "ada memory reinforced m1 (duplicate) semantic = one line",
        ),
        (event(EventType.MEMORY_FORGOTTEN, memory_id="m1"), "ada memory forgotten m1"),
        (event(EventType.MEMORY_PURGED, memory_id="m1", cause=EventCause.EXPIRY), "ada - m1 (expiry)"),
        (event(EventType.MEMORIES_LINKED, memory_id="m1", link=LINK), "ada memories linked m1 derived from m2"),
        (
            event(EventType.MEMORIES_LINKED, memory_id="m1", link=LINK, cause=EventCause.INITIAL_STATE),
            "ada · m1 derived from m2",
        ),
        (event(EventType.MEMORIES_UNLINKED, memory_id="m1", link=LINK), "ada memories unlinked m1 derived from m2"),
        (event(EventType.MEMORIES_CLEARED, memory_count=1_000), "ada memories cleared: 1,000"),
        (event(EventType.NOTE_CREATED, note=NOTE), "ada + n1 = Tea: one line"),
        (event(EventType.NOTE_CREATED, note=NOTE, cause=EventCause.INITIAL_STATE), "ada · n1 = Tea: one line"),
        (event(EventType.NOTE_DELETED, note=replace(NOTE, title="", content="")), "ada - n1"),
        (event(EventType.PLAN_CREATED, plan=PLAN), "ada + p1 = Go home (in progress)"),
        (event(EventType.PLAN_CREATED, plan=PLAN, cause=EventCause.INITIAL_STATE), "ada · p1 = Go home (in progress)"),
        (
            event(EventType.PLAN_UPDATED, plan=replace(PLAN, status=PlanStatus.REPLACED)),
            "ada ~ p1 = Go home (replaced)",
        ),
        (event(EventType.PLAN_DELETED, plan=replace(PLAN, goal="")), "ada - p1"),
        (
            event(EventType.RECORDS_CLEARED, memory_kind=MemoryKind.NOTE, record_count=1_000),
            "ada records cleared: 1,000 of kind note",
        ),
        (event(EventType.DOCUMENT_ADDED, document=DOCUMENT), "ada + d1 = On tea"),
        (event(EventType.DOCUMENT_ADDED, document=DOCUMENT, cause=EventCause.INITIAL_STATE), "ada · d1 = On tea"),
        (event(EventType.DOCUMENT_REPLACED, document=DOCUMENT), "ada ~ d1 = On tea"),
        (event(EventType.DOCUMENT_DELETED, document=replace(DOCUMENT, title="")), "ada - d1"),
        (event(EventType.MESSAGE_APPENDED, message=MESSAGE), "ada + talk/3 = user: one line"),
        (event(EventType.MESSAGE_REMOVED, message=replace(MESSAGE, content="")), "ada - talk/3"),
        (event(EventType.CONVERSATION_DELETED, conversation=CONVERSATION), "ada - talk"),
        (
            event(
                EventType.CONVERSATION_COMPACTED,
                conversation=replace(CONVERSATION, message_count=1_000),
                cause=EventCause.COMPACTION,
            ),
            "ada conversation compacted talk (compaction): 1,000 left",
        ),
        (event(EventType.ENTITIES_UPDATED, entity_window=WINDOW), "ada entities updated chat = Home, About"),
        (
            event(EventType.ENTITIES_UPDATED, entity_window=WINDOW, cause=EventCause.INITIAL_STATE),
            "ada · chat = Home, About",
        ),
        (
            event(EventType.ENTITIES_CLEARED, entity_window=replace(WINDOW, entities=()), cause=EventCause.EVICTION),
            "ada entities cleared chat (eviction)",
        ),
        (event(EventType.AGENT_ENDED), "ada agent ended with 0 entries"),
        (
            event(EventType.AGENT_RESTORED, snapshot_id="s1", cause=EventCause.RESTORE),
            "ada agent restored from s1",
        ),
    ],
)
def test_a_person_reads_what_happened(given: object, line: str) -> None:
    assert EventLines().line(given).plain.split(" ", 1)[1].strip() == f"7 {line}"  # type: ignore[arg-type]


def test_lines_are_below_one_another() -> None:
    lines = EventLines()
    lines.line(event(EventType.ENTRY_REMOVED, agent_id="a-long-name", key="k"))
    assert lines.line(event(EventType.ENTRY_REMOVED, agent_id="b", key="k")).plain.endswith("  7 b           - k")


def test_a_long_name_is_cut_and_a_trick_is_shown() -> None:
    shown = EventLines().line(event(EventType.ENTRY_REMOVED, agent_id="\x9b" + "n" * 300, key="\u202ek")).plain
    assert "\\u009bnnn" in shown
    assert "…" in shown
    assert "\\u202ek" in shown


def test_a_pipe_gets_all_of_it() -> None:
    given = event(EventType.ENTRY_SET, key="user", scope_id="s1", entry=entry(value_json='{\n"a": 1}'))
    assert event_row(given) == (TIME, 7, "ada", "s1", "entry_set", "request", "user", '{ "a": 1}')


def test_a_pipe_gets_a_fragment_in_the_place_of_an_entry() -> None:
    given = event(EventType.FRAGMENT_STORED, fragment_id="mem_1", fragment=FRAGMENT)
    assert event_row(given) == (TIME, 7, "ada", "", "fragment_stored", "request", "mem_1", "one line")


def test_a_pipe_gets_a_memory_and_a_link_in_the_place_of_an_entry() -> None:
    given = event(EventType.MEMORY_CREATED, memory_id="m1", memory=MEMORY)
    assert event_row(given) == (TIME, 7, "ada", "", "memory_created", "request", "m1", "one line")
    given = event(EventType.MEMORIES_LINKED, memory_id="m1", link=LINK)
    assert event_row(given) == (TIME, 7, "ada", "", "memories_linked", "request", "m1", "derived_from m2")


def test_a_pipe_gets_a_note_in_the_place_of_an_entry() -> None:
    given = event(EventType.NOTE_UPDATED, note=NOTE)
    assert event_row(given) == (TIME, 7, "ada", "", "note_updated", "request", "n1", "Tea: one line")


def test_a_pipe_gets_a_session_and_the_names_of_its_entities() -> None:
    given = event(EventType.ENTITIES_UPDATED, entity_window=WINDOW)
    assert event_row(given)[4:] == ("entities_updated", "request", "chat", "Home, About")
