"""Every error has its reason for programs: google.rpc.Status with ErrorInfo, as error_reason.proto documents it."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from tests.integration.contract import METHODS, UNARY, Method, Reason, reasons
from tests.integration.wire import Memory, Wire, absent, at_revision, refused
from tests.unit.transport.test_named_agent import about

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import long_term_memory_service_pb2 as long_term_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.error_reason_pb2 import ErrorReason
from memoryd.v1.event_pb2 import EventFilter
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

REASONS = reasons()


def test_the_documentation_of_every_reason_is_found() -> None:
    assert REASONS["INVALID_FIELD"] == Reason("INVALID_ARGUMENT", frozenset({"field"}), optional=False)
    assert REASONS["REVISION_MISMATCH"].metadata == {"expected_revision", "actual_revision"}
    assert REASONS["STORE_UNAVAILABLE"] == Reason("UNAVAILABLE", frozenset(), optional=False)
    assert len(REASONS) == len(ErrorReason.values()) - 1


def provocations(agent: Memory) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield reasons with a call that is refused for it. Other tests have the reasons that need a separate daemon."""
    wire = agent.wire
    agent.set("key")
    disposed = agent.scope("done")
    agent.dispose(disposed)
    snapshot_id = f"s-{agent.id}"
    wire.snapshots.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(agent_id=agent.id, snapshot_id=snapshot_id))
    agent.set("again", 1, request_id="r")
    compacted = changed_often(agent, "known")
    filters = [EventFilter(agent_ids=[agent.id])]
    none = wire.agent()
    yield "INVALID_FIELD", lambda: agent.set("")
    yield "REQUEST_ID_REUSED", lambda: agent.set("again", 2, request_id="r")
    yield "INVALID_PAGE_TOKEN", lambda: agent.list(page_token="x")
    yield "INVALID_RESUME_TOKEN", lambda: next(wire.events.WatchEvents(event_pb.WatchEventsRequest(resume_token="x")))
    yield "AGENT_NOT_FOUND", none.stats
    yield "SNAPSHOT_NOT_FOUND", lambda: wire.snapshots.GetSnapshot(snapshot_pb.GetSnapshotRequest(snapshot_id="none"))
    unknown = long_term_pb.GetMemoryRequest(agent_id=agent.id, memory_id="unknown")
    yield "RECORD_NOT_FOUND", lambda: wire.long_term.GetMemory(unknown)
    yield "RECORD_NOT_FOUND", lambda: agent.get("key", "none")
    yield "RECORD_EXISTS", lambda: agent.set("key", precondition=absent())
    yield (
        "SNAPSHOT_EXISTS",
        lambda: wire.snapshots.CreateSnapshot(
            snapshot_pb.CreateSnapshotRequest(agent_id=agent.id, snapshot_id=snapshot_id)
        ),
    )
    yield "RECORD_EXISTS", lambda: wire.long_term.CreateMemory(memory_of(agent, "known", "something else"))
    yield "SCOPE_DISPOSED", lambda: agent.get("key", disposed)
    yield (
        "SNAPSHOT_AGENT_MISMATCH",
        lambda: wire.snapshots.RestoreSnapshot(
            snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=none.id)
        ),
    )
    yield "REVISION_MISMATCH", lambda: agent.set("key", precondition=at_revision(99))
    yield "RESERVATION_LOST", lambda: agent.set("key", reservation_token="x")
    lost = fragment_pb.AcknowledgeFragmentsRequest(agent_id=agent.id, lease_token="x")
    yield "LEASE_LOST", lambda: wire.fragments.AcknowledgeFragments(lost)
    yield (
        "REVISION_IN_FUTURE",
        lambda: wire.events.ListEvents(event_pb.ListEventsRequest(filters=filters, after_revision=99)),
    )
    yield "HISTORY_COMPACTED", lambda: wire.long_term.GetMemory(compacted)
    yield "TOO_LARGE", lambda: agent.set("key", "x" * (1 << 20))
    yield "METHOD_UNKNOWN", lambda: wire.channel.unary_unary("/memoryd.v1.NoteService/Nothing")(b"")
    yield (
        "SNAPSHOT_DAMAGED",
        lambda: wire.snapshots.ImportSnapshot(
            iter(
                [
                    snapshot_pb.ImportSnapshotRequest(header=snapshot_pb.ImportSnapshotHeader(snapshot_id="damaged")),
                    snapshot_pb.ImportSnapshotRequest(chunk=b"nonsense"),
                ]
            )
        ),
    )


def memory_of(agent: Memory, memory_id: str, content: str) -> long_term_pb.CreateMemoryRequest:
    draft = long_term_pb.MemoryDraft(memory_id=memory_id, content=content, user_id="ann")
    return long_term_pb.CreateMemoryRequest(agent_id=agent.id, draft=draft)


