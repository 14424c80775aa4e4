from dataclasses import replace

import pytest
from tests.unit.ops.cli.answer import ENTRY, FRAGMENT, LINK, MEMORY, PLAN, TIME, WINDOW, entry, event

from memoryd import (
    AgentEvent,
    ClearedEvent,
    ConversationEvent,
    ConversationInfo,
    Document,
    DocumentEvent,
    EntityWindowEvent,
    EntryEvent,
    Event,
    EventCause,
    EventType,
    FlushedEvent,
    FragmentEvent,
    MemoryEvent,
    MemoryLinkEvent,
    MemoryLinkType,
    Message,
    MessageEvent,
    MessageRole,
    Note,
    NoteEvent,
    PlanEvent,
    PlanNote,
    PlanNoteEvent,
    PlanStatus,
    PlanStep,
    PlanStepEvent,
    PlanStepStatus,
    RecordKind,
    ScopeEvent,
)
from memoryd_server.ops.cli.event.event_line import EventLines, event_row

NOTE = Note("n1", "ada", "", "Tea", "one\nline", 0.5, "", (), {}, TIME, TIME, 7)

DOCUMENT = Document(
    "d1", "ada", "On tea", "", "", ("t",), {}, "tea.md", "text/markdown", 9, 2, 1, TIME, TIME, 7, "utf-8"
)

MESSAGE = Message("m3", "talk", "ada", 3, MessageRole.USER, "one\nline", (), "", {}, 0.5, 2, TIME, 7)
LINKED = MemoryLinkEvent("m1", "m2", MemoryLinkType.DERIVED_FROM, LINK)
CONVERSATION = ConversationInfo("talk", "ada", "", "", (), {}, 3, 6, 4, "", TIME, TIME, 7)


STEP = PlanStep("2", "Pack", PlanStepStatus.PENDING, "two", TIME, TIME, 7)
STEP_ADDED = PlanStepEvent("p1", "2", STEP)


def step_event(**fields: str) -> PlanStepEvent:
    return PlanStepEvent("p1", "2", replace(STEP, **fields))  # type: ignore[arg-type]


