"""Calls of the services of an engine, without a gate."""

from typing import Any

from google.protobuf.message import Message
from tests.unit.engine.world import World
from tests.unit.transport.gated import EVERYONE

from memoryd_server.domain.limit import Limits
from memoryd_server.transport.access import MethodPolicy
from memoryd_server.transport.call import Call
from memoryd_server.transport.routes import contract_services
from memoryd_server.transport.server_service import ServerFacts

FACTS = ServerFacts("1.2.3", "in_memory", "memory", "store", 0, Limits(), (), None)


async def call(world: World, method: str, request: Message) -> Any:
    """Return the response of a method of any service."""
    file = type(request).DESCRIPTOR.file.name
    services = contract_services(world.engine, None, FACTS)  # type: ignore[arg-type]
    (handlers,) = (each for descriptor, each in services.items() if descriptor.file.name == file)
    return await getattr(handlers, method)(
        request, Call(MethodPolicy(f"Service/{method}"), EVERYONE, {}.get, request.ByteSize())
    )