def changed_often(agent: Memory, memory_id: str) -> long_term_pb.GetMemoryRequest:
    """Change a memory more often than versions are kept, and return a request for its first version."""
    stub = agent.wire.long_term
    stub.CreateMemory(memory_of(agent, memory_id, "first"))
    asked = long_term_pb.GetMemoryRequest(agent_id=agent.id, memory_id=memory_id)
    created = stub.GetMemory(asked).memory.create_time
    for count in range(MemoryPolicy().versions_max + 1):
        changed = long_term_pb.MemoryDraft(content=f"change {count}")
        mask = FieldMask(paths=["content"])
        stub.UpdateMemory(
            long_term_pb.UpdateMemoryRequest(agent_id=agent.id, memory_id=memory_id, draft=changed, update_mask=mask)
        )
    asked.read_time.CopyFrom(created)
    return asked


def test_each_error_has_the_status_and_the_metadata_that_its_reason_lists(agent: Memory) -> None:
    for reason, call in provocations(agent):
        revision = agent.revision
        refusal = refused(call)
        documented = REASONS[reason]
        assert (refusal.reason, refusal.domain, refusal.code.name) == (reason, "memoryd", documented.code)
        own = refusal.metadata.keys() - ({"agent_id"} - documented.metadata)
        assert own == documented.metadata or documented.optional, reason
        assert all(refusal.metadata.values()), reason
        assert refusal.message
        assert bool(refusal.fields) == (reason == "INVALID_FIELD")
        assert refusal.retry_ms is None
        assert agent.revision == revision


@pytest.mark.parametrize("method", UNARY, ids=lambda method: method.name)
def test_an_empty_message_is_accepted_or_refused_but_never_an_internal_error(wire: Wire, method: Method) -> None:
    code = method.call_raw(wire.channel, b"")
    assert code.name in ("OK", "INVALID_ARGUMENT", "NOT_FOUND"), code


NOT_UTF8 = b"\x0a\x04\xff\xfe\xc3\x28"
"""Field 1, which is a string in every request that has fields, with bytes that are not UTF-8."""


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_bytes_that_are_not_utf8_or_not_a_message_are_refused(wire: Wire, method: Method) -> None:
    agent = wire.agent()
    cut = method.call_raw(wire.channel, b"\x0a\x7fabc")
    assert cut is grpc.StatusCode.INVALID_ARGUMENT
    first = method.request_type.DESCRIPTOR.fields_by_number.get(1)
    if first is not None and first.type == first.TYPE_STRING:
        assert method.call_raw(wire.channel, NOT_UTF8) is grpc.StatusCode.INVALID_ARGUMENT
    assert agent.revision == 0


def test_a_malformed_message_is_refused_as_malformed(agent: Memory) -> None:
    call: Any = agent.wire.channel.unary_unary("/memoryd.v1.WorkingMemoryService/SetEntry")
    good = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json='"abcd"').SerializeToString()
    assert b"abcd" in good
    refusal = refused(lambda: call(good.replace(b"abcd", b"\xff\xfe\xc3\x28")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")
    assert refusal.metadata == {}
    assert agent.revision == 0


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_an_error_about_one_agent_names_it(wire: Wire, method: Method) -> None:
    agent_id = wire.agent().id
    request = about(method.request_type, agent_id)
    if request is None:
        pytest.skip("the request names no agent")
    for field in request.DESCRIPTOR.fields:
        if field.name in ("page_token", "resume_token"):
            setattr(request, field.name, "damaged")
        elif field.name == "wait_duration":
            request.wait_duration.SetInParent()
    with contextlib.suppress(grpc.RpcError):
        method.call(wire.channel, request.SerializeToString())
        return
    assert refused(lambda: method.call(wire.channel, request.SerializeToString())).metadata["agent_id"] == agent_id


def test_unknown_fields_are_ignored(agent: Memory) -> None:
    call: Any = agent.wire.channel.unary_unary("/memoryd.v1.WorkingMemoryService/SetEntry")
    call(pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1").SerializeToString() + b"\xfa\x3e\x03new")
    assert agent.value("key") == 1


@pytest.mark.parametrize(
    "path", ["/memoryd.v1.WorkingMemoryService/Nothing", "/memoryd.v1.NothingService/SetEntry", "/memoryd.v2.X/Y"]
)
def test_unknown_methods_are_unimplemented_in_every_shape(wire: Wire, path: str) -> None:
    channel: Any = wire.channel
    for call in (
        lambda: channel.unary_unary(path)(b""),
        lambda: list(channel.unary_stream(path)(b"")),
        lambda: channel.stream_unary(path)(iter([b"", b""])),
        lambda: list(channel.stream_stream(path)(iter([b""]))),
    ):
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_UNKNOWN")
        assert refusal.metadata == {"method": path}


def test_an_agent_that_was_refused_does_not_exist(wire: Wire) -> None:
    agent = wire.agent()
    refused(lambda: agent.set("key", precondition=at_revision(3)))
    refused(lambda: agent.set(" "))
    refusal = refused(lambda: wire.agents.GetAgent(agent_pb.GetAgentRequest(agent_id=agent.id)))
    assert refusal.reason == "AGENT_NOT_FOUND"
