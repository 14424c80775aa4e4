import math
import struct
from typing import Any
from unittest.mock import Mock, patch

import pytest
from google.protobuf import field_mask_pb2, struct_pb2
from tests.unit.domain.sample import IDENTITY, NOW, Agent

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.limit import DAY_NS, EMBEDDING_DIMENSIONS_MAX, SECOND_NS, Limits
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, ReinforceMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryStatus, MemoryType, Provenance
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.engine.memories.long_term_memories import KnownMemory
from memoryd_server.transport.fields.timestamp import Timestamp, timestamp
from memoryd_server.transport.memories import memory_message as reading
from memoryd_server.transport.memories.memory_message import (
    link_message,
    memory_draft_of,
    memory_message,
    memory_patch_of,
    moment_of,
    vector_of,
)

FAR = Timestamp(seconds=253_402_300_799)
"""The last second of a Timestamp, which has more nanoseconds than fit into 64 bits."""


def draft_of(**fields: Any) -> MemoryDraft:
    """Return the draft of a message with these fields and those that are required."""
    message = pb.MemoryDraft(**{"content": "Ann lives in Oslo", "user_id": "ann", **fields})
    return memory_draft_of(message, "draft", NOW, MemoryPolicy(working_ns=7), Limits(memory_bytes=100))


def patch_of(*paths: str, **fields: Any) -> MemoryPatch:
    mask = field_mask_pb2.FieldMask(paths=paths)
    return memory_patch_of(pb.MemoryDraft(**fields), mask, NOW, Limits(memory_bytes=100))[0]


def vector(*numbers: float) -> memory_pb2.Embedding:
    return memory_pb2.Embedding(vector=numbers, model="model", version="1")


def metadata(**values: Any) -> struct_pb2.Struct:
    message = struct_pb2.Struct()
    message.update(values)
    return message


def test_a_draft_of_required_fields_has_the_defaults() -> None:
    draft = draft_of()
    assert draft == MemoryDraft("Ann lives in Oslo", "ann", MemoryType.SEMANTIC)
    assert (draft.importance, draft.status, draft.looks_for_kin) == (0.5, MemoryStatus.ACTIVE, True)


def test_a_draft_has_every_field_of_its_message() -> None:
    draft = draft_of(
        project_id="p",
        memory_id="a.B:c_d-1",
        type=memory_pb2.MEMORY_TYPE_EPISODIC,
        provenance=memory_pb2.Provenance(conversation_id="c", document_id="d", learning_context="l", position=-(2**63)),
        aliases=["NYC", "the Big Apple", "NYC"],
        tags=["b", "a", "b"],
        metadata=metadata(n=1, t="ü"),
        importance=0.0,
        occur_time=timestamp(-5),
        ttl={"seconds": 3},
        embedding=vector(1, -0.5),
        links=[pb.MemoryLinkDraft(to_memory_id="x", type=memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES)],
        status=memory_pb2.MEMORY_STATUS_ARCHIVED,
        allow_duplicates=True,
        skip_contradictions=True,
    )
    assert draft == MemoryDraft(
        "Ann lives in Oslo",
        "ann",
        MemoryType.EPISODIC,
        memory_id="a.B:c_d-1",
        project_id="p",
        provenance=Provenance("c", "d", "l", -(2**63)),
        aliases=("NYC", "the Big Apple"),
        tags=("b", "a"),
        metadata_json=draft.metadata_json,
        importance=0.0,
        occur_time=-5,
        expire_time=NOW + 3 * SECOND_NS,
        identity=IDENTITY,
        vector=struct.pack("<2f", 1, -0.5),
        is_vector_given=True,
        links=(MemoryLinkDraft("x", LinkType.SUPERSEDES, 0.5),),
        status=MemoryStatus.ARCHIVED,
        allow_duplicates=True,
        skip_contradictions=True,
    )
    assert draft.metadata_json in ('{"n":1,"t":"ü"}', '{"t":"ü","n":1}')


def test_a_type_is_inferred_from_the_content_unless_it_is_given() -> None:
    assert draft_of(content="first run make, then deploy").type is MemoryType.PROCEDURAL
    assert draft_of(content="first run make", type=1).type is MemoryType.SEMANTIC


def test_a_memory_of_type_working_expires_by_policy_unless_a_time_is_given() -> None:
    assert draft_of(type=4).expire_time == NOW + 7
    assert draft_of(type=4, expire_time=timestamp(NOW + DAY_NS)).expire_time == NOW + DAY_NS
    assert draft_of(type=1).expire_time is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": ""}, "draft.content"),
        ({"user_id": " "}, "draft.user_id"),
        ({"user_id": "x" * 257}, "draft.user_id"),
        ({"project_id": "a\0b"}, "draft.project_id"),
        ({"memory_id": "a/b"}, "draft.memory_id"),
        ({"memory_id": "ä"}, "draft.memory_id"),
        ({"memory_id": "x" * 129}, "draft.memory_id"),
        ({"memory_id": "x\n"}, "draft.memory_id"),
        ({"type": 9}, "draft.type"),
        ({"type": -1}, "draft.type"),
        ({"status": 4}, "draft.status"),
        ({"provenance": {"conversation_id": "x" * 257}}, "draft.provenance.conversation_id"),
        ({"provenance": {"document_id": "\n"}}, "draft.provenance.document_id"),
        ({"provenance": {"learning_context": "x" * 1025}}, "draft.provenance.learning_context"),
        ({"aliases": [""]}, "draft.aliases"),
        ({"aliases": ["x" * 257]}, "draft.aliases"),
        ({"aliases": [str(n) for n in range(33)]}, "draft.aliases"),
        ({"tags": [""]}, "draft.tags"),
        ({"tags": [str(n) for n in range(65)]}, "draft.tags"),
        ({"metadata": metadata(n=math.nan)}, "draft.metadata"),
        ({"metadata": metadata(n="x" * 65_536)}, "draft.metadata"),
        ({"importance": math.nan}, "draft.importance"),
        ({"importance": math.inf}, "draft.importance"),
        ({"importance": -0.1}, "draft.importance"),
        ({"importance": 1.1}, "draft.importance"),
        ({"occur_time": FAR}, "draft.occur_time"),
        ({"occur_time": Timestamp(nanos=-1)}, "draft.occur_time"),
        ({"embedding": vector()}, "draft.embedding.vector"),
        ({"embedding": vector(1, math.nan)}, "draft.embedding.vector"),
        ({"embedding": vector(1, -math.inf)}, "draft.embedding.vector"),
        ({"embedding": vector(math.inf, -math.inf)}, "draft.embedding.vector"),
        ({"embedding": vector(*[0.5] * (EMBEDDING_DIMENSIONS_MAX + 1))}, "draft.embedding.vector"),
        ({"embedding": {"vector": [1], "model": "x" * 257}}, "draft.embedding.model"),
        ({"embedding": {"vector": [1], "version": "\0"}}, "draft.embedding.version"),
        ({"links": [{"type": 1}]}, "draft.links[0].to_memory_id"),
        ({"links": [{"to_memory_id": "x"}]}, "draft.links[0].type"),
        ({"links": [{"to_memory_id": "x", "type": 6}]}, "draft.links[0].type"),
        ({"links": [{"to_memory_id": "x", "type": 1, "strength": math.nan}]}, "draft.links[0].strength"),
        ({"links": [{"to_memory_id": "x", "type": 1, "strength": 1.5}]}, "draft.links[0].strength"),
        ({"links": [{"to_memory_id": "x", "type": 1}] * 65}, "draft.links"),
        ({"links": [{}] * 65}, "draft.links"),
    ],
)
def test_a_refused_draft_names_the_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        draft_of(**fields)
    assert refused.value.field == field


def test_content_is_limited_in_bytes() -> None:
    assert draft_of(content="ü" * 50).content == "ü" * 50
    with pytest.raises(TooLarge) as refused:
        draft_of(content="ü" * 51)
    assert refused.value.metadata == {"limit": "memory_bytes", "value": "100"}


