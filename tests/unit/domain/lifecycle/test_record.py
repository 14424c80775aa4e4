import contextlib
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.made import made
from tests.unit.domain.sample import NOW, Agent, plain, records_of

from memoryd_server.domain.conversations.conversation import Conversation, ConversationMessage
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entities.entity import Entity, EntityWindow
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryType
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.scope_change import DisposeScope
from memoryd_server.domain.error import DataDamaged, SchemaTooNew, SchemaTooOld
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_change import FlushFragments
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.kinds import PART_OF_RECORD
from memoryd_server.domain.lifecycle.record import SCHEMA_VERSION, decode_record, encode, image_of, state_of
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import (
    Confidence,
    Memory,
    MemoryStatus,
    MemoryType,
    MemoryVersion,
    Provenance,
    Purge,
)
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.plans.plan import Plan, PlanNote, PlanStatus, PlanStep, PlanStepStatus
from memoryd_server.domain.plans.plan_record import plan_records
from memoryd_server.domain.values.message import FilePart, MessageRole, TextPart, ToolCall, ToolResult

ENTRY = Entry("k", '"ü"', "id", "T", EntryType.FACT, 0.5, ("t",), '{"a":1}', "s", 7, 1, 2, 3, 12, 4, 5)
SCOPE = Scope("s", "name", ("p", "q"), 1, 2, 3)
RESERVATION = Reservation("s", "k", "token", 9)
FRAGMENT = Fragment(
    "mem_00000001", 3, "ü", "u", '{"a":1}', "Fact", "d", 0.5, ("p",), ("c",), '[{"b":2}]', 1, 2, 4, 5, flushed=True
)
LEASE = Lease("token", 9, (3,))
MEMORY = Memory(
    "m1",
    2,
    MemoryType.EPISODIC,
    "ü",
    "ann",
    "p",
    Provenance("c", "d", "e", 3),
    ("t",),
    '{"a":1}',
    0.5,
    1,
    2,
    3,
    4,
    5,
    (Confidence(1, 0.5),),
    MemoryStatus.SUPERSEDED,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
)
EMBEDDING = Embedding("m1", EmbeddingIdentity("model", "1", 2), bytes(8))
LINK = MemoryLink("m1", "m2", LinkType.SUPERSEDES, 0.5, 1, 2, 3)
VERSION = MemoryVersion(MEMORY, 3, 4)
PURGE = Purge("m0", 1, (b"digest",), is_erased=True, revision=2)
PARTS = (
    TextPart("Look"),
    FilePart("https://x/fox.png", "d", "image/png", "fox.png"),
    ToolCall("t", "find", "{}"),
    ToolResult("t", "find", "here", True),
)
MESSAGE = ConversationMessage("c", 1, "m", MessageRole.USER, "", PARTS, "ada", '{"a":1}', 0.5, 1, 2, 3, 20)
CONVERSATION = Conversation("c", 2, 1, 1, 2, 3, 4, 1, "They met", 2, "ann", "Foxes", ("t",), '{"a":1}')
NOTE = Note("n1", "work", "Tea", "Ada likes tea", 0.5, "ann", ("t",), '{"a":1}', 1, 2, 3, 32)
PLAN = Plan(
    "p1",
    "c/1",
    "ann",
    "Go",
    (PlanStep("1", "Pack", PlanStepStatus.BLOCKED, "shoes", 1, 2, 3),),
    (PlanNote("It rains", 2),),
    ("t",),
    '{"a":1}',
    PlanStatus.REPLACED,
    3,
    4,
    5,
    2,
    2,
    6,
    7,
)
PLAN_RECORDS = {change.kind: record for change, record in plan_records(PLAN)}
CURRENT_PLAN = msgspec.structs.replace(PLAN, status=PlanStatus.IN_PROGRESS, end_time=None)
ENTITY_WINDOW = EntityWindow("s/1", "ann", (Entity("page", "p1", "Home", "home", 1),), 10, 2, 3, 4, 20)
DOCUMENT = Document("d", "Guide", "On tea", "u", ("t",), '{"a":1}', "guide.md", "text/markdown", 4, 1, 1, 2, 3, 4, 20)
CHUNK = DocumentChunk("d", 1, "Guide > Tea", "text", "over", 1, EmbeddingIdentity("model", "1", 2), bytes(8), 3, 4, 27)
RECORDS = {name: made(part.records[name], 0) for name, part in PART_OF_RECORD.items()} | {
    "entry": ENTRY,
    "scope": SCOPE,
    "reservation": RESERVATION,
    "fragment": FRAGMENT,
    "lease": LEASE,
    "memory": MEMORY,
    "embedding": EMBEDDING,
    "link": LINK,
    "version": VERSION,
    "purge": PURGE,
    "note": NOTE,
    **PLAN_RECORDS,
    "message": MESSAGE,
    "conversation": CONVERSATION,
    "entity_window": ENTITY_WINDOW,
    "document": DOCUMENT,
    "document_chunk": CHUNK,
}


