"""The gRPC server: its options, its services, and the order in which it stops."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable

import grpc

from memoryd.v1 import (
    agent_service_pb2,
    context_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    error_reason_pb2,
    event_service_pb2,
    fragment_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    plan_service_pb2,
    server_service_pb2,
    snapshot_service_pb2,
    working_memory_service_pb2,
)
from memoryd_server.domain.limit import MESSAGE_BYTES_MAX
from memoryd_server.engine.agents.clock import system_clock
from memoryd_server.engine.engine import Engine
from memoryd_server.engine.watching.store_watch import StoreWatch
from memoryd_server.transport.agents.agent_service import AgentService
from memoryd_server.transport.context.context_service import ContextService
from memoryd_server.transport.documents.document_service import DocumentService
from memoryd_server.transport.entities.entity_service import EntityService
from memoryd_server.transport.entries.working_memory_service import WorkingMemoryService
from memoryd_server.transport.events.event_service import EventService
from memoryd_server.transport.fragments.fragment_service import FragmentService
from memoryd_server.transport.gate import Gate, Handler
from memoryd_server.transport.grpc.health import NOT_SERVING, SERVING, Health
from memoryd_server.transport.grpc.reflection import reflection_handlers
from memoryd_server.transport.grpc.router import Router, handlers_of
from memoryd_server.transport.memories.long_term_memory_service import LongTermMemoryService
from memoryd_server.transport.notes.note_service import NoteService
from memoryd_server.transport.plans.plan_service import PlanService
from memoryd_server.transport.server_service import ServerFacts, ServerService
from memoryd_server.transport.snapshots.snapshot_service import SnapshotService

log = logging.getLogger("memoryd.server")

_OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", 4 * MESSAGE_BYTES_MAX),
    ("grpc.max_metadata_size", 16 * 1024),
    # Sidecar clients ping every 10 to 60 seconds; by default a server hangs up on those who ping more than every 5 min.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)
_STREAMS_END_S = 5.0
"""How long watches may take to read their last messages when the server stops."""
_ANSWERS_END_S = 1.0
"""How long answers that were given may take to leave when the server stops. Without it gRPC cancels them."""


class Server:
    """Serves the contract on any number of addresses."""

    def __init__(self, engine: Engine, gate: Gate, facts: ServerFacts, *, shares_ports: bool = False) -> None:
        self._engine = engine
        self._gate = gate
        limits = engine.settings.limits
        services = {
            working_memory_service_pb2: WorkingMemoryService(engine.working_memory, system_clock, limits),
            fragment_service_pb2: FragmentService(engine.fragments, system_clock, limits),
            long_term_memory_service_pb2: LongTermMemoryService(engine.memories, system_clock, limits),
            note_service_pb2: NoteService(engine.collections, limits),
            plan_service_pb2: PlanService(engine.collections),
            context_service_pb2: ContextService(engine.collections, engine.contexts, engine.compaction, limits),
            document_service_pb2: DocumentService(engine.documents, engine.collections, limits),
            entity_service_pb2: EntityService(engine.collections),
            agent_service_pb2: AgentService(engine.agents),
            event_service_pb2: EventService(engine.events),
            snapshot_service_pb2: SnapshotService(engine.snapshots),
            server_service_pb2: ServerService(facts, gate),
        }
        handlers: dict[str, Handler] = {}
        names = []
        for module, service in services.items():
            (descriptor,) = module.DESCRIPTOR.services_by_name.values()
            names.append(descriptor.full_name)
            handlers.update(handlers_of(descriptor, service, gate))
        self._health = Health(names)
        handlers.update(self._health.handlers())
        files = [module.DESCRIPTOR for module in services] + [error_reason_pb2.DESCRIPTOR]
        handlers.update(reflection_handlers(files, names))
        self._store_watch: asyncio.Task[None] | None = None
        self._server = grpc.aio.server(
            # Unless they are meant to, two daemons on one port would share its calls in silence.
            options=(*_OPTIONS, ("grpc.so_reuseport", int(shares_ports)))
        )
        self._server.add_generic_rpc_handlers((Router(handlers),))

    def listen(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """Bind an address, such as ``127.0.0.1:7600`` or ``unix:/path``; answers the port.

        Raises RuntimeError when it cannot be bound.
        """
        if credentials is None:
            return self._server.add_insecure_port(address)
        return self._server.add_secure_port(address, credentials)

    async def start(self) -> None:
        """Take calls, and be healthy as long as the store is."""
        await self._server.start()
        await self._health.set_all(SERVING)
        store = self._engine.store
        if store.sharing is not None:
            watch = StoreWatch(store.sharing, store.shard_count, self._note_store)
            self._store_watch = asyncio.create_task(watch.run(), name="store watch")

    async def _note_store(self, answers: bool) -> None:
        await self._health.set_all(SERVING if answers else NOT_SERVING)

    async def drain(self, timeout_s: float) -> None:
        """Stop in the order that loses nothing.

        Health says so first, new calls are refused, those that are in end (at most ``timeout_s``), then the watches,
        who have seen all of it by then; then the connections are closed.
        """
        if self._store_watch is not None:
            self._store_watch.cancel()
        await self._health.set_all(NOT_SERVING)
        self._gate.drain()
        self._engine.end_waits()
        await _at_most(timeout_s, self._gate.wait_for_calls(), "calls")
        self._engine.hub.close()
        await _at_most(_STREAMS_END_S, self._gate.wait_for_watches(), "watches")
        self._health.end_watches()
        await self._server.stop(_ANSWERS_END_S)


async def _at_most(timeout_s: float, ended: Awaitable[None], what: str) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await ended
            return
    log.warning("%s did not end in time", what)
