"""Long-term memories of a running daemon: created, changed and recalled, with any text."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.long_term_memory import CREATED, REINFORCED, SUPERSEDES, LongTermMemories
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, at_revision, refused

from memoryd.v1 import event_pb2, memory_pb2
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.listing_pb2 import RECORD_VIEW_WITHOUT_CONTENT

WORKERS = 8


@pytest.fixture
def memories(agent: Memory) -> LongTermMemories:
    """The memories of a new agent."""
    return LongTermMemories(agent)


def test_a_memory_is_found_by_words_and_by_meaning_with_the_reasons(memories: LongTermMemories) -> None:
    memories.create_all("Ann: I adopted a puppy last month.", "Ann: The invoice is due on Friday.")
    by_words, *_ = memories.recall("When is the invoice due?").memories
    assert by_words.memory.content == "Ann: The invoice is due on Friday."
    assert "invoice" in by_words.matched_words
    assert by_words.match_reason.startswith("words: ")
    answer = memories.recall("canine pet")
    assert answer.semantic_used
    by_meaning = answer.memories[0]
    assert by_meaning.memory.content == "Ann: I adopted a puppy last month."
    assert by_meaning.semantic_score > 0
    assert "meaning" in by_meaning.match_reason
    assert answer.query_duration.ToNanoseconds() > 0
    for each in (by_words, by_meaning):
        assert 0 < each.score <= 1


def test_a_memory_is_found_by_the_words_of_its_neighbours_in_the_conversation(memories: LongTermMemories) -> None:
    for position, content in enumerate(("Bob: How was the marathon?", "Ann: Exhausting, but I finished.")):
        memories.create(
            content,
            provenance={"conversation_id": "c", "position": position},
            allow_duplicates=True,
            skip_contradictions=True,
        )
    found = {each.memory.content: each for each in memories.recall("marathon").memories}
    assert found["Ann: Exhausting, but I finished."].context_words == ["marathon"]


def test_recall_counts_as_access_and_follows_links(memories: LongTermMemories) -> None:
    fox, den = memories.create("A red fox"), memories.create("Under the old oak")
    memories.link(fox, den)
    found = {each.memory.memory_id: each for each in memories.recall("fox").memories}
    assert found[den].linked_from_memory_id == fox
    assert memories.get(fox).access_count == 2
    assert memories.get(fox).link_count == 1
    assert not [each for each in memories.recall("fox", include_linked=False).memories if each.linked_from_memory_id]


def test_a_duplicate_reinforces_the_existing_memory(memories: LongTermMemories) -> None:
    first, again = memories.created("Ann lives in Oslo"), memories.created("Ann lives in Oslo")
    assert (first.outcome, again.outcome) == (CREATED, REINFORCED)
    moved = memories.created("Ann lives in Bergen")
    assert moved.contradicted_memory_ids == [first.memory.memory_id]
    memories.link(moved.memory.memory_id, first.memory.memory_id, SUPERSEDES)
    assert memories.found("Where does Ann live?") == ["Ann lives in Bergen"]


def test_filters_exclude_every_memory_that_does_not_match(memories: LongTermMemories) -> None:
    for user_id, project_id in (("ann", "p"), ("ann", ""), ("bob", "p")):
        memories.create(f"The fox of {user_id} {project_id}", user_id, project_id=project_id, tags=[user_id])
    assert memories.found("fox", filter={"user_ids": ["bob"]}) == ["The fox of bob p"]
    assert memories.found("fox", filter={"user_ids": ["ann"], "memory": {"project_ids": ["p"]}}) == ["The fox of ann p"]
    assert memories.found("fox", filter={"all_tags": ["bob", "ann"]}) == []
    assert memories.found("ann", filter={"user_ids": ["bob"]}) in ([], ["The fox of bob p"])
    assert len(memories.found("fox")) == 3


@pytest.mark.parametrize(
    "text",
    [
        '"unbalanced AND (NEAR fox* ^x:y -z',
        "'; DROP TABLE memories; --",
        "content: NOT fox OR -fox",
        "{col}: ^ * + \\ % _ ?",
        "🦊 🦊🏽‍🦰 👩‍👩‍👧",
        "الثعلب السريع يقفز",
        "שועל חום זריז",
        "敏捷的棕色狐狸跳过了懒狗",
        "すばやい茶色の狐",
        "재빠른 갈색 여우",
        "ﬁancée naïve Straße ǅ İstanbul",
        "a\0b fox \x1b[31m \u202e xof",
        "e\u0301" * 50,
        "x" * 4_000,
    ],
)
def test_any_text_is_stored_byte_for_byte_and_found_by_itself(memories: LongTermMemories, text: str) -> None:
    memories.create("Another thing altogether")
    memory_id = memories.create(text)
    assert memories.get(memory_id).content == text
    assert memories.found(text)[:1] == [text]


@pytest.mark.parametrize(
    ("text", "query"), [("敏捷的棕色狐狸跳过了懒狗", "狐狸"), ("재빠른 갈색 여우가", "여우"), ("🦊 ate", "🦊")]
)
def test_a_part_of_a_text_without_spaces_finds_it(memories: LongTermMemories, text: str, query: str) -> None:
    memories.create_all(text, "Another thing altogether")
    assert memories.found(query)[:1] == [text]


@pytest.mark.parametrize("query", ['"', "*", "AND", "NEAR(", "^", "the of and", "🦄", "\0", "?!", "-", "x" * 4_096])
def test_a_query_without_words_is_accepted(memories: LongTermMemories, query: str) -> None:
    memories.create("A red fox")
    assert 0 <= memories.recall(query).match_count <= 1


def test_a_content_of_a_mebibyte_is_stored_and_found(memories: LongTermMemories) -> None:
    content = ("lorem ipsum " * 90_000)[: (1 << 20) - 7] + " zebra!"
    memory_id = memories.create(content)
    assert memories.get(memory_id).content == content
    assert memories.recall("zebra").memories[0].memory.memory_id == memory_id
    refusal = refused(lambda: memories.create(content + "!"))
    assert refusal.own_metadata == {"limit": "memory_bytes", "value": str(1 << 20)}


def test_a_memory_beyond_a_limit_is_refused_without_losing_another(small_wire: Wire) -> None:
    memories = LongTermMemories(small_wire.agent())
    for content in ("ü" * 8, "x" * 16):
        memories.create(content, "u")
    full = refused(lambda: memories.create("third", "u"))
    assert (full.code, full.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")
    assert full.own_metadata == {"limit": "memories_per_agent", "value": "2"}
    large = refused(lambda: memories.create("ü" * 9, "u"))
    assert large.own_metadata == {"limit": "memory_bytes", "value": "16"}
    memory_id = memories.listed().memories[0].memory_id
    grown = refused(lambda: memories.update(memory_id, tags=["t" * 180]))
    assert grown.own_metadata == {"limit": "storage_bytes_per_agent", "value": "200"}
    assert memories.contents() == ["x" * 16, "ü" * 8]
    memories.purge(memory_id)
    assert memories.created("third", "u").outcome == CREATED


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_an_invalid_vector_is_refused_with_its_field(memories: LongTermMemories, number: float) -> None:
    vector = {"vector": [1, number]}
    calls = {
        "draft.embedding.vector": (
            lambda: memories.create("x", embedding=vector),
            lambda: memories.update("x", embedding=memory_pb2.Embedding(**vector)),
        ),
        "embedding.vector": (lambda: memories.recall("", embedding=vector),),
    }
    for field, call in ((field, each) for field, several in calls.items() for each in several):
        refusal = refused(call)
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))


@pytest.mark.parametrize("vector", [[0.0, 0.0], [3e38, -3e38], [1e-45, 0.0]], ids=["zero", "huge", "tiny"])
def test_a_vector_of_any_length_is_compared_by_its_direction_only(
    memories: LongTermMemories, vector: list[float]
) -> None:
    memory_id = memories.create("red fox", embedding={"vector": vector, "model": "m"})
    other = memories.create("grey wolf", embedding={"vector": [1, 0, 0], "model": "m"})
    kept = memories.get(memory_id, include_embedding=True).embedding
    assert list(kept.vector) == pytest.approx(vector, rel=1e-6)
    asked: Any = {"vector": vector, "model": "m"}
    found = [each.memory.memory_id for each in memories.recall("", embedding=asked).memories]
    assert found == ([memory_id] if any(vector) else [])
    assert other not in found
    assert memories.found("fox", embedding=asked) == ["red fox"]


def test_a_vector_is_compared_only_with_those_of_its_model_version_and_size(memories: LongTermMemories) -> None:
    memories.create("red fox", embedding={"vector": [1, 0], "model": "m", "version": "1"})
    for model, version, vector in (("n", "1", [1, 0]), ("m", "2", [1, 0]), ("m", "1", [1, 0, 0])):
        asked: Any = {"vector": vector, "model": model, "version": version}
        assert memories.recall("", embedding=asked).match_count == 0
    right: Any = {"vector": [2, 0], "model": "m", "version": "1"}
    assert memories.found("", embedding=right) == ["red fox"]


def test_times_in_the_distant_past_and_future_are_stored_and_filtered_by(memories: LongTermMemories) -> None:
    for year, seconds in ((1700, -8_520_336_000), (2255, 8_993_894_400)):
        memories.create(f"The fox of the year {year}", occur_time={"seconds": seconds})
    assert len(memories.found("fox last week")) == 2
    early = memories.found("fox", filter={"memory": {"occur_end_time": {"seconds": 0}}})
    assert early == ["The fox of the year 1700"]


def test_eight_writers_and_eight_readers_find_every_acknowledged_memory(memories: LongTermMemories) -> None:
    readers_go_on = True

    def write(writer: int) -> None:
        for number in range(8):
            name = f"w{writer}n{number}"
            memories.create(f"The thing {name}", allow_duplicates=True, skip_contradictions=True)
            assert memories.recall(name).memories[0].memory.content == f"The thing {name}"

    def read(_: int) -> int:
        seen = 0
        while readers_go_on:
            answer = memories.recall("thing", limit=100)
            assert answer.match_count >= seen
            seen = answer.match_count
        return seen

    with ThreadPoolExecutor(2 * WORKERS) as pool:
        reading = [pool.submit(read, number) for number in range(WORKERS)]
        try:
            list(pool.map(write, range(WORKERS)))
        finally:
            readers_go_on = False
        assert max(each.result() for each in reading) <= 8 * WORKERS
    assert memories.listed().total_count == memories.recall("thing").match_count == 8 * WORKERS


def test_every_call_about_a_missing_memory_is_refused(memories: LongTermMemories) -> None:
    known = memories.create("one")
    calls = [
        lambda: memories.get("no-such"),
        lambda: memories.update("no-such", content="x"),
        lambda: memories.reinforce("no-such"),
        lambda: memories.restore("no-such"),
        lambda: memories.link(known, "no-such"),
        lambda: memories.links(memory_id="no-such"),
    ]
    for call in calls:
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "RECORD_NOT_FOUND")
        assert refusal.own_metadata == {"kind": "memory", "record_id": "no-such"}
    taken = refused(lambda: memories.create("two", memory_id=known))
    assert (taken.code, taken.reason) == (grpc.StatusCode.ALREADY_EXISTS, "RECORD_EXISTS")
    for call in (memories.purge, memories.forget):
        missing = call("no-such")
        assert (missing.deleted, missing.revision) == (False, 1)
        for memory_id in (known, "no-such"):
            lost = refused(lambda: call(memory_id, precondition=at_revision(7)))  # noqa: B023 - called at once
            assert (lost.code, lost.reason) == (grpc.StatusCode.ABORTED, "REVISION_MISMATCH")


def test_a_watch_receives_every_change_and_the_initial_state(memories: LongTermMemories) -> None:
    wire, agent_id = memories.agent.wire, memories.agent.id
    with Watcher(wire, agent_id).opened() as watcher:
        first = memories.create("one", provenance={"conversation_id": "c"}, metadata={"n": 1})
        second = memories.create("two")
        memories.link(first, second)
        memories.update(first, content="uno")
        memories.reinforce(first)
        memories.forget(second)
        memories.purge(second)
        types = [event_pb2.EventType.Name(each.type).removeprefix("EVENT_TYPE_") for each in watcher.until_events(7)]
    assert types == [
        "MEMORY_CREATED",
        "MEMORY_CREATED",
        "MEMORIES_LINKED",
        "MEMORY_UPDATED",
        "MEMORY_REINFORCED",
        "MEMORY_FORGOTTEN",
        "MEMORY_PURGED",
    ]
    created, _, linked, updated, *_, purged = watcher.events
    assert (created.memory.memory_id, created.memory.memory.content) == (first, "one")
    assert created.memory.memory.metadata["n"] == 1
    assert (linked.memory_link.from_memory_id, linked.memory_link.to_memory_id) == (first, second)
    assert (updated.memory.memory.content, updated.memory.memory.revision) == ("uno", updated.revision)
    assert (purged.memory.memory_id, purged.memory.HasField("memory")) == (second, False)
    third = memories.create("three")
    memories.link(first, third)
    with Watcher(wire, agent_id, include_initial_state=True).opened() as late:
        late.until_phase(event_pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
    assert [(each.memory.memory.content, each.memory_link.to_memory_id) for each in late.events] == [
        ("uno", ""),
        ("three", ""),
        ("", third),
    ]
    bare = {"view": RECORD_VIEW_WITHOUT_CONTENT, "include_initial_state": True}
    with Watcher(wire, agent_id, **bare).opened() as watcher:
        watcher.until_phase(event_pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
    assert {each.memory.memory.content for each in watcher.events} == {""}


def test_filters_by_scope_or_key_exclude_events_of_memories(memories: LongTermMemories) -> None:
    memories.create("one")
    memories.agent.set("key")
    for chosen, count in (({"key_prefix": "k"}, 1), ({"scope_ids": [""]}, 1), ({}, 2)):
        filters = [event_pb2.EventFilter(agent_ids=[memories.agent.id], **chosen)]  # type: ignore[arg-type]
        assert len(memories.agent.wire.events.ListEvents(event_pb.ListEventsRequest(filters=filters)).events) == count
    kinds = [event_pb2.EVENT_TYPE_MEMORY_CREATED]
    filters = [event_pb2.EventFilter(agent_ids=[memories.agent.id], event_types=kinds)]
    (event,) = memories.agent.wire.events.ListEvents(event_pb.ListEventsRequest(filters=filters)).events
    assert event.memory.memory.content == "one"


def test_a_request_id_creates_once(memories: LongTermMemories) -> None:
    draft = pb.MemoryDraft(content="one", user_id="ann", allow_duplicates=True, skip_contradictions=True)
    request = pb.CreateMemoryRequest(agent_id=memories.agent.id, draft=draft, request_id="r")
    first, again = memories.stub.CreateMemory(request), memories.stub.CreateMemory(request)
    assert (first.memory.memory_id, first.revision) == (again.memory.memory_id, again.revision)
    assert (again.created, again.memory.content, memories.listed().total_count) == (True, "one", 1)
    request.draft.content = "two"
    assert refused(lambda: memories.stub.CreateMemory(request)).reason == "REQUEST_ID_REUSED"


def test_large_memories_are_listed_in_pages_that_a_client_accepts(shared_daemon: Daemon, shared_wire: Wire) -> None:
    memories = LongTermMemories(shared_wire.agent())
    ids = [
        memories.create(f"fox {number} " + "x" * 700_000, allow_duplicates=True, skip_contradictions=True)
        for number in range(4)
    ]
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(shared_daemon.address, options=options) as channel:
        plain = LongTermMemories(Wire(channel).agent(memories.agent.id))
        page = plain.listed()
        seen = [each.memory_id for each in page.memories]
        while page.next_page_token:
            page = plain.listed(page_token=page.next_page_token)
            seen += [each.memory_id for each in page.memories]
        assert seen == ids[::-1]
        assert 1 < len(plain.recall("fox").memories) < len(ids)
