"""Changes: how a service describes a method that changes one agent, and how such methods are executed.

A service decodes the request into a Change: the command, and how its result becomes the response.
``Changes`` submits the command.
"""

import time
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Generic, TypeVar

import msgspec
from google.protobuf.message import Message
from typing_extensions import TypeVar as DefaultedTypeVar

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.engine.agents.write import Write
from memoryd_server.ports.instrument import Histogram
from memoryd_server.transport.call import Call
from memoryd_server.transport.erasing import Erasing, erasing
from memoryd_server.transport.fields.request_fields import write_of
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX

R = DefaultedTypeVar("R", bound=Result, default=Any)


class Preparation(msgspec.Struct, Generic[R]):
    """The work that makes a command before it is queued, such as extracting a document's text.

    ``run`` is called with True if the command will be a commit of its own: what it refers to must exist already then.
    If ``is_long`` is true, a repeated request returns its first result without that work.
    """

    run: Callable[[bool], Awaitable[Command[R]]]
    is_long: bool = False


class Change(msgspec.Struct, Generic[R]):
    """A decoded change of one agent.

    ``encode`` returns the response to the command's result. ``note`` logs and counts the result, once it is committed.
    ``latency`` measures the duration of a change that is a commit of its own. If ``erases`` is true, what the command
    removes is erased, and the response has a receipt.
    """

    command: Command[R] | Preparation[R]
    encode: Callable[[R], Message | Awaitable[Message]]
    note: Callable[[str, Command[R], R], None]
    latency: Histogram | None = None
    erases: bool = False

    async def response_to(self, result: R) -> Message:
        """Return the response to the command's result."""
        response = self.encode(result)
        return response if isinstance(response, Message) else await response


Decode = Callable[[Any], Change]
"""Decodes the request of one method. Raises InvalidField, TooLarge."""

D = TypeVar("D", bound=Callable[..., Change[Any]])


def change(decode: D) -> D:
    """Mark a service's method that decodes the request of a change, and does nothing else."""
    decode.is_change = True  # type: ignore[attr-defined]
    return decode


def is_change(method: Callable[..., Any]) -> bool:
    """Return True if a service's method was marked by ``change``."""
    return getattr(method, "is_change", False)


class Changes:
    """Executes changes of all kinds."""

    def __init__(self, agents: AgentCache, erasing: Erasing) -> None:
        self._agents = agents
        self._erasing = erasing

    def unary(self, decode: Decode) -> Callable[[Any, Call], Awaitable[Message]]:
        """Return the handler of a method that makes one change."""
        submit = self._agents.submit

        async def execute(request: Any, call: Call) -> Message:
            small = call.request_bytes <= PARSED_IN_LOOP_BYTES_MAX
            decoded = decode(request) if small else await REQUESTS.run(lambda: decode(request))
            agent_id, command = request.agent_id, decoded.command
            started = time.perf_counter()
            if isinstance(command, Preparation):
                write = await write_in_turn(request, call)
                if command.is_long and write.request is not None:
                    remembered = await self._agents.remembered(agent_id, write.request)
                    if remembered is not None:
                        return await decoded.response_to(remembered)
                command = await command.run(True)
            else:
                write = write_of(request, call) if small else await REQUESTS.run(lambda: write_of(request, call))
            if decoded.erases:
                return await self._erase(agent_id, decoded, command, write, call)
            result = await submit(agent_id, command, write)
            decoded.note(agent_id, command, result)
            # Every set of an entry passes here: an ``await`` of ``response_to`` would cost it more than these lines.
            response = decoded.encode(result)
            if decoded.latency is not None:
                decoded.latency.observe((time.perf_counter() - started) * 1000)
            return response if isinstance(response, Message) else await response

        return execute

    def gated(self, handler: Callable[[Any, Call], Awaitable[Any]]) -> Callable[[Any, Call], Awaitable[Any]]:
        """Return a handler that raises FeatureNotInTier for a request that the agent's tier does not allow."""
        agents, tiers = self._agents, self._agents.tiers

        async def serve(request: Any, call: Call) -> Any:
            if tiers.is_enforced and (features := call.policy.features(request)):
                await agents.require(request.agent_id, features, call.caller.tier)
            return await handler(request, call)

        return serve

    async def _erase(self, agent_id: str, decoded: Change, command: Command, write: Write, call: Call) -> Message:
        result, receipt = await self._erasing.submit(agent_id, erasing(command), write, call)
        decoded.note(agent_id, command, result)
        response: Any = await decoded.response_to(result)
        response.receipt.CopyFrom(receipt)
        return response  # type: ignore[no-any-return]


class ServiceHandlers:
    """The handlers of a service's methods: those marked by ``change`` are executed, all others are called.

    ``gated`` are the names of those whose calls may use a feature that the agent's tier lacks: they are refused before
    any work. What changes an agent is checked again with its commit.
    """

    def __init__(self, service: object, changes: Changes, gated: Collection[str] = ()) -> None:
        self._service = service
        self._changes = changes
        self._gated = gated

    def __getattr__(self, name: str) -> Callable[[Any, Call], Any]:
        method: Callable[..., Any] = getattr(self._service, name)
        handler = self._changes.unary(method) if is_change(method) else method
        return self._changes.gated(handler) if name in self._gated else handler


async def write_in_turn(request: Any, call: Call, rest: bytes = b"") -> Write:
    """Return ``write_of``, computed on a thread if the request is large. ``rest`` is the digest of a file."""
    if request.ByteSize() <= PARSED_IN_LOOP_BYTES_MAX:
        return write_of(request, call, rest)
    return await REQUESTS.run(lambda: write_of(request, call, rest))