@pytest.mark.parametrize(("kind", "value"), RECORDS.items(), ids=RECORDS)
def test_a_record_is_read_as_it_was_written(kind: str, value: object) -> None:
    assert decode_record(kind, encode(value)) == value


def test_a_record_of_this_version_reads_the_same_forever() -> None:
    data = bytes.fromhex("03dc0010a16ba422c3bc22a26964a15401cb3fe000000000000091a174a77b2261223a317da173070102030c0405")
    assert decode_record("entry", data) == ENTRY
    fields = msgspec.msgpack.decode(data[1:])
    assert msgspec.msgpack.decode(encode(ENTRY)[1:])[: len(fields)] == fields


MEMORY_WRITTEN = (
    "03dc0019a26d310202a2c3bca3616e6ea17095a163a164a165030091a174a77b2261223a317dcb"
    "3fe00000000000000102030405919201cb3fe000000000000003060708090a0b0c0d"
)


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("memory", MEMORY_WRITTEN),
        ("link", "0397a26d31a26d3204cb3fe0000000000000010203"),
        ("purge", "0395a26d300191c406646967657374c302"),
    ],
)
def test_records_of_memories_of_this_version_read_the_same_forever(kind: str, written: str) -> None:
    data = bytes.fromhex(written)
    assert decode_record(kind, data) == RECORDS[kind]
    fields = msgspec.msgpack.decode(data[1:])
    assert msgspec.msgpack.decode(encode(RECORDS[kind])[1:])[: len(fields)] == fields


def test_an_older_version_is_refused_with_what_to_do() -> None:
    with pytest.raises(SchemaTooOld, match="empty data directory") as version:
        decode_record("entry", bytes([SCHEMA_VERSION - 1]) + encode(ENTRY)[1:])
    assert version.value.metadata == {"found_version": "2", "supported_version": "3"}


def test_fields_that_came_later_take_their_defaults() -> None:
    older = msgspec.msgpack.encode([*msgspec.to_builtins(ENTRY)[:14]])
    assert decode_record("entry", bytes([SCHEMA_VERSION]) + older).access_count == 0
    older = msgspec.msgpack.encode([*msgspec.to_builtins(CONVERSATION)[:9]])
    assert decode_record("conversation", bytes([SCHEMA_VERSION]) + older) == Conversation("c", 2, 1, 1, 2, 3, 4, 1)


def test_a_newer_version_and_an_unknown_kind_are_refused_as_too_new() -> None:
    with pytest.raises(SchemaTooNew) as version:
        decode_record("entry", bytes([SCHEMA_VERSION + 1]) + encode(ENTRY)[1:])
    assert version.value.metadata == {"found_version": "4", "supported_version": "3"}
    with pytest.raises(SchemaTooNew, match="'wish'"):
        decode_record("wish", encode(ENTRY))


@pytest.mark.parametrize("data", [b"", b"\0" + encode(ENTRY)[1:], encode(ENTRY)[:1], encode(ENTRY) + b"x"])
def test_bytes_that_nobody_wrote_are_damaged(data: bytes) -> None:
    with pytest.raises(DataDamaged):
        decode_record("entry", data)


def test_a_record_that_is_cut_anywhere_is_damaged() -> None:
    data = encode(ENTRY)
    required = len(data) - 2
    for length in range(required):
        with pytest.raises(DataDamaged):
            decode_record("entry", data[:length])


@settings(max_examples=300)
@given(st.binary(max_size=60), st.sampled_from(list(RECORDS)))
def test_random_bytes_never_end_in_another_error(data: bytes, kind: str) -> None:
    with contextlib.suppress(DataDamaged):
        decode_record(kind, bytes([SCHEMA_VERSION]) + data)


