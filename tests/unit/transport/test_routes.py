"""The routes: every method of the contract, behind the gate, in its shape."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import ServiceDescriptor
from tests.integration.contract import METHODS
from tests.unit.engine.world import World
from tests.unit.transport.gated import is_refused, open_gate

from memoryd.v1 import method_policy_pb2
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.access import AccessRule, CallCost, access_rule, call_cost
from memoryd_server.transport.in_process import InProcessTransport
from memoryd_server.transport.routes import MethodKind, contract_services, methods_of, routes
from memoryd_server.transport.server_service import ServerFacts
from memoryd_server.transport.status import StatusCode

FACTS = ServerFacts("1.2.3", "in_memory", "memory", "store", 0, Limits(), (), None)
KINDS = {
    "OneToOne": MethodKind.UNARY,
    "OneToMany": MethodKind.SERVER_STREAM,
    "ManyToOne": MethodKind.CLIENT_STREAM,
}


class Handlers:
    """Handlers of a service with one method of each shape."""

    async def one_to_one(self, request: Any, _call: object) -> Any:
        return request

    async def one_to_many(self, request: Any, _call: object) -> AsyncGenerator[Any, None]:
        yield request
        yield request

    async def many_to_one(self, requests: AsyncIterator[Any], _call: object) -> Any:
        return [request async for request in requests][-1]


def service(*, names_access: bool = True, **methods: MethodKind) -> ServiceDescriptor:
    """Return a service with these methods, whose messages have an agent_id."""
    file = descriptor_pb2.FileDescriptorProto(name="made_up.proto", package="made_up", syntax="proto3")
    message = file.message_type.add(name="Message")
    message.field.add(name="agent_id", number=1, type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING)
    made_up = file.service.add(name="Service")
    for name, kind in methods.items():
        requests, responses = kind.value
        method = made_up.method.add(
            name=name,
            input_type=".made_up.Message",
            output_type=".made_up.Message",
            client_streaming=requests,
            server_streaming=responses,
        )
        if names_access and (requests or responses):
            method.options.Extensions[
                method_policy_pb2.method_policy
            ].access = method_policy_pb2.METHOD_ACCESS_SELECTION
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool.FindServiceByName("made_up.Service")


async def test_every_method_of_the_contract_has_a_route_in_its_shape() -> None:
    gate = open_gate()
    async with World() as world:
        table = routes(contract_services(world.engine, gate, FACTS), gate)
    assert {path: method.kind.value for path, method in table.items()} == {
        f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}": (
            method.descriptor.client_streaming,
            method.descriptor.server_streaming,
        )
        for method in METHODS
    }


LIMITS = {
    CallCost.CALL: "concurrent_calls",
    CallCost.WAIT: "concurrent_waits",
    CallCost.TRANSFER: "concurrent_transfers",
    CallCost.WATCH: "concurrent_watches",
}


async def test_each_method_counts_as_what_it_occupies() -> None:
    """The gate admits nothing: the limit of the refusal shows as what a method counts."""
    gate = open_gate(**dict.fromkeys([*LIMITS.values(), "concurrent_probes"], 0))
    async with World() as world:
        transport = InProcessTransport(routes(contract_services(world.engine, gate, FACTS), gate))
    for method in METHODS:
        path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
        is_probe = access_rule(method.descriptor) is AccessRule.AUTHENTICATED
        limit = "concurrent_probes" if is_probe else LIMITS[call_cost(method.descriptor)]
        call = anext(transport.call(path, b""))
        await is_refused(call, StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", limit=limit, value="0")


async def test_each_shape_reaches_the_method_of_its_name() -> None:
    transport = InProcessTransport(dict(methods_of(service(**KINDS), Handlers(), open_gate())))
    request = b"\x0a\x01a"

    async def requests() -> AsyncIterator[bytes]:
        yield b""
        yield request

    assert await transport.unary("/made_up.Service/OneToOne", request) == request
    assert [each async for each in transport.call("/made_up.Service/OneToMany", request)] == [request, request]
    assert await transport.unary("/made_up.Service/ManyToOne", requests()) == request


async def test_one_table_has_the_paths_of_all_services() -> None:
    table = routes({service(OneToOne=MethodKind.UNARY): Handlers()}, open_gate())
    assert {path: method.kind for path, method in table.items()} == {"/made_up.Service/OneToOne": MethodKind.UNARY}


def test_a_method_without_an_access_rule_is_not_served() -> None:
    with pytest.raises(ValueError, match="access rule"):
        dict(methods_of(service(names_access=False, OneToMany=MethodKind.SERVER_STREAM), Handlers(), open_gate()))


def test_a_method_of_a_shape_that_the_gate_lacks_is_not_served() -> None:
    with pytest.raises(NotImplementedError, match="Service/OneToOne"):
        dict(methods_of(service(OneToOne=MethodKind.BIDIRECTIONAL_STREAM), Handlers(), open_gate()))


def test_a_method_without_a_handler_is_not_served() -> None:
    with pytest.raises(AttributeError, match="missing"):
        dict(methods_of(service(Missing=MethodKind.UNARY), Handlers(), open_gate()))