INITIAL = EventCause.INITIAL_STATE
SET = EntryEvent("", "user", ENTRY)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (event(EventType.ENTRY_SET, SET), 'ada + user = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, SET, previous_revision=6), 'ada ~ user = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, SET, cause=INITIAL), 'ada · user = {"name":"Ada"}'),
        (event(EventType.ENTRY_SET, SET, cause=EventCause.MERGE), 'ada + user (merge) = {"name":"Ada"}'),
        (event(EventType.ENTRY_REMOVED, EntryEvent("s1", "user", None, scope_name="task")), "ada - task/user"),
        (
            event(EventType.ENTRY_REMOVED, EntryEvent("", "user", None), cause=EventCause.EXPIRY),
            "ada - user (expiry)",
        ),
        (event(EventType.SCOPE_CREATED, ScopeEvent("s1", "task", "", None)), "ada scope created task/"),
        (event(EventType.SCOPE_CREATED, ScopeEvent("s1", "t", "", None), cause=INITIAL), "ada scope created t/"),
        (
            event(
                EventType.SCOPE_DISPOSED,
                ScopeEvent("s1", "t", "", None, cleared_entry_count=1),
                cause=EventCause.PARENT_DISPOSED,
            ),
            "ada scope disposed t/ (parent disposed) with 1 entry",
        ),
        (
            event(EventType.ENTRIES_CLEARED, ClearedEvent({RecordKind.ENTRY: 2_000}, "s1", "t")),
            "ada entries cleared t/: 2,000",
        ),
        (event(EventType.FRAGMENT_CREATED, FragmentEvent("mem_1", FRAGMENT)), "ada + mem_1 = one line"),
        (event(EventType.FRAGMENT_CREATED, FragmentEvent("mem_1", None), cause=INITIAL), "ada · mem_1"),
        (
            event(EventType.FRAGMENT_DELETED, FragmentEvent("mem_1", None), cause=EventCause.EVICTION),
            "ada - mem_1 (eviction)",
        ),
        (
            event(EventType.FRAGMENTS_FLUSHED, FlushedEvent(1_000), cause=EventCause.THRESHOLD),
            "ada fragments flushed (threshold): 1,000",
        ),
        (
            event(EventType.FRAGMENTS_CLEARED, ClearedEvent({RecordKind.FRAGMENT: 2})),
            "ada fragments cleared: 2",
        ),
        (event(EventType.MEMORY_CREATED, MemoryEvent("m1", MEMORY)), "ada + m1 semantic = one line"),
        (event(EventType.MEMORY_CREATED, MemoryEvent("m1", MEMORY), cause=INITIAL), "ada · m1 semantic = one line"),
        (event(EventType.MEMORY_UPDATED, MemoryEvent("m1", replace(MEMORY, content=""))), "ada ~ m1 semantic"),
        (
            event(EventType.MEMORY_REINFORCED, MemoryEvent("m1", MEMORY), cause=EventCause.DUPLICATE),
            "ada memory reinforced m1 (duplicate) semantic = one line",
        ),
        (event(EventType.MEMORY_FORGOTTEN, MemoryEvent("m1", None)), "ada memory forgotten m1"),
        (event(EventType.MEMORY_PURGED, MemoryEvent("m1", None), cause=EventCause.EXPIRY), "ada - m1 (expiry)"),
        (event(EventType.MEMORIES_LINKED, LINKED), "ada memories linked m1 derived from m2"),
        (event(EventType.MEMORIES_LINKED, LINKED, cause=INITIAL), "ada · m1 derived from m2"),
        (event(EventType.MEMORIES_UNLINKED, LINKED), "ada memories unlinked m1 derived from m2"),
        (event(EventType.MEMORIES_CLEARED, ClearedEvent({RecordKind.MEMORY: 1_000})), "ada memories cleared: 1,000"),
        (event(EventType.NOTE_CREATED, NoteEvent("n1", NOTE)), "ada + n1 = Tea: one line"),
        (event(EventType.NOTE_CREATED, NoteEvent("n1", NOTE), cause=INITIAL), "ada · n1 = Tea: one line"),
        (event(EventType.NOTE_DELETED, NoteEvent("n1", None)), "ada - n1"),
        (event(EventType.PLAN_CREATED, PlanEvent("p1", PLAN)), "ada + p1 = Go home (in progress)"),
        (event(EventType.PLAN_CREATED, PlanEvent("p1", PLAN), cause=INITIAL), "ada · p1 = Go home (in progress)"),
        (
            event(EventType.PLAN_UPDATED, PlanEvent("p1", replace(PLAN, status=PlanStatus.REPLACED))),
            "ada ~ p1 = Go home (replaced)",
        ),
        (
            event(EventType.PLAN_UPDATED, PlanEvent("p1", replace(PLAN, goal="", status=PlanStatus.COMPLETED))),
            "ada ~ p1 = (completed)",
        ),
        (event(EventType.PLAN_DELETED, PlanEvent("p1", None)), "ada - p1"),
        (event(EventType.PLAN_STEP_ADDED, STEP_ADDED), "ada + p1/2 = Pack: two (pending)"),
        (
            event(EventType.PLAN_STEP_UPDATED, step_event(description="", notes=""), changed_fields=("status",)),
            "ada ~ p1/2 = (pending)",
        ),
        (
            event(EventType.PLAN_STEP_UPDATED, step_event(description=""), changed_fields=("notes",)),
            "ada ~ p1/2 = two",
        ),
        (event(EventType.PLAN_STEP_REMOVED, PlanStepEvent("p1", "2", None)), "ada - p1/2"),
        (event(EventType.PLAN_STEP_MOVED, STEP_ADDED), "ada plan step moved p1/2 to the end"),
        (
            event(EventType.PLAN_STEP_MOVED, replace(STEP_ADDED, before_step_id="1")),
            "ada plan step moved p1/2 before 1",
        ),
        (
            event(EventType.PLAN_NOTE_ADDED, PlanNoteEvent("p1", PlanNote("It\nrains", TIME))),
            "ada plan note added p1 = It rains",
        ),
        (
            event(EventType.PLANS_CLEARED, ClearedEvent({RecordKind.PLAN: 2}), cause=EventCause.CLEAR),
            "ada plans cleared (clear): 2",
        ),
        (event(EventType.NOTES_CLEARED, ClearedEvent({RecordKind.NOTE: 1_000})), "ada notes cleared: 1,000"),
        (event(EventType.DOCUMENT_CREATED, DocumentEvent("d1", DOCUMENT)), "ada + d1 = On tea"),
        (event(EventType.DOCUMENT_CREATED, DocumentEvent("d1", DOCUMENT), cause=INITIAL), "ada · d1 = On tea"),
        (event(EventType.DOCUMENT_UPDATED, DocumentEvent("d1", DOCUMENT)), "ada ~ d1 = On tea"),
        (event(EventType.DOCUMENT_DELETED, DocumentEvent("d1", None)), "ada - d1"),
        (event(EventType.MESSAGE_APPENDED, MessageEvent("talk", 3, MESSAGE)), "ada + talk/3 = user: one line"),
        (event(EventType.MESSAGE_REMOVED, MessageEvent("talk", 3, None)), "ada - talk/3"),
        (event(EventType.CONVERSATION_DELETED, ConversationEvent("talk", None)), "ada - talk"),
        (
            event(
                EventType.CONVERSATION_COMPACTED,
                ConversationEvent("talk", replace(CONVERSATION, message_count=1_000)),
                cause=EventCause.COMPACTION,
            ),
            "ada conversation compacted talk (compaction): 1,000 left",
        ),
        (event(EventType.ENTITY_WINDOW_UPDATED, EntityWindowEvent("chat", WINDOW)), "ada ~ chat = Home, About"),
        (
            event(EventType.ENTITY_WINDOW_CREATED, EntityWindowEvent("chat", WINDOW), cause=INITIAL),
            "ada · chat = Home, About",
        ),
        (
            event(EventType.ENTITY_WINDOW_DELETED, EntityWindowEvent("chat", None), cause=EventCause.EVICTION),
            "ada - chat (eviction)",
        ),
        (
            event(EventType.AGENT_ENDED, AgentEvent(None, cleared={RecordKind.ENTRY: 1, RecordKind.NOTE: 2})),
            "ada agent ended with 3 records",
        ),
        (
            event(EventType.AGENT_RESTORED, AgentEvent(None, snapshot_id="s1"), cause=EventCause.RESTORE),
            "ada agent restored from s1",
        ),
    ],
)
def test_a_person_reads_what_happened(given: object, line: str) -> None:
    assert EventLines().line(given).plain.split(" ", 1)[1].strip() == f"7 {line}"  # type: ignore[arg-type]


