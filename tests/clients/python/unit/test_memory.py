import array
from datetime import UTC, datetime, timedelta

import pytest

from memoryd.model.memory import Embedding, MemoryType, Provenance, memory_from
from memoryd.protocol.memory import create_memory, get_memories, get_memory, reembed_memories
from memoryd.protocol.memory_draft import MemoryDraft, MemoryLinkDraft, draft_message
from memoryd.protocol.memory_update import MemoryChanges, update_memory
from memoryd.protocol.recall import MemoryFilters, memory_filter_of
from memoryd.v1 import listing_pb2, memory_pb2
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.record_filter_pb2 import RecordFilter

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


def updating(**changes: object) -> pb.UpdateMemoryRequest:
    request: pb.UpdateMemoryRequest = update_memory("a", "m", MemoryChanges(**changes), None).request  # type: ignore[typeddict-item]
    return request


def test_missing_fields_of_a_memory_are_none_or_empty() -> None:
    memory = memory_from(memory_pb2.Memory(memory_id="m", type=memory_pb2.MEMORY_TYPE_SEMANTIC))
    assert (memory.reinforce_time, memory.expire_time, memory.forget_time, memory.purge_time) == (None,) * 4
    assert (memory.provenance, memory.embedding, dict(memory.metadata)) == (Provenance(), None, {})


def test_a_type_of_a_newer_server_is_unspecified() -> None:
    unknown = memory_pb2.Memory()
    unknown.MergeFromString(b"\x60\x63")
    assert memory_from(unknown).type is MemoryType.UNSPECIFIED


def test_a_plain_draft_leaves_the_rest_to_the_server() -> None:
    assert draft_message(MemoryDraft("Ada: I moved.", "ada")) == pb.MemoryDraft(content="Ada: I moved.", user_id="ada")


def test_all_options_of_a_draft_are_sent() -> None:
    message = draft_message(
        MemoryDraft(
            "c",
            "u",
            project_id="p",
            memory_id="m",
            type="episodic",
            provenance=Provenance.from_conversation("talk", "she said so", position=3),
            aliases=["x", "y"],
            tags=["a", "b"],
            metadata={"turn": 3},
            importance=0.0,
            occur_time=NOON,
            ttl=timedelta(hours=1),
            embedding=Embedding.of([1, 0.5], model="mine", version="2"),
            links=[MemoryLinkDraft("other", "supersedes", 1.0), MemoryLinkDraft("third")],
            status="archived",
            allow_duplicates=True,
            skip_contradictions=True,
        )
    )
    assert (message.project_id, message.memory_id, message.tags) == ("p", "m", ["a", "b"])
    assert message.aliases == ["x", "y"]
    assert message.type == memory_pb2.MEMORY_TYPE_EPISODIC
    assert message.provenance == memory_pb2.Provenance(
        conversation_id="talk", learning_context="she said so", position=3
    )
    assert message.metadata["turn"] == 3
    assert message.HasField("importance")
    assert (message.occur_time.ToDatetime(UTC), message.ttl.seconds) == (NOON, 3_600)
    assert message.embedding == memory_pb2.Embedding(vector=[1, 0.5], model="mine", version="2")
    assert message.links == [
        pb.MemoryLinkDraft(to_memory_id="other", type=memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES, strength=1.0),
        pb.MemoryLinkDraft(to_memory_id="third", type=memory_pb2.MEMORY_LINK_TYPE_RELATED),
    ]
    assert (message.status, message.allow_duplicates) == (memory_pb2.MEMORY_STATUS_ARCHIVED, True)
    assert message.skip_contradictions


def test_an_invalid_draft_is_refused_by_the_client() -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        draft_message(MemoryDraft("c", "u", ttl=1, expire_time=NOON))
    with pytest.raises(TypeError, match="tags is one string"):
        draft_message(MemoryDraft("c", "u", tags="urgent"))
    with pytest.raises(ValueError, match="no time zone"):
        draft_message(MemoryDraft("c", "u", occur_time=NOON.replace(tzinfo=None)))
    with pytest.raises(ValueError, match="'dream' is no memory type: use "):
        draft_message(MemoryDraft("c", "u", type="dream"))


def test_a_vector_is_any_numbers() -> None:
    for numbers in ([1, 2], (1.0, 2.0), array.array("f", [1, 2]), map(float, (1, 2))):
        assert draft_message(MemoryDraft("c", "u", embedding=numbers)).embedding.vector == [1, 2]
    with pytest.raises(TypeError):
        draft_message(MemoryDraft("c", "u", embedding=[[1.0], [2.0]]))  # type: ignore[list-item]


def test_each_way_of_learning_has_its_provenance() -> None:
    assert Provenance.from_conversation("c-1", "chat") == Provenance(conversation_id="c-1", learning_context="chat")
    assert Provenance.from_document("d-1", "manual") == Provenance(document_id="d-1", learning_context="manual")
    assert Provenance.explicit("told so") == Provenance(learning_context="told so")


def test_an_update_changes_the_given_fields_and_no_others() -> None:
    request = updating(content="new", occur_time=NOON, tags=())
    assert request.update_mask.paths == ["content", "occur_time", "tags"]
    assert (request.draft.content, request.draft.occur_time.ToDatetime(UTC)) == ("new", NOON)


def test_an_update_clears_fields_that_are_given_as_none() -> None:
    request = updating(expire_time=None, metadata=None, provenance=None)
    assert request.update_mask.paths == ["expire_time", "metadata", "provenance"]
    assert not request.draft.HasField("expire_time")


