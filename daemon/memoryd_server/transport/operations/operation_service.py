"""OperationService: requests of other services, carried out by their own handlers while nobody waits."""

import contextlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from memoryd.v1 import operation_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.engine.operations.operations import (
    Operation,
    OperationRequest,
    Operations,
    OperationState,
    Work,
)
from memoryd_server.transport.access import AccessRule, MethodPolicy, policy_of
from memoryd_server.transport.call import ORIGIN_KEY, Call
from memoryd_server.transport.fields.agent_filter import owner_filter_of
from memoryd_server.transport.fields.arranged_page import arranged_page
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import body_digest, page_request_of
from memoryd_server.transport.fields.timestamp import duration_within
from memoryd_server.transport.fields.view import order_of, viewed
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX
from memoryd_server.transport.operations.operation_message import operation_message

AgentsOf = Callable[[Any, Call], Awaitable[tuple[str, ...]]]
"""Returns the agents that a request is about, after it has checked the caller's right to each."""


class Startable(NamedTuple):
    """A method that can run as an operation. ``field`` is that of its request and of its response."""

    field: str
    policy: MethodPolicy
    handler: Callable[[Any, Call], Awaitable[Any]]
    agents_of: AgentsOf


def startables(
    services: Mapping[ServiceDescriptor, object], agents_of: Mapping[str, AgentsOf]
) -> Mapping[str, Startable]:
    """Return the methods whose requests StartOperation takes, by the field of the request.

    ``agents_of`` has the methods whose access rule is not that for the agent of the request. Raises ValueError for
    another such method, which would run without a check of the caller's right.
    """
    methods: dict[object, tuple[MethodDescriptor, object]]
    methods = {method.input_type: (method, service) for each, service in services.items() for method in each.methods}
    found = {}
    for field in pb.StartOperationRequest.DESCRIPTOR.oneofs_by_name["request"].fields:
        method, service = methods[field.message_type]
        handler = getattr(service, re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower())
        found[field.name] = Startable(field.name, policy_of(method), handler, _agents_of(method, agents_of))
    return found


def _agents_of(method: MethodDescriptor, agents_of: Mapping[str, AgentsOf]) -> AgentsOf:
    if policy_of(method).rule is AccessRule.AGENT:
        return _agent_of
    try:
        named = agents_of[method.name]
    except KeyError:
        raise ValueError(f"{method.full_name} cannot run as an operation: its agents are not known") from None

    async def permitted(request: Any, call: Call) -> tuple[str, ...]:
        call.require_request(request)
        return await named(request, call)

    return permitted


async def _agent_of(request: Any, call: Call) -> tuple[str, ...]:
    agent_id = validation.agent_id(request.agent_id)
    call.require_request(request)
    return (agent_id,)


