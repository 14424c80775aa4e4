"""The methods of the contract by path: the service that serves each, behind the gate. All transports use this table."""

import enum
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import msgspec
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from memoryd.v1 import (
    agent_service_pb2,
    context_service_pb2,
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    event_service_pb2,
    fragment_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    operation_service_pb2,
    plan_service_pb2,
    server_service_pb2,
    snapshot_service_pb2,
    transaction_service_pb2,
    working_memory_service_pb2,
)
from memoryd_server.domain.error import MethodUnknown
from memoryd_server.engine.engine import Engine
from memoryd_server.transport.access import AccessRule, MethodPolicy, policy_of
from memoryd_server.transport.admission.pool import Pool
from memoryd_server.transport.agents.agent_service import AgentService
from memoryd_server.transport.auditing.audit_trail import AuditTrail
from memoryd_server.transport.change import Changes, ServiceHandlers
from memoryd_server.transport.context.context_service import ContextService
from memoryd_server.transport.conversations.conversation_service import ConversationService
from memoryd_server.transport.documents.document_service import DocumentService
from memoryd_server.transport.entities.entity_service import EntityService
from memoryd_server.transport.entries.working_memory_service import WorkingMemoryService
from memoryd_server.transport.erasing import Erasing
from memoryd_server.transport.error import status_of
from memoryd_server.transport.events.event_service import EventService
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.fragments.fragment_service import FragmentService
from memoryd_server.transport.gate import Begin, Gate
from memoryd_server.transport.limit import SMALL_MESSAGE_BYTES_MAX
from memoryd_server.transport.memories.long_term_memory_service import LongTermMemoryService
from memoryd_server.transport.notes.note_service import NoteService
from memoryd_server.transport.operations.operation_service import AgentsOf, OperationService, startables
from memoryd_server.transport.parsing.message_shape import bytes_max_of
from memoryd_server.transport.plans.plan_service import PlanService
from memoryd_server.transport.server_service import ServerFacts, ServerService
from memoryd_server.transport.snapshots.snapshot_service import SnapshotService
from memoryd_server.transport.transactions.transaction_service import TransactionService, decoders_of


class MethodKind(enum.Enum):
    """The shape of a method, as (requests are a stream, responses are a stream)."""

    UNARY = (False, False)
    SERVER_STREAM = (False, True)
    CLIENT_STREAM = (True, False)
    BIDIRECTIONAL_STREAM = (True, True)


class Admission(msgspec.Struct, frozen=True):
    """The calls of a method that a transport may refuse before it begins them: the gate would refuse them, too.

    ``pool`` is where its calls count, ``bytes_max`` the maximum size of a message of its requests.
    """

    pool: Pool
    bytes_max: int
    needs_credentials: bool


class Method(msgspec.Struct, frozen=True):
    """A method as transports call it. ``admission`` is None for a method that passes no gate.

    ``policy`` is None for one that is not of the contract, ``descriptor`` for one whose messages have no JSON.

    ``begin`` receives the request by the exchange, once the call is admitted. It returns the response as bytes; None
    where responses are a stream, which it sends by the exchange, and after ``refuse``. It raises nothing but
    asyncio.CancelledError and what the exchange's ``refuse`` raises.
    """

    kind: MethodKind
    begin: Begin
    admission: Admission | None = None
    policy: MethodPolicy | None = None
    descriptor: MethodDescriptor | None = None

    def serve(self, exchange: Exchange) -> Awaitable[Any]:
        """Serve one call."""
        return self.begin(_as_it_is, None, exchange)