@settings(max_examples=300)
@given(st.integers(1, 40), st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused(position: int, value: int) -> None:
    data = bytearray(encode(ENTRY))
    data[position] = value
    with contextlib.suppress(DataDamaged):
        assert isinstance(decode_record("entry", bytes(data)), Entry)


def test_a_state_is_read_back_from_its_records() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    outer = agent.create_scope()
    agent.set("l", "22", agent.create_scope(outer))
    agent.do(DisposeScope(agent.create_scope()))
    agent.do(ReserveEntry(ROOT, "r", "t", 5))
    agent.store("one two")
    agent.store("two", ttl_ns=SECOND_NS)
    agent.do(FlushFragments())
    agent.lease(1)
    agent.store("three")
    agent.create("fox", memory_id="m1", identity=EMBEDDING.identity, vector=EMBEDDING.vector)
    agent.create("hen", memory_id="m2", expire_time=NOW + SECOND_NS, relates_to=(("m1", 0.5),))
    agent.create("owl", memory_id="m3")
    agent.do(PurgeMemory("m3", blocks_reimport=True))
    agent.do(FinishPurges(("m3",), agent.state.revision))
    agent.now += 2
    agent.do(ForgetMemory("m1", agent.policy))
    state = agent.state
    loaded = state_of("a", state.revision, state.create_time, state.update_time, records_of(state).values())
    assert plain(loaded) == plain(state)
    assert loaded.next_deadline == NOW + 5


def test_an_entry_of_a_scope_that_is_not_there_is_damage() -> None:
    with pytest.raises(DataDamaged, match="scope"):
        state_of("a", 1, 1, 1, [ENTRY])
    with pytest.raises(DataDamaged, match="scope"):
        state_of("a", 1, 1, 1, [ENTRY, SCOPE])


@pytest.mark.parametrize(
    ("records", "what"),
    [
        ([LEASE], "lease"),
        ([LEASE, msgspec.structs.replace(FRAGMENT, flushed=False)], "lease"),
        ([FRAGMENT, msgspec.structs.replace(FRAGMENT, fragment_id="mem_00000002")], "order"),
        ([msgspec.structs.replace(FRAGMENT, sequence=-1)], "order"),
        ([msgspec.structs.replace(FRAGMENT, sequence=2**40)], "order"),
    ],
)
def test_fragments_that_do_not_fit_together_are_damage(records: list[Fragment | Lease], what: str) -> None:
    with pytest.raises(DataDamaged, match=what):
        state_of("a", 1, 1, 1, records)


OTHER_MEMORY = msgspec.structs.replace(MEMORY, memory_id="m2", sequence=3)


@pytest.mark.parametrize(
    "records", [[EMBEDDING], [VERSION], [LINK, MEMORY], [LINK, OTHER_MEMORY], [OTHER_MEMORY, EMBEDDING]]
)
@pytest.mark.parametrize("read", [lambda records: state_of("a", 1, 1, 1, records), lambda r: image_of("a", r)])
def test_what_belongs_to_memories_that_are_not_there_is_damage(records: list[Any], read: object) -> None:
    assert callable(read)
    with pytest.raises(DataDamaged, match="memories"):
        read(records)


@pytest.mark.parametrize(
    "other", [msgspec.structs.replace(CURRENT_PLAN, plan_id="p2"), msgspec.structs.replace(PLAN, conversation_id="d")]
)
@pytest.mark.parametrize("read", [lambda records: state_of("a", 1, 1, 1, records), lambda r: image_of("a", r)])
def test_two_plans_of_one_name_or_for_one_conversation_are_damage(other: Plan, read: object) -> None:
    assert callable(read)
    read(records_of_plans(PLAN, msgspec.structs.replace(CURRENT_PLAN, plan_id="p2")))
    with pytest.raises(DataDamaged, match="two records of kind plan"):
        read(records_of_plans(CURRENT_PLAN, other))


def records_of_plans(*plans: Plan) -> list[Any]:
    return [record for plan in plans for _, record in plan_records(plan)]


@pytest.mark.parametrize(
    ("lost", "finding"),
    [("plan", "without its plan"), ("plan_step", "a plan without its"), ("plan_note", "a plan without its")],
)
@pytest.mark.parametrize("read", [lambda records: state_of("a", 1, 1, 1, records), lambda r: image_of("a", r)])
def test_a_plan_that_is_not_whole_is_damage(lost: str, finding: str, read: object) -> None:
    assert callable(read)
    with pytest.raises(DataDamaged, match=finding):
        read([record for kind, record in PLAN_RECORDS.items() if kind != lost])


OTHER_CHUNK = msgspec.structs.replace(CHUNK, number=2)


@pytest.mark.parametrize("records", [[CHUNK], [DOCUMENT], [DOCUMENT, OTHER_CHUNK], [DOCUMENT, CHUNK, OTHER_CHUNK]])
@pytest.mark.parametrize("read", [lambda records: state_of("a", 1, 1, 1, records), lambda r: image_of("a", r)])
def test_a_document_that_is_not_whole_is_damage(records: list[Any], read: object) -> None:
    assert callable(read)
    with pytest.raises(DataDamaged, match="document"):
        read(records)


def test_an_image_holds_all_records_by_their_names() -> None:
    scope = Scope("p", "name", (), 1, 2)
    entry = msgspec.structs.replace(ENTRY, scope_id="p")
    working = [SCOPE, RESERVATION, scope, entry, FRAGMENT, LEASE]
    lasting = [MEMORY, OTHER_MEMORY, EMBEDDING, LINK, VERSION, PURGE]
    assert image_of("a", [*working, *lasting]) == {
        **{name: [] for name in PART_OF_RECORD},
        "scope": [SCOPE, scope],
        "reservation": [RESERVATION],
        "entry": [entry],
        "fragment": [FRAGMENT],
        "lease": [LEASE],
        "memory": [MEMORY, OTHER_MEMORY],
        "embedding": [EMBEDDING],
        "link": [LINK],
        "version": [VERSION],
        "purge": [PURGE],
    }


def test_an_image_with_a_scope_below_a_missing_one_is_damage() -> None:
    with pytest.raises(DataDamaged, match="whose parent is missing"):
        image_of("a", [Scope("s", "name", ("p",), 1, 2)])


def test_a_value_for_which_no_memory_is_left_is_an_error_and_not_the_end_of_the_process() -> None:
    program = """
import resource
from pathlib import Path
from memoryd_server.domain.lifecycle.record import encode
value = ("key", "x" * 30_000_000)
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 20_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    encode(value)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr
