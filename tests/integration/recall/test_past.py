"""Recall with ``read_time`` returns memories as they were at that time."""

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.recall.remembering import Remembering

from memoryd.v1 import long_term_memory_service_pb2 as pb


def _update(agent: Remembering, memory_id: str, content: str) -> None:
    request = pb.UpdateMemoryRequest(
        agent_id=agent.id,
        memory_id=memory_id,
        draft=pb.MemoryDraft(content=content),
        update_mask=FieldMask(paths=["content"]),
    )
    assert agent.stub.UpdateMemory(request).changed


def _contents(agent: Remembering, query: str, read_time: Timestamp | None = None) -> list[str]:
    return [each.memory.content for each in agent.recall(query, read_time=read_time).memories]


def test_the_earlier_version_of_a_memory_is_found_as_of_then_and_not_now(fresh: Remembering) -> None:
    memory_id = fresh.remember("The standup is at nine.")
    before = fresh.get(memory_id).create_time
    _update(fresh, memory_id, "The standup is at eleven.")
    assert _contents(fresh, "standup") == ["The standup is at eleven."]
    assert _contents(fresh, "standup", before) == ["The standup is at nine."]
    after = fresh.get(memory_id).update_time
    assert _contents(fresh, "standup", after) == ["The standup is at eleven."]


def test_a_later_memory_is_not_found_as_of_before_its_creation(fresh: Remembering) -> None:
    first = fresh.remember("The standup is at nine.")
    then = fresh.get(first).create_time
    second = fresh.remember("The standup has a new leader.")
    assert set(fresh.found("standup")) == {first, second}
    assert fresh.found("standup", read_time=then) == [first]
    assert fresh.found("standup", read_time=Timestamp(seconds=then.seconds - 1)) == []


def test_a_forgotten_memory_is_found_as_of_before_it_was_forgotten(fresh: Remembering) -> None:
    memory_id = fresh.remember("The standup is at nine.")
    then = fresh.get(memory_id).create_time
    fresh.stub.ForgetMemory(pb.ForgetMemoryRequest(agent_id=fresh.id, memory_id=memory_id))
    assert fresh.found("standup") == []
    assert fresh.found("standup", read_time=then) == [memory_id]


def test_a_purged_memory_is_not_found_as_of_any_time(fresh: Remembering) -> None:
    memory_id = fresh.remember("The standup is at nine.")
    then = fresh.get(memory_id).create_time
    _update(fresh, memory_id, "The standup is at eleven.")
    fresh.stub.PurgeMemory(pb.PurgeMemoryRequest(agent_id=fresh.id, memory_id=memory_id))
    assert fresh.found("standup") == []
    assert fresh.found("standup", read_time=then) == []


def test_recall_of_the_past_does_not_count_as_an_access(fresh: Remembering) -> None:
    memory_id = fresh.remember("The standup is at nine.")
    then = fresh.get(memory_id).create_time
    before = fresh.get(memory_id).access_count
    fresh.found("standup", read_time=then)
    assert fresh.get(memory_id).access_count == before + 1
    fresh.found("standup")
    assert fresh.get(memory_id).access_count == before + 3