def test_a_patch_has_only_the_fields_of_the_mask() -> None:
    fields: dict[str, Any] = {
        "content": "new",
        "type": 3,
        "status": 2,
        "provenance": {"document_id": "d"},
        "tags": ["t"],
        "aliases": ["a"],
        "metadata": metadata(n=1),
        "importance": 0.75,
        "occur_time": timestamp(5),
        "expire_time": timestamp(NOW + 1),
    }
    assert patch_of("content", **fields) == MemoryPatch(content="new")
    every = ["content", "type", "status", "provenance", "tags", "metadata", "importance"]
    assert patch_of(*every, "occur_time", "expire_time", "aliases", **fields) == MemoryPatch(
        "new",
        MemoryType.PROCEDURAL,
        MemoryStatus.ARCHIVED,
        Provenance(document_id="d"),
        ("t",),
        '{"n":1}',
        0.75,
        5,
        NOW + 1,
        ("a",),
    )
    assert patch_of("expire_time", ttl={"nanos": 7}) == MemoryPatch(expire_time=NOW + 7)


def test_a_field_of_the_mask_that_is_absent_is_cleared() -> None:
    patch = patch_of("provenance", "tags", "metadata", "expire_time", "aliases")
    assert patch == MemoryPatch(provenance=Provenance(), tags=(), metadata_json="", expire_time=None, aliases=())