def method_of(kind: MethodKind, serve: Callable[[Exchange], Awaitable[Any]]) -> Method:
    """Return a method that passes no gate."""

    async def begin(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Any:
        return await serve(connect(carried))

    return Method(kind, begin)


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange


def contract_services(
    engine: Engine, gate: Gate, facts: ServerFacts, trail: AuditTrail | None = None
) -> dict[ServiceDescriptor, object]:
    """Return the handlers of each service of the contract. ``trail`` is None where no call is audited."""
    limits = engine.settings.limits
    working_memory = WorkingMemoryService(engine.working_memory, engine.clock, limits)
    engine.leftovers.also(working_memory.drop_encoded)
    snapshots = SnapshotService(engine.snapshots, engine.journal_export)
    erasing = Erasing(engine.cache, engine.erasures, engine.snapshots)
    services: dict[Any, object] = {
        working_memory_service_pb2: working_memory,
        fragment_service_pb2: FragmentService(engine.fragments, engine.clock, limits),
        long_term_memory_service_pb2: LongTermMemoryService(
            engine.memories, engine.ingestion, engine.proposals, engine.collections, engine.clock, limits
        ),
        note_service_pb2: NoteService(engine.collections, limits),
        plan_service_pb2: PlanService(engine.collections),
        conversation_service_pb2: ConversationService(
            engine.collections, engine.compaction, limits, engine.settings.ingest_ns
        ),
        context_service_pb2: ContextService(engine.contexts, limits),
        document_service_pb2: DocumentService(engine.documents, engine.collections, limits),
        entity_service_pb2: EntityService(engine.collections),
        agent_service_pb2: AgentService(engine.agents, erasing, engine.tiers),
        event_service_pb2: EventService(engine.events),
        snapshot_service_pb2: snapshots,
        server_service_pb2: ServerService(facts, gate, engine.components, engine.tiers, trail),
    }
    services[transaction_service_pb2] = TransactionService(engine.cache, erasing, decoders_of(services), limits)
    changes = Changes(engine.cache, erasing)
    contract: dict[ServiceDescriptor, object]
    contract = {
        (descriptor := _only_service(module)): ServiceHandlers(service, changes, gated_methods(descriptor))
        for module, service in services.items()
    }
    agents_of: dict[str, AgentsOf] = {
        "CreateSnapshot": snapshots.created_agents,
        "RestoreSnapshot": snapshots.restored_agents,
    }
    operations = OperationService(engine.operations, startables(contract, agents_of))
    engine.leftovers.also_of_agent(operations.drop_content)
    return {**contract, _only_service(operation_service_pb2): operations}


def gated_methods(service: ServiceDescriptor) -> set[str]:
    """Return the handlers of the methods with one request about one agent that use a feature which a tier may lack."""
    policies = {_handler_name(method): policy_of(method) for method in service.methods}
    return {
        name
        for name, policy in policies.items()
        if policy.rule is AccessRule.AGENT and (policy.own_features or policy.further_features)
    }


def routes(services: Mapping[ServiceDescriptor, object], gate: Gate) -> dict[str, Method]:
    """Return the methods of services by path, such as ``/memoryd.v1.EventService/ListEvents``.

    Raises ValueError for a method of the protos that has no access rule.
    """
    return dict(each for descriptor, service in services.items() for each in methods_of(descriptor, service, gate))


def unknown_method(path: str) -> Method:
    """Return a method for a path that has none. It refuses every call, with whatever requests."""

    async def serve(exchange: Exchange) -> None:
        await exchange.refuse(status_of(MethodUnknown(path)))

    return method_of(MethodKind.BIDIRECTIONAL_STREAM, serve)


def methods_of(descriptor: ServiceDescriptor, service: object, gate: Gate) -> Iterator[tuple[str, Method]]:
    """Yield the methods of one service with their paths. Raises ValueError as ``routes``."""
    for method in descriptor.methods:
        kind = MethodKind((method.client_streaming, method.server_streaming))
        begin = _gated(method, kind, service, gate)
        served = Method(kind, begin, _admission(method, gate), policy_of(method), method)
        yield f"/{descriptor.full_name}/{method.name}", served


def probe_method(kind: MethodKind, begin: Begin, gate: Gate, descriptor: MethodDescriptor | None = None) -> Method:
    """Return a method that ``gate.probe`` has wrapped."""
    admission = Admission(gate.pools.probes, SMALL_MESSAGE_BYTES_MAX, needs_credentials=False)
    return Method(kind, begin, admission, descriptor=descriptor)


def _admission(method: MethodDescriptor, gate: Gate) -> Admission:
    bytes_max = bytes_max_of(method.input_type, gate.pools.limits)
    return Admission(gate.pool(policy_of(method)), bytes_max, gate.needs_credentials)


def _gated(method: MethodDescriptor, kind: MethodKind, service: object, gate: Gate) -> Begin:
    policy = policy_of(method)
    handler = getattr(service, _handler_name(method))
    request_type = message_factory.GetMessageClass(method.input_type)
    match kind:
        case MethodKind.UNARY:
            return gate.unary(policy, request_type, handler)
        case MethodKind.SERVER_STREAM:
            return gate.server_stream(policy, request_type, handler)
        case MethodKind.CLIENT_STREAM:
            return gate.client_stream(policy, request_type, handler)
        case MethodKind.BIDIRECTIONAL_STREAM:
            raise NotImplementedError(f"{policy.name}: the gate does not support streams in both directions")


def _handler_name(method: MethodDescriptor) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()


def _only_service(module: Any) -> ServiceDescriptor:
    descriptor: ServiceDescriptor
    (descriptor,) = module.DESCRIPTOR.services_by_name.values()
    return descriptor