class OperationService:
    """Serves operations. The right to one is the right to its method, with all of its agents."""

    def __init__(self, operations: Operations, methods: Mapping[str, Startable]) -> None:
        self._operations = operations
        self._methods = methods
        self._fields = {method.policy.name: method.field for method in methods.values()}
        self._verbs = {method.policy.name: method.policy.verb for method in methods.values()}

    def drop_content(self, agent_id: str) -> None:
        """Drop the content of the responses that are kept of operations about an agent."""
        self._operations.rewrite_results(agent_id, self._without_content)

    def _without_content(self, operation: Operation) -> bytes:
        message = operation_message(operation, field := self._fields[operation.request.method])
        result: bytes = viewed(getattr(message, field), RecordView.WITHOUT_CONTENT).SerializeToString()
        return result

    async def start_operation(self, request: pb.StartOperationRequest, call: Call) -> pb.StartOperationResponse:
        """Start an operation, or return the existing one."""
        operation_id = record_id_of("operation_id", request.operation_id)
        field = request.WhichOneof("request")
        if field is None:
            raise InvalidField("request", "must be set")
        method, inner = self._methods[field], getattr(request, field)
        # The metadata belongs to this call, which ends before the operation does.
        origin = call.metadata(ORIGIN_KEY)
        # Without its size: what the method refuses before it waits is refused by this call.
        inner_call = Call(method.policy, call.caller, lambda _: origin, facts=call.facts)
        fingerprint = await _fingerprint(inner, inner_call)
        existing = await self._operations.find(operation_id, fingerprint)
        if existing is not None:
            return pb.StartOperationResponse(operation=self._permitted(existing, call))
        agent_ids = await method.agents_of(inner, inner_call)
        asked = OperationRequest(operation_id, method.policy.name, agent_ids, call.caller.name, fingerprint)
        operation, created = await self._operations.start(asked, _work(method, inner, inner_call))
        return pb.StartOperationResponse(operation=self._permitted(operation, call), created=created)

    async def get_operation(self, request: pb.GetOperationRequest, call: Call) -> pb.GetOperationResponse:
        """Return an operation."""
        operation = self._operations.get(_id_of(request))
        return pb.GetOperationResponse(operation=self._permitted(operation, call))

    async def wait_operation(self, request: pb.WaitOperationRequest, call: Call) -> pb.WaitOperationResponse:
        """Return an operation once it has ended."""
        wait_ns = limit.WAIT_NS_DEFAULT
        if request.HasField("wait_duration"):
            wait_ns = duration_within("wait_duration", request.wait_duration, 0, limit.WAIT_NS_MAX)
        self._permitted(self._operations.get(_id_of(request)), call)
        operation = await self._operations.wait(request.operation_id, wait_ns / limit.SECOND_NS)
        return pb.WaitOperationResponse(operation=self._permitted(operation, call))

    async def list_operations(self, request: pb.ListOperationsRequest, call: Call) -> pb.ListOperationsResponse:
        """List the operations that the caller may see."""
        wanted = owner_filter_of("agent_ids", request.agent_ids)
        states = validation.all_known("states", request.states, OperationState)
        order, page = order_of(request, ListOrder.CREATE_TIME_DESCENDING), page_request_of(request, call)
        permitted = [
            _Listed(operation)
            for operation in self._operations.all()
            if not states or operation.state in states
            if wanted(operation.request.agent_ids[0])
            if self._is_permitted(operation, call)
        ]
        listed = arranged_page(permitted, order, page)
        return pb.ListOperationsResponse(
            operations=[operation_message(each.operation) for each in listed.items],
            next_page_token=listed.next_page_token,
            total_count=listed.total_count,
        )

    async def watch_operation(
        self, request: pb.WatchOperationRequest, call: Call
    ) -> AsyncGenerator[pb.WatchOperationResponse, None]:
        """Stream an operation until it has ended."""
        async with contextlib.aclosing(self._operations.watch(_id_of(request))) as operations:
            async for operation in operations:
                yield pb.WatchOperationResponse(operation=self._permitted(operation, call))

    async def cancel_operation(self, request: pb.CancelOperationRequest, call: Call) -> pb.CancelOperationResponse:
        """Ask an operation to stop."""
        self._permitted(self._operations.get(_id_of(request)), call)
        operation, changed = self._operations.cancel(request.operation_id)
        return pb.CancelOperationResponse(operation=self._permitted(operation, call), changed=changed)

    def _permitted(self, operation: Operation, call: Call) -> Any:
        """Encode an operation with its response, if the caller may see it. Raises AgentForbidden, VerbForbidden."""
        for agent_id in operation.request.agent_ids:
            call.require(self._verbs[operation.request.method], agent_id)
        return operation_message(operation, self._fields[operation.request.method])

    def _is_permitted(self, operation: Operation, call: Call) -> bool:
        verb = self._verbs[operation.request.method]
        return all(call.may(verb, agent_id) for agent_id in operation.request.agent_ids)


def _id_of(request: Any) -> str:
    """Return the id of the operation that a request names. Raises InvalidField."""
    return record_id_of("operation_id", request.operation_id)


class _Listed(NamedTuple):
    """An operation of a list."""

    operation: Operation

    @property
    def item_id(self) -> str:
        """The operation's id."""
        return self.operation.operation_id

    @property
    def create_time(self) -> int:
        """The time of its start."""
        return self.operation.create_time

    @property
    def update_time(self) -> int:
        """The time of its last change."""
        return self.operation.update_time


def _work(method: Startable, request: Any, call: Call) -> Work:
    async def work() -> bytes:
        response = await method.handler(request, call)
        return response if isinstance(response, bytes) else response.SerializeToString()

    return work


async def _fingerprint(request: Any, call: Call) -> bytes:
    """Return a digest of a request, computed on a thread if it is large."""
    if request.ByteSize() <= PARSED_IN_LOOP_BYTES_MAX:
        return body_digest(request, call)
    return await REQUESTS.run(lambda: body_digest(request, call))