@pytest.mark.parametrize(
    ("paths", "fields", "field"),
    [
        ((), {}, "update_mask"),
        (("memory_id",), {}, "update_mask"),
        (("content", "ttl"), {"content": "x"}, "update_mask"),
        (("links",), {}, "update_mask"),
        (("salience",), {}, "update_mask"),
        (("content",), {}, "draft.content"),
        (("type",), {}, "draft.type"),
        (("status",), {}, "draft.status"),
        (("status",), {"status": 7}, "draft.status"),
        (("tags",), {"tags": ["\0"]}, "draft.tags"),
        (("aliases",), {"aliases": ["\0"]}, "draft.aliases"),
        (("metadata",), {"metadata": metadata(n=math.inf)}, "draft.metadata"),
        (("importance",), {"importance": math.nan}, "draft.importance"),
        (("provenance",), {"provenance": {"document_id": "x" * 257}}, "draft.provenance.document_id"),
        (("occur_time",), {}, "draft.occur_time"),
        (("occur_time",), {"occur_time": FAR}, "draft.occur_time"),
        (("expire_time",), {"expire_time": FAR}, "draft.expire_time"),
        (("expire_time",), {"expire_time": timestamp(NOW)}, "draft.expire_time"),
        (("expire_time",), {"ttl": {}}, "draft.ttl"),
        (("embedding",), {}, "draft.embedding.vector"),
        (("embedding",), {"embedding": vector(math.nan)}, "draft.embedding.vector"),
    ],
)
def test_a_refused_patch_names_the_field(paths: tuple[str, ...], fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        patch_of(*paths, **fields)
    assert refused.value.field == field


@pytest.mark.parametrize("seconds", [-(2**63), -62_135_596_800, -9_223_372_037, 9_223_372_037, 2**63 - 1])
def test_a_time_that_exceeds_64_bits_is_refused_with_the_bounds(seconds: int) -> None:
    with pytest.raises(InvalidField, match="read_time: must be from 1677-09-22 to 2262-04-11"):
        moment_of(Timestamp(seconds=seconds), "read_time")


def test_the_earliest_time_is_accepted() -> None:
    assert moment_of(Timestamp(seconds=-9_223_286_400), "read_time") == -9_223_286_400 * 10**9  # 1677-09-22


def test_a_repeated_field_of_the_mask_is_read_once() -> None:
    read = Mock(return_value="new")
    with patch.dict(reading._PATCHES, {"content": ("content", read)}):
        assert patch_of(*["content"] * 1_000) == MemoryPatch("new")
    assert read.call_count == 1


def test_a_patch_may_have_a_vector() -> None:
    mask = field_mask_pb2.FieldMask(paths=["embedding"])
    changed, given = memory_patch_of(pb.MemoryDraft(embedding=vector(1, 2)), mask, NOW, Limits())
    assert (changed, given) == (MemoryPatch(), (IDENTITY, struct.pack("<2f", 1, 2)))


def test_the_largest_float32_is_accepted_in_a_vector() -> None:
    largest = struct.pack("<f", 3.4028234663852886e38)
    message = memory_pb2.Embedding(vector=struct.unpack("<f", largest) * EMBEDDING_DIMENSIONS_MAX)
    assert vector_of(message, "f")[1] == largest * EMBEDDING_DIMENSIONS_MAX


def test_a_vector_is_identified_by_its_model_version_and_length() -> None:
    assert vector_of(memory_pb2.Embedding(vector=[1, 2, 3]), "f")[0] == EmbeddingIdentity("", "", 3)
    longest = memory_pb2.Embedding(vector=[0.0] * EMBEDDING_DIMENSIONS_MAX)
    assert len(vector_of(longest, "f")[1]) == 4 * EMBEDDING_DIMENSIONS_MAX


def test_a_memory_is_encoded_with_all_its_fields() -> None:
    agent = Agent()
    agent.now += 5
    memory = agent.create(
        "Ann lives in Oslo",
        project_id="p",
        provenance=Provenance("c", "d", "l", 3),
        aliases=("b", "a"),
        tags=("t", "s"),
        metadata_json='{"n":[1,{"x":null}]}',
        importance=0.25,
        occur_time=-1,
        expire_time=NOW + DAY_NS,
    )
    agent.do(ReinforceMemory(memory.memory_id, agent.policy, 0.75))
    agent.do(ForgetMemory(memory.memory_id, agent.policy))
    memory = agent.memory(memory.memory_id)
    embedding = Embedding(memory.memory_id, IDENTITY, struct.pack("<2f", 1, -0.5))
    known = KnownMemory(memory, 0.5, 2, 7, NOW + 9, embedding)
    message = memory_message("a", known)
    assert (message.memory_id, message.agent_id, message.content) == (memory.memory_id, "a", "Ann lives in Oslo")
    assert (message.type, message.status, message.importance) == (1, 1, 0.25)
    assert (message.user_id, message.project_id, message.revision) == ("ann", "p", memory.revision)
    assert (message.tags, message.link_count, message.salience) == (["t", "s"], 2, 0.5)
    assert message.aliases == ["b", "a"]
    origin = message.provenance
    assert (origin.conversation_id, origin.document_id, origin.learning_context, origin.position) == ("c", "d", "l", 3)
    assert message.metadata == metadata(n=[1, {"x": None}])
    assert message.embedding == vector(1, -0.5)
    assert (message.confidence, message.access_count, message.reinforce_count) == (0.75, 7, 1)
    assert not message.confidence_history
    history = memory_message("a", known, include_history=True).confidence_history
    assert [(each.start_time.ToNanoseconds(), each.confidence) for each in history] == [(NOW + 5, 0.5), (NOW + 5, 0.75)]
    times = ((field.name, value) for field, value in message.ListFields() if field.name.endswith("_time"))
    assert {name: value.ToNanoseconds() for name, value in times} == {
        "create_time": NOW + 5,
        "update_time": NOW + 5,
        "occur_time": -1,
        "last_access_time": NOW + 9,
        "reinforce_time": NOW + 5,
        "expire_time": NOW + DAY_NS,
        "forget_time": NOW + 5,
        "purge_time": NOW + 5 + agent.policy.forgotten_ns,
    }


def test_fields_that_a_memory_lacks_are_absent_from_its_message() -> None:
    message = memory_message("a", KnownMemory(Agent().create("one"), 0.5, 0, 0, NOW))
    assert not {"provenance", "metadata", "embedding"} & {field.name for field, _ in message.ListFields()}
    times = {field.name for field, _ in message.ListFields() if field.name.endswith("_time")}
    assert times == {"create_time", "update_time", "occur_time", "last_access_time"}


def test_a_link_is_encoded_with_all_its_fields() -> None:
    agent = Agent()
    first, second = agent.create("one"), agent.create("two")
    agent.link(first.memory_id, second.memory_id, LinkType.CONTRADICTS, 0.25)
    (link,) = agent.state.part(MEMORIES).links_of(first.memory_id)
    assert link_message("a", link) == memory_pb2.MemoryLink(
        agent_id="a",
        update_time=timestamp(link.update_time),
        from_memory_id=first.memory_id,
        to_memory_id=second.memory_id,
        type=memory_pb2.MEMORY_LINK_TYPE_CONTRADICTS,
        strength=0.25,
        create_time=timestamp(NOW),
        revision=3,
    )