def test_an_update_of_everything_carries_everything() -> None:
    request = updating(
        type="procedural",
        status="archived",
        provenance=Provenance.explicit("x"),
        aliases=["x"],
        tags=["t"],
        metadata={"a": [1]},
        importance=0.25,
        embedding=[1.0],
        expire_time=NOON,
    )
    assert request.draft.type == memory_pb2.MEMORY_TYPE_PROCEDURAL
    assert request.draft.status == memory_pb2.MEMORY_STATUS_ARCHIVED
    assert (request.draft.provenance.learning_context, request.draft.tags) == ("x", ["t"])
    assert request.draft.aliases == ["x"]
    assert (list(request.draft.metadata["a"]), request.draft.importance) == ([1], 0.25)
    assert (request.draft.embedding.vector, request.draft.expire_time.ToDatetime(UTC)) == ([1], NOON)


def test_an_update_of_nothing_is_refused_here() -> None:
    with pytest.raises(ValueError, match="has no changes"):
        updating()


def test_the_contract_has_each_field_that_may_be_changed() -> None:
    for path in updating(**dict.fromkeys(MemoryChanges.__annotations__, None) | NAMED).update_mask.paths:
        assert path in pb.MemoryDraft.DESCRIPTOR.fields_by_name


NAMED = {"content": "", "type": "semantic", "status": "active", "importance": 0.0, "tags": (), "aliases": ()}


def test_all_filters_travel() -> None:
    chosen = memory_filter_of(
        MemoryFilters(
            types=["semantic", "working"],
            statuses=["superseded"],
            user_id="u",
            project_id="p",
            conversation_id="c",
            all_tags=("a", "b"),
            any_tags=("c",),
            occur_start_time=NOON,
            occur_end_time=NOON + timedelta(days=1),
            min_salience=0.25,
        )
    )
    own = chosen.memory
    assert own.types == [memory_pb2.MEMORY_TYPE_SEMANTIC, memory_pb2.MEMORY_TYPE_WORKING]
    assert own.statuses == [memory_pb2.MEMORY_STATUS_SUPERSEDED]
    assert (chosen.user_ids, own.project_ids, chosen.conversation_ids) == (["u"], ["p"], ["c"])
    assert (chosen.all_tags, chosen.any_tags, own.min_salience) == (["a", "b"], ["c"], 0.25)
    assert own.occur_end_time.ToDatetime(UTC) - own.occur_start_time.ToDatetime(UTC) == timedelta(days=1)
    nothing: MemoryFilters = {"user_id": None, "project_id": None}
    assert memory_filter_of({}) == memory_filter_of(nothing) == RecordFilter()
    assert memory_filter_of({"project_id": ""}) == RecordFilter(memory={"project_ids": [""]})


@pytest.mark.parametrize("name", ["types", "statuses", "all_tags", "any_tags"])
def test_one_string_is_not_many(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is one string"):
        memory_filter_of({name: "semantic"})  # type: ignore[misc]


def test_a_read_time_includes_all_changes_within_its_microsecond() -> None:
    asked = get_memory("a", "m", read_time=NOON, include_forgotten=False, include_embedding=False).request.read_time
    assert asked.ToNanoseconds() == int(NOON.timestamp()) * 10**9 + 999
    now = get_memory("a", "m", read_time=None, include_forgotten=False, include_embedding=False).request
    assert not now.HasField("read_time")


@pytest.mark.parametrize(("embedded", "left", "goes_on"), [(10, 5, True), (5, 0, False), (0, 0, False), (0, 5, False)])
def test_memories_are_embedded_until_none_is_left_or_none_can_be(embedded: int, left: int, goes_on: bool) -> None:
    first = reembed_memories("a", 10, replace_client_embeddings=True)
    page = first.convert(pb.ReembedMemoriesResponse(embedded_count=embedded, remaining_count=left, model="m"))
    assert [(each.embedded_count, each.remaining_count, each.model) for each in page.items] == [(embedded, left, "m")]
    assert (page.following is not None) == goes_on
    if page.following is not None:
        assert page.following.request.request_id != first.request.request_id
        page.following.request.request_id = first.request.request_id
        assert page.following.request == first.request


def test_memories_are_got_until_none_remains_and_at_most_a_thousand_at_a_time() -> None:
    ids = [f"m{number}" for number in range(1_002)]
    first = get_memories("a", ids, include_forgotten=False, include_embedding=True, view="without_content")
    assert (first.request.memory_ids, first.request.include_embedding) == (ids[:1_000], True)
    assert first.request.view == listing_pb2.RECORD_VIEW_WITHOUT_CONTENT
    answer = pb.BatchGetMemoriesResponse(memories=[memory_pb2.Memory(memory_id="m0")], remaining_memory_ids=["m999"])
    page = first.convert(answer)
    assert [each.memory_id for each in page.items] == ["m0"]
    assert page.following is not None
    assert page.following.request.memory_ids == ["m999", "m1000", "m1001"]
    assert page.following.convert(pb.BatchGetMemoriesResponse()).following is None


def test_an_embedding_is_printed_without_its_numbers() -> None:
    embedding = Embedding.of([0.25] * 1_536, model="mine", version="2")
    assert repr(embedding) == "Embedding(<1536 numbers>, model='mine', version='2')"
    assert len(repr(MemoryDraft("c", "u", embedding=[0.5] * 1536))) < 500


def test_a_text_that_is_no_draft_is_refused_with_what_takes_one() -> None:
    with pytest.raises(TypeError, match=r"must be a MemoryDraft or a builder, not str: remember\(\) takes a text"):
        create_memory("a", "a text")  # type: ignore[arg-type]
