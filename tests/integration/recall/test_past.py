"""Recall as of a moment answers what was known then."""

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.recall.remembering import Remembering

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.memory_pb2 import Memory


def _rewritten(agent: Remembering, memory_id: str, content: str) -> None:
    request = pb.UpdateMemoryRequest(
        agent_id=agent.id,
        memory_id=memory_id,
        memory=Memory(content=content),
        update_mask=FieldMask(paths=["content"]),
    )
    assert agent.stub.UpdateMemory(request).updated


def _contents(agent: Remembering, query: str, as_of: Timestamp | None = None) -> list[str]:
    return [each.memory.content for each in agent.asked(query, as_of=as_of).memories]


def test_what_a_memory_was_before_a_change_is_found_as_of_then_and_not_now(fresh: Remembering) -> None:
    memory_id = fresh.told("The standup is at nine.")
    before = fresh.get(memory_id).temporal.create_time
    _rewritten(fresh, memory_id, "The standup is at eleven.")
    assert _contents(fresh, "standup") == ["The standup is at eleven."]
    assert _contents(fresh, "standup", before) == ["The standup is at nine."]
    after = fresh.get(memory_id).temporal.update_time
    assert _contents(fresh, "standup", after) == ["The standup is at eleven."]


def test_what_was_not_yet_known_is_not_found(fresh: Remembering) -> None:
    first = fresh.told("The standup is at nine.")
    then = fresh.get(first).temporal.create_time
    second = fresh.told("The standup has a new leader.")
    assert set(fresh.found("standup")) == {first, second}
    assert fresh.found("standup", as_of=then) == [first]
    assert fresh.found("standup", as_of=Timestamp(seconds=then.seconds - 1)) == []


def test_what_was_forgotten_is_found_as_of_before(fresh: Remembering) -> None:
    memory_id = fresh.told("The standup is at nine.")
    then = fresh.get(memory_id).temporal.create_time
    fresh.stub.ForgetMemory(pb.ForgetMemoryRequest(agent_id=fresh.id, memory_id=memory_id))
    assert fresh.found("standup") == []
    assert fresh.found("standup", as_of=then) == [memory_id]


def test_what_was_purged_is_not_found_as_of_any_time(fresh: Remembering) -> None:
    memory_id = fresh.told("The standup is at nine.")
    then = fresh.get(memory_id).temporal.create_time
    _rewritten(fresh, memory_id, "The standup is at eleven.")
    fresh.stub.PurgeMemory(pb.PurgeMemoryRequest(agent_id=fresh.id, memory_id=memory_id))
    assert fresh.found("standup") == []
    assert fresh.found("standup", as_of=then) == []


def test_looking_back_is_no_access(fresh: Remembering) -> None:
    memory_id = fresh.told("The standup is at nine.")
    then = fresh.get(memory_id).temporal.create_time
    before = fresh.get(memory_id).temporal.access_count
    fresh.found("standup", as_of=then)
    assert fresh.get(memory_id).temporal.access_count == before + 1
    fresh.found("standup")
    assert fresh.get(memory_id).temporal.access_count == before + 3
