"""The generated stubs of one daemon, shortcuts for frequent calls, and the details of refused calls."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import grpc
from google.rpc import error_details_pb2, status_pb2

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import (
    agent_service_pb2_grpc,
    context_service_pb2_grpc,
    conversation_service_pb2_grpc,
    document_service_pb2_grpc,
    entity_service_pb2_grpc,
    event_service_pb2_grpc,
    fragment_service_pb2_grpc,
    long_term_memory_service_pb2_grpc,
    operation_service_pb2_grpc,
    server_service_pb2_grpc,
    snapshot_service_pb2_grpc,
    working_memory_service_pb2_grpc,
)
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.precondition_pb2 import Precondition

ABSENT = object()
"""Returned by ``Memory.value`` when there is no entry, since None is a value."""


class Wire:
    """The stubs of one channel."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.memory = working_memory_service_pb2_grpc.WorkingMemoryServiceStub(channel)
        self.fragments = fragment_service_pb2_grpc.FragmentServiceStub(channel)
        self.long_term = long_term_memory_service_pb2_grpc.LongTermMemoryServiceStub(channel)
        self.context = context_service_pb2_grpc.ContextServiceStub(channel)
        self.conversations = conversation_service_pb2_grpc.ConversationServiceStub(channel)
        self.documents = document_service_pb2_grpc.DocumentServiceStub(channel)
        self.entities = entity_service_pb2_grpc.EntityServiceStub(channel)
        self.agents = agent_service_pb2_grpc.AgentServiceStub(channel)
        self.events = event_service_pb2_grpc.EventServiceStub(channel)
        self.snapshots = snapshot_service_pb2_grpc.SnapshotServiceStub(channel)
        self.operations = operation_service_pb2_grpc.OperationServiceStub(channel)
        self.server = server_service_pb2_grpc.ServerServiceStub(channel)

    def agent(self, agent_id: str = "") -> "Memory":
        """Return an agent's memory; without an id, that of a new agent."""
        return Memory(self, agent_id or f"agent-{uuid4().hex[:12]}")


class Memory:
    """One agent's memory."""

    def __init__(self, wire: Wire, agent_id: str) -> None:
        self.wire = wire
        self.id = agent_id

    def set(self, key: str, value: Any = 1, scope_id: str = "", **fields: Any) -> pb.SetEntryResponse:
        request = pb.SetEntryRequest(
            agent_id=self.id, scope_id=scope_id, key=key, value_json=json.dumps(value), **fields
        )
        return self.wire.memory.SetEntry(request)

    def get(self, key: str, scope_id: str = "", *, local_only: bool = False) -> pb.GetEntryResponse:
        request = pb.GetEntryRequest(agent_id=self.id, scope_id=scope_id, key=key, local_only=local_only)
        return self.wire.memory.GetEntry(request)

    def value(self, key: str, scope_id: str = "", *, local_only: bool = False) -> Any:
        response = self.get(key, scope_id, local_only=local_only)
        return json.loads(response.entry.value_json) if response.found else ABSENT

    def contains(self, key: str, scope_id: str = "", *, local_only: bool = False) -> pb.ContainsEntryResponse:
        request = pb.ContainsEntryRequest(agent_id=self.id, scope_id=scope_id, key=key, local_only=local_only)
        return self.wire.memory.ContainsEntry(request)

    def remove(self, key: str, scope_id: str = "", **fields: Any) -> pb.RemoveEntryResponse:
        request = pb.RemoveEntryRequest(agent_id=self.id, scope_id=scope_id, key=key, **fields)
        return self.wire.memory.RemoveEntry(request)

    def write(self, values: dict[str, Any], scope_id: str = "", **fields: Any) -> pb.BatchWriteEntriesResponse:
        operations = [set_operation(key, value) for key, value in values.items()]
        request = pb.BatchWriteEntriesRequest(agent_id=self.id, scope_id=scope_id, operations=operations, **fields)
        return self.wire.memory.BatchWriteEntries(request)

    def list(self, scope_id: str = "", **fields: Any) -> pb.ListEntriesResponse:
        return self.wire.memory.ListEntries(pb.ListEntriesRequest(agent_id=self.id, scope_id=scope_id, **fields))

    def values(self, scope_id: str = "", **fields: Any) -> dict[str, Any]:
        """Return the values of all pages of a listing, by key."""
        page = self.list(scope_id, page_size=1000, **fields)
        entries = list(page.entries)
        while page.next_page_token:
            page = self.list(scope_id, page_size=1000, page_token=page.next_page_token, **fields)
            entries += page.entries
        return {entry.key: json.loads(entry.value_json) for entry in entries}

    def clear(self, scope_id: str = "", **fields: Any) -> pb.ClearEntriesResponse:
        return self.wire.memory.ClearEntries(pb.ClearEntriesRequest(agent_id=self.id, scope_id=scope_id, **fields))

    def scope(self, name: str = "task", parent_scope_id: str = "", **fields: Any) -> str:
        """Create a scope, and return its id."""
        request = pb.CreateScopeRequest(agent_id=self.id, name=name, parent_scope_id=parent_scope_id, **fields)
        return self.wire.memory.CreateScope(request).scope.scope_id

    def scopes(self, **fields: Any) -> pb.ListScopesResponse:
        return self.wire.memory.ListScopes(pb.ListScopesRequest(agent_id=self.id, **fields))

    def merge(self, scope_id: str, **fields: Any) -> pb.MergeScopeResponse:
        return self.wire.memory.MergeScope(pb.MergeScopeRequest(agent_id=self.id, scope_id=scope_id, **fields))

    def dispose(self, scope_id: str, **fields: Any) -> pb.DisposeScopeResponse:
        return self.wire.memory.DisposeScope(pb.DisposeScopeRequest(agent_id=self.id, scope_id=scope_id, **fields))

    def reserve(self, key: str, **fields: Any) -> pb.ReserveEntryResponse:
        return self.wire.memory.ReserveEntry(pb.ReserveEntryRequest(agent_id=self.id, key=key, **fields))

    def renew(self, key: str, token: str, **fields: Any) -> pb.RenewReservationResponse:
        request = pb.RenewReservationRequest(agent_id=self.id, key=key, reservation_token=token, **fields)
        return self.wire.memory.RenewReservation(request)

    def release(self, key: str, token: str, **fields: Any) -> pb.ReleaseReservationResponse:
        request = pb.ReleaseReservationRequest(agent_id=self.id, key=key, reservation_token=token, **fields)
        return self.wire.memory.ReleaseReservation(request)

    def stats(self) -> agent_pb.GetAgentStatsResponse:
        return self.wire.agents.GetAgentStats(agent_pb.GetAgentStatsRequest(agent_id=self.id))

    @property
    def revision(self) -> int:
        """The agent's revision; 0 if the agent does not exist."""
        return self.contains("any").revision


