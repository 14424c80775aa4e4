"""Reads of an agent in memory are served without a turn of the event loop: a transport needs no task for them."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from tests.integration.contract import METHODS, Method

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.ops.composition import new_contract, new_engine
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.wiring.stores import store_of
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.testing.daemon import settings_of
from memoryd_server.transport import routes
from memoryd_server.transport.status import Status, StatusCode

WAITS = {
    # On a thread of the index, of the embedder, or of the store's readers; or for other calls.
    "LongTermMemoryService/RecallMemories",
    "ContextService/ComposeContext",
    "DocumentService/SearchDocuments",
    "AgentService/ListAgents",
    "EventService/ListEvents",
    "SnapshotService/GetSnapshot",
    "SnapshotService/ListSnapshots",
    "OperationService/WaitOperation",
}
FIELDS: dict[str, Any] = {
    "agent_id": "a",
    "key": "key",
    "keys": ["key", "other"],
    "query": "words",
    "texts": ["words"],
    "name": "name",
    "number": 1,
    "uri": "uri",
    "conversation_id": "c",
    "document_id": "d",
    "fragment_id": "f",
    "memory_id": "m",
    "memory_ids": ["m"],
    "from_memory_id": "m",
    "to_memory_id": "n",
    "type": 1,
    "note_id": "n",
    "operation_id": "o",
    "message_id": "m",
}
"""Values that all requests accept, as far as they have the field."""
READS = [
    each
    for each in METHODS
    if each.descriptor.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    and not each.descriptor.client_streaming
    and not each.descriptor.server_streaming
    and each.name not in WAITS
]


class _RefusedError(Exception):
    pass


class _Exchange:
    """A call whose request has arrived, as it has for a transport that reads requests before it begins their calls."""

    def __init__(self, request: bytes) -> None:
        self._request = request

    def metadata(self, _: str, /) -> None:
        return None

    def address(self) -> str:
        return "here"

    def task(self) -> Any:
        return self

    async def receive(self) -> bytes:
        return self._request

    async def refuse(self, status: Status) -> NoReturn:
        raise _RefusedError(status)


def request_of(method: Method, scope_id: str) -> bytes:
    request = method.request_type()
    for name, value in {**FIELDS, "scope_id": scope_id}.items():
        if name in method.request_type.DESCRIPTOR.fields_by_name:
            if isinstance(value, list):
                getattr(request, name).extend(value)
            else:
                setattr(request, name, value)
    return cast("bytes", request.SerializeToString())


def begun(served: routes.Method, request: bytes) -> Coroutine[Any, Any, bytes]:
    return cast("Coroutine[Any, Any, bytes]", served.serve(cast("Any", _Exchange(request))))


def outcome(method: Method, call: Coroutine[Any, Any, bytes]) -> Status | None:
    """Serve a read by one step. Return the status of a refusal."""
    try:
        call.send(None)
    except StopIteration:
        return None
    except _RefusedError as refused:
        return cast("Status", refused.args[0])
    call.close()
    pytest.fail(f"{method.name} suspends")


async def test_reads_of_an_agent_in_memory_never_suspend(tmp_path: Path) -> None:
    settings = settings_of("--data-dir", str(tmp_path / "data"), "--embedder", "none")
    with DataDirectory(settings.storage.data_dir) as directory, store_of(settings, directory) as store:
        engine = new_engine(settings, directory, store, WorkingMemoryTelemetry())
        await engine.open()
        methods = new_contract(settings, engine).methods
        creating = pb.CreateScopeRequest(agent_id="a", name="scope").SerializeToString()
        created = await begun(methods["/memoryd.v1.WorkingMemoryService/CreateScope"], creating)
        scope_id = pb.CreateScopeResponse.FromString(created).scope.scope_id
        outcomes = {}
        for method in READS:
            call = begun(methods[f"/memoryd.v1.{method.name}"], request_of(method, scope_id))
            outcomes[method.name] = outcome(method, call)
        await engine.close(take_snapshot=False)
    assert len(outcomes) > 25
    codes = {name: status.code for name, status in outcomes.items() if status is not None}
    # Each got as far as to look for what is not there.
    assert codes == dict.fromkeys(codes, StatusCode.NOT_FOUND)
