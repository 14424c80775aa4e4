"""OperationService: the handlers of other services, with their rights and errors, run as operations."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.engine.world import World
from tests.unit.transport.gated import Authenticator, is_refused, open_gate
from tests.unit.transport.test_serving import FACTS

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import error_reason_pb2, record_pb2
from memoryd.v1 import operation_pb2 as operation
from memoryd.v1 import operation_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd_server.domain.limit import Limits
from memoryd_server.engine.engine import Engine
from memoryd_server.engine.operations.operations import Operations
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.in_process import InProcessTransport
from memoryd_server.transport.operations.operation_service import startables
from memoryd_server.transport.routes import contract_services, routes
from memoryd_server.transport.status import StatusCode

SERVICE = "/memoryd.v1.OperationService"
TOKEN = (("authorization", "Bearer secret"),)
"""Of a caller that may use the agents a and b."""


class Caller:
    """Calls of one caller to the operations of an engine."""

    def __init__(self, engine: Engine, gate: Gate | None = None, metadata: Any = ()) -> None:
        gate = gate or open_gate()
        self.transport = InProcessTransport(routes(contract_services(engine, gate, FACTS), gate))
        self._metadata = metadata

    @classmethod
    def bound(cls, engine: Engine) -> "Caller":
        """Return a caller that may use the agents a and b only."""
        return cls(engine, Gate(Authenticator(), None, Pools(Limits())), TOKEN)

    async def call(self, name: str, request: Any) -> Any:
        data = await self.transport.unary(
            f"{SERVICE}/{name}", request.SerializeToString(), metadata=(*self._metadata, ("memoryd-origin", "tests"))
        )
        return getattr(pb, f"{name}Response").FromString(data)

    async def start(self, operation_id: str = "o", **request: Any) -> pb.StartOperationResponse:
        return await self.call(  # type: ignore[no-any-return]
            "StartOperation", pb.StartOperationRequest(operation_id=operation_id, **request)
        )

    async def get(self, operation_id: str = "o") -> operation.Operation:
        return (await self.call("GetOperation", pb.GetOperationRequest(operation_id=operation_id))).operation  # type: ignore[no-any-return]

    async def end(self, operation_id: str = "o") -> operation.Operation:
        return (await self.call("WaitOperation", pb.WaitOperationRequest(operation_id=operation_id))).operation  # type: ignore[no-any-return]

    async def listed(self, **request: Any) -> list[str]:
        listing = pb.ListOperationsRequest(order=1, **request)  # type: ignore[arg-type]
        return [each.operation_id for each in (await self.call("ListOperations", listing)).operations]


def held(world: World) -> asyncio.Event:
    """Let the repository wait for the returned event before it creates a snapshot."""
    may_create, create = asyncio.Event(), world.repository.create

    async def later(info: Any, agents: AsyncIterator[Any]) -> Any:
        await asyncio.sleep(0)
        await may_create.wait()
        return await create(info, agents)

    world.repository.create = later  # type: ignore[method-assign]
    return may_create


CREATE = snapshot_pb.CreateSnapshotRequest(agent_id="a", snapshot_id="s")


async def test_a_snapshot_is_created_as_an_operation() -> None:
    async with World() as world:
        await world.set("k", "1", "a")
        caller = Caller(world.engine)
        started = await caller.start(create_snapshot=CREATE)
        assert (started.created, started.operation.method) == (True, "SnapshotService/CreateSnapshot")
        assert (started.operation.agent_id, started.operation.principal) == ("a", "anonymous")
        ended = await caller.end()
        assert ended.state == operation.OPERATION_STATE_SUCCEEDED
        assert (ended.create_snapshot.snapshot.snapshot_id, ended.create_snapshot.revision) == ("s", 1)
        assert ended.HasField("end_time")
        assert not ended.HasField("error")
        progress = ended.progress
        assert (progress.kind, progress.done_count, progress.total_count) == (record_pb2.RECORD_KIND_AGENT, 1, 1)
        again = await caller.start(create_snapshot=CREATE)
        assert (again.created, again.operation) == (False, ended)
        other = snapshot_pb.CreateSnapshotRequest(agent_id="a", snapshot_id="t")
        await is_refused(
            caller.start(create_snapshot=other),
            StatusCode.ALREADY_EXISTS,
            "OPERATION_EXISTS",
            operation_id="o",
            agent_id="a",
        )


async def test_a_snapshot_of_all_agents_and_its_restore_count_the_agents() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        for agent_id in ("a", "b", "c"):
            await world.set("k", "1", agent_id)
        await caller.start("create", create_snapshot=snapshot_pb.CreateSnapshotRequest(snapshot_id="s"))
        created = await caller.end("create")
        assert (created.agent_id, created.progress.done_count, created.progress.total_count) == ("", 3, 3)
        await caller.start("restore", restore_snapshot=snapshot_pb.RestoreSnapshotRequest(snapshot_id="s"))
        restored = await caller.end("restore")
        assert restored.restore_snapshot.restored_agent_count == 3
        assert (restored.progress.done_count, restored.progress.total_count) == (3, 3)


async def test_the_origin_of_the_start_is_that_of_the_change() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await world.set("k", "1", "a")
        draft = document_pb.CreateDocumentRequest(agent_id="a", text="words")
        await caller.start(create_document=draft)
        document = (await caller.end()).create_document.document
        assert document.document_id
        await caller.start("end", end_agent=agent_pb.EndAgentRequest(agent_id="a"))
        assert (await caller.end("end")).end_agent.deleted


async def test_what_a_method_refuses_at_once_is_refused_by_the_start() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await is_refused(
            caller.start(create_document=document_pb.CreateDocumentRequest(agent_id="a")),
            StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            field="content",
            agent_id="a",
        )
        blank = document_pb.CreateDocumentRequest(agent_id=" ", text="words")
        await is_refused(
            caller.start(create_document=blank), StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="agent_id"
        )
        large = document_pb.CreateDocumentRequest(agent_id="a", text="x" * 2**20, draft={"tags": [""]})
        await is_refused(
            caller.start(create_document=large),
            StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            field="draft.tags",
            agent_id="a",
        )
        missing = snapshot_pb.RestoreSnapshotRequest(snapshot_id="none")
        await is_refused(
            caller.start(restore_snapshot=missing), StatusCode.NOT_FOUND, "SNAPSHOT_NOT_FOUND", snapshot_id="none"
        )
        await is_refused(caller.start(), StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="request")
        await is_refused(
            caller.start("a b", create_snapshot=CREATE),
            StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            field="operation_id",
            agent_id="a",
        )
        assert await caller.listed() == []


async def test_a_later_error_is_in_the_operation_as_the_method_returns_it() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await world.set("k", "1", "a")
        await caller.start("first", create_snapshot=CREATE)
        await caller.end("first")
        twice = snapshot_pb.CreateSnapshotRequest(agent_id="a", snapshot_id="s", label="again")
        held(world).set()
        await caller.start(create_snapshot=twice)
        failed = await caller.end()
        assert failed.state == operation.OPERATION_STATE_FAILED
        assert failed.WhichOneof("response") is None
        assert failed.error.code == StatusCode.ALREADY_EXISTS
        assert failed.error.reason == error_reason_pb2.ERROR_REASON_SNAPSHOT_EXISTS
        assert dict(failed.error.metadata) == {"snapshot_id": "s"}
        assert failed.error.message


async def test_a_defect_discloses_nothing() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await world.set("k", "1", "a")
        world.repository.failure = ZeroDivisionError("secret")
        await caller.start(create_snapshot=CREATE)
        failed = await caller.end()
        assert failed.error == operation.OperationError(
            code=13, message="internal error", reason=error_reason_pb2.ERROR_REASON_INTERNAL
        )


async def test_an_operation_outlives_the_call_that_started_it_and_can_be_cancelled() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await world.set("k", "1", "a")
        held(world)
        await caller.start(create_snapshot=CREATE)
        running = await caller.get()
        assert (running.state, running.HasField("end_time")) == (operation.OPERATION_STATE_RUNNING, False)
        waited = pb.WaitOperationRequest(operation_id="o")
        waited.wait_duration.FromMilliseconds(0)
        assert (await caller.call("WaitOperation", waited)).operation.state == operation.OPERATION_STATE_RUNNING
        cancelled = await caller.call("CancelOperation", pb.CancelOperationRequest(operation_id="o"))
        assert (cancelled.changed, cancelled.operation.cancel_requested) == (True, True)
        ended = await caller.end()
        assert (ended.state, ended.HasField("error")) == (operation.OPERATION_STATE_CANCELLED, False)
        again = await caller.call("CancelOperation", pb.CancelOperationRequest(operation_id="o"))
        assert (again.changed, again.operation) == (False, ended)
        assert not world.repository.snapshots


async def test_a_watch_ends_with_the_operation() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        await world.set("k", "1", "a")
        await caller.start(create_snapshot=CREATE)
        watch = caller.transport.call(
            f"{SERVICE}/WatchOperation", pb.WatchOperationRequest(operation_id="o").SerializeToString()
        )
        states = [pb.WatchOperationResponse.FromString(data).operation async for data in watch]
        assert states[-1].state == operation.OPERATION_STATE_SUCCEEDED
        assert states[-1].create_snapshot.revision == 1


@pytest.mark.parametrize("name", ["GetOperation", "WaitOperation", "CancelOperation", "WatchOperation"])
async def test_an_unknown_operation_is_not_found(name: str) -> None:
    async with World() as world:
        request = getattr(pb, f"{name}Request")(operation_id="none").SerializeToString()
        call = anext(Caller(world.engine).transport.call(f"{SERVICE}/{name}", request))
        await is_refused(call, StatusCode.NOT_FOUND, "OPERATION_NOT_FOUND", operation_id="none")


@pytest.mark.parametrize("name", ["GetOperation", "WaitOperation", "CancelOperation", "WatchOperation"])
async def test_an_operation_of_another_agent_is_forbidden(name: str) -> None:
    async with World() as world:
        await world.set("k", "1", "c")
        admin, bound = Caller(world.engine), Caller.bound(world.engine)
        for agent_id in ("c", ""):
            request = snapshot_pb.CreateSnapshotRequest(agent_id=agent_id, snapshot_id=f"s{agent_id}")
            await admin.start(f"of-{agent_id}", create_snapshot=request)
            asked = getattr(pb, f"{name}Request")(operation_id=f"of-{agent_id}").SerializeToString()
            call = anext(bound.transport.call(f"{SERVICE}/{name}", asked, metadata=TOKEN))
            metadata = {"agent_id": agent_id} if agent_id else {}
            await is_refused(call, StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", **metadata)
            again = bound.start(f"of-{agent_id}", create_snapshot=request)
            await is_refused(again, StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", **metadata)


async def test_who_may_not_see_an_operation_neither_waits_for_it_nor_cancels_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        await world.set("k", "1", "c")
        admin, bound, may_create = Caller(world.engine), Caller.bound(world.engine), held(world)
        await admin.start(create_snapshot=snapshot_pb.CreateSnapshotRequest(agent_id="c"))
        with monkeypatch.context() as patched:
            patched.setattr(Operations, "wait", None)
            for name in ("WaitOperation", "CancelOperation"):
                asked = bound.call(name, getattr(pb, f"{name}Request")(operation_id="o"))
                await is_refused(asked, StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", agent_id="c")
        running = await admin.get()
        assert (running.state, running.cancel_requested) == (operation.OPERATION_STATE_RUNNING, False)
        may_create.set()
        assert (await admin.end()).state == operation.OPERATION_STATE_SUCCEEDED


async def test_an_operation_of_several_agents_is_for_those_who_may_use_all_of_them() -> None:
    async with World() as world:
        await world.set("k", "1", "c")
        await world.engine.snapshots.create("c", "of-c", "request")
        admin, bound = Caller(world.engine), Caller.bound(world.engine)
        clone = snapshot_pb.RestoreSnapshotRequest(snapshot_id="of-c", as_agent_id="a")
        await admin.start(restore_snapshot=clone)
        assert (await admin.end()).agent_id == "a"
        assert (await admin.listed(), await bound.listed()) == (["o"], [])
        await is_refused(bound.get(), StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", agent_id="c")


async def test_a_start_needs_the_right_of_its_method() -> None:
    async with World() as world:
        for agent_id in ("a", "c"):
            await world.set("k", "1", agent_id)
            await world.engine.snapshots.create(agent_id, f"of-{agent_id}", "request")
        await world.engine.snapshots.create("", "all", "request")
        bound = Caller.bound(world.engine)
        restore = snapshot_pb.RestoreSnapshotRequest
        for request, agent_id in (
            ({"create_document": document_pb.CreateDocumentRequest(agent_id="c", text="words")}, "c"),
            ({"create_snapshot": snapshot_pb.CreateSnapshotRequest(agent_id="c")}, "c"),
            ({"create_snapshot": snapshot_pb.CreateSnapshotRequest()}, ""),
            ({"restore_snapshot": restore(snapshot_id="of-a", as_agent_id="c")}, "c"),
        ):
            metadata = {"agent_id": agent_id} if agent_id else {}
            await is_refused(bound.start(**request), StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", **metadata)
        for foreign in (
            restore(snapshot_id="all"),
            restore(snapshot_id="of-c"),
            restore(snapshot_id="of-c", as_agent_id="a"),
        ):
            starting = bound.start(restore_snapshot=foreign)
            await is_refused(starting, StatusCode.NOT_FOUND, "SNAPSHOT_NOT_FOUND", snapshot_id=foreign.snapshot_id)
        await bound.start("clone", restore_snapshot=restore(snapshot_id="of-a", as_agent_id="b"))
        assert (await bound.end("clone")).agent_id == "b"
        assert (await bound.end("clone")).principal == "someone"
        await bound.start("own", restore_snapshot=restore(snapshot_id="all", agent_id="a"))
        assert (await bound.end("own")).agent_id == "a"


async def test_lists_have_what_the_caller_may_see_without_responses() -> None:
    async with World() as world:
        admin, bound = Caller(world.engine), Caller.bound(world.engine)
        for agent_id in ("a", "c"):
            await world.set("k", "1", agent_id)
            request = snapshot_pb.CreateSnapshotRequest(agent_id=agent_id, snapshot_id=f"s{agent_id}")
            await admin.start(f"of-{agent_id}", create_snapshot=request)
            await admin.end(f"of-{agent_id}")
        await admin.start("of-all", create_snapshot=snapshot_pb.CreateSnapshotRequest(snapshot_id="all"))
        await admin.end("of-all")
        assert await admin.listed() == ["of-a", "of-all", "of-c"]
        assert await bound.listed() == ["of-a"]
        assert await admin.listed(agent_ids=["c"]) == ["of-c"]
        assert await admin.listed(agent_ids=[""]) == ["of-all"]
        assert await admin.listed(agent_ids=["", "c*"]) == ["of-all", "of-c"]
        assert await admin.listed(states=[operation.OPERATION_STATE_RUNNING]) == []
        assert len(await admin.listed(states=[operation.OPERATION_STATE_SUCCEEDED])) == 3
        first = await admin.call("ListOperations", pb.ListOperationsRequest(page_size=2))
        assert (first.total_count, len(first.operations)) == (3, 2)
        assert not any(each.WhichOneof("response") for each in first.operations)
        second = await admin.call(
            "ListOperations", pb.ListOperationsRequest(page_size=2, page_token=first.next_page_token)
        )
        assert {each.operation_id for each in (*first.operations, *second.operations)} == {"of-a", "of-all", "of-c"}
        assert not second.next_page_token
        bad = pb.ListOperationsRequest(states=[77])  # type: ignore[list-item]
        await is_refused(
            admin.call("ListOperations", bad), StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="states"
        )


async def test_a_wait_that_is_too_long_is_refused() -> None:
    async with World() as world:
        request = pb.WaitOperationRequest(operation_id="o")
        request.wait_duration.FromSeconds(61)
        call = Caller(world.engine).call("WaitOperation", request)
        await is_refused(call, StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="wait_duration")


async def test_a_method_whose_agents_are_not_known_cannot_run_as_an_operation() -> None:
    async with World() as world:
        services = contract_services(world.engine, open_gate(), FACTS)
        with pytest.raises(ValueError, match="CreateSnapshot cannot run as an operation"):
            startables(services, {})


async def test_large_requests_are_compared_too() -> None:
    async with World() as world:
        caller = Caller(world.engine)
        large = document_pb.CreateDocumentRequest(agent_id="a", text="words " * 100_000)
        assert (await caller.start(create_document=large)).created
        assert not (await caller.start(create_document=large)).created
        await caller.end()