def set_operation(key: str, value: Any = 1, **fields: Any) -> pb.EntryOperation:
    """Return a step of a batch that sets a key."""
    return pb.EntryOperation(set=pb.SetEntryOperation(key=key, value_json=json.dumps(value), **fields))


def remove_operation(key: str, **fields: Any) -> pb.EntryOperation:
    """Return a step of a batch that removes a key."""
    return pb.EntryOperation(remove=pb.RemoveEntryOperation(key=key, **fields))


def absent() -> Precondition:
    """Return the precondition that the record does not exist."""
    return Precondition(must_not_exist=True)


def at_revision(revision: int) -> Precondition:
    """Return the precondition that the record has this revision."""
    return Precondition(expected_revision=revision)


@dataclass(frozen=True)
class Refused:
    """The details of a refused call. ``reason`` has no prefix; ``retry_ms`` is None if there is no RetryInfo."""

    code: grpc.StatusCode
    message: str
    reason: str
    domain: str
    metadata: dict[str, str]
    fields: tuple[str, ...]
    retry_ms: float | None

    @property
    def own_metadata(self) -> dict[str, str]:
        """The metadata without the agent, which every error about one agent names."""
        return {name: value for name, value in self.metadata.items() if name != "agent_id"}


def refused(call: Callable[[], object]) -> Refused:
    """Return the details of the refusal of a call. Raises AssertionError if the call succeeds."""
    try:
        response = call()
    except grpc.RpcError as error:
        return details_of(error)
    raise AssertionError(f"the call was not refused, but returned {response}")


def code_of(error: Any) -> grpc.StatusCode:
    """Return the status of a call's error."""
    code: grpc.StatusCode = error.code()
    return code


def details_of(error: Any) -> Refused:
    """Return the details that a call's error carries. Fails if it carries none, or if they contradict the status."""
    data = next((value for key, value in error.trailing_metadata() or () if key == "grpc-status-details-bin"), None)
    assert data is not None, f"no details with {error.code()}: {error.details()}"
    status = status_pb2.Status.FromString(data)
    assert status.code == error.code().value[0]
    assert status.message == error.details()
    (info,) = _details(status, error_details_pb2.ErrorInfo)
    retries = _details(status, error_details_pb2.RetryInfo)
    violations = [each.field_violations for each in _details(status, error_details_pb2.BadRequest)]
    return Refused(
        error.code(),
        status.message,
        info.reason.removeprefix("ERROR_REASON_"),
        info.domain,
        dict(info.metadata),
        tuple(violation.field for each in violations for violation in each),
        retries[0].retry_delay.ToTimedelta().total_seconds() * 1000 if retries else None,
    )


def _details(status: Any, kind: Any) -> Sequence[Any]:
    found = []
    for detail in status.details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found