def test_lines_are_below_one_another() -> None:
    lines, subject = EventLines(), EntryEvent("", "k", None)
    lines.line(event(EventType.ENTRY_REMOVED, subject, agent_id="a-long-name"))
    line = lines.line(event(EventType.ENTRY_REMOVED, subject, agent_id="b"))
    assert line.plain.endswith("  7 b           - k")


def test_a_long_name_is_cut_and_a_trick_is_shown() -> None:
    given = event(EventType.ENTRY_REMOVED, EntryEvent("", "\u202ek", None), agent_id="\x9b" + "n" * 300)
    shown = EventLines().line(given).plain
    assert "\\u009bnnn" in shown
    assert "…" in shown
    assert "\\u202ek" in shown


@pytest.mark.parametrize(
    ("given", "row"),
    [
        (
            event(EventType.ENTRY_SET, EntryEvent("s1", "user", entry(value_json='{\n"a": 1}'))),
            ("s1", "entry_set", "request", "user", '{ "a": 1}'),
        ),
        (
            event(EventType.FRAGMENT_CREATED, FragmentEvent("mem_1", FRAGMENT)),
            ("", "fragment_created", "request", "mem_1", "one line"),
        ),
        (
            event(EventType.MEMORY_CREATED, MemoryEvent("m1", MEMORY)),
            ("", "memory_created", "request", "m1", "one line"),
        ),
        (event(EventType.MEMORIES_LINKED, LINKED), ("", "memories_linked", "request", "m1", "derived_from m2")),
        (
            event(EventType.NOTE_UPDATED, NoteEvent("n1", NOTE)),
            ("", "note_updated", "request", "n1", "Tea: one line"),
        ),
        (
            event(EventType.ENTITY_WINDOW_UPDATED, EntityWindowEvent("chat", WINDOW)),
            ("", "entity_window_updated", "request", "chat", "Home, About"),
        ),
    ],
)
def test_a_pipe_gets_all_of_it(given: Event, row: tuple[str, ...]) -> None:
    assert event_row(given) == (TIME, 7, "ada", *row)
