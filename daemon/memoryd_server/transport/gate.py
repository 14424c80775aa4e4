"""The gate that every call passes: admission, authentication, access rights, errors, and draining.

One wrapper, made when a method is registered, does all of it: a chain of interceptors would cost each call a tenth.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, NoReturn

from google.protobuf.message import DecodeError, Message

from memoryd_server.domain import validation
from memoryd_server.domain.error import Draining, MalformedMessage, Overloaded, Refusal
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.auth import Authenticator, Caller
from memoryd_server.transport.access import AccessRule
from memoryd_server.transport.call import Call
from memoryd_server.transport.error import internal_status, status_of
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.named_agent import agent_namer

log = logging.getLogger("memoryd.transport")

Response = Message | bytes
UnaryHandler = Callable[[Any, Call], Awaitable[Response]]
StreamHandler = Callable[[Any, Call], AsyncGenerator[Response, None]]


class Gate:
    """Admits calls and counts them. ``open_caller`` is the caller where nobody has to authenticate, otherwise None.

    Each method below wraps a handler into what a transport calls with the serialized request and the exchange. What it
    returns raises nothing but asyncio.CancelledError and what the exchange's ``refuse`` raises.
    """

    def __init__(self, authenticator: Authenticator, open_caller: Caller | None, limits: Limits) -> None:
        self._authenticator = authenticator
        self._open_caller = open_caller
        self._limits = limits
        self._calls = 0
        self._watches = 0
        self._changed = asyncio.Event()
        self.draining = False

    def drain(self) -> None:
        """Refuse calls from now on; those that were admitted may end."""
        self.draining = True

    async def wait_for_calls(self) -> None:
        """Wait until no call is admitted, not counting watches."""
        while self._calls:
            await self._next_change()

    async def wait_for_watches(self) -> None:
        """Wait until no watch is admitted."""
        while self._watches:
            await self._next_change()

    def unary(
        self, method: str, rule: AccessRule, request_type: type[Message], handler: UnaryHandler
    ) -> Callable[[bytes, Exchange], Awaitable[bytes]]:
        """Wrap the handler of a method with one request and one response."""
        parse, agent_of = request_type.FromString, agent_namer(request_type)
        is_agents = rule is AccessRule.AGENT
        is_refused_draining = rule is not AccessRule.AUTHENTICATED

        async def serve(data: bytes, exchange: Exchange) -> bytes:
            # Nearly every call comes this way, so what the streams call by name is written out here.
            request: Any = None
            try:
                if (self.draining and is_refused_draining) or self._calls >= self._limits.concurrent_calls:
                    self._refuse_call(is_refused_draining=is_refused_draining)
                self._calls += 1
                try:
                    call = Call(method, self._open_caller or self._authenticate(exchange), exchange.metadata)
                    try:
                        request = parse(data)
                    except DecodeError:
                        raise MalformedMessage from None
                    if is_agents:
                        agent_id = validation.agent_id(request.agent_id)
                        if not call.caller.all_agents:
                            call.require_agent(agent_id)
                    response = await handler(request, call)
                    return response if isinstance(response, bytes) else response.SerializeToString()
                finally:
                    self._calls -= 1
                    if self.draining:
                        self._changed.set()
            except Refusal as refusal:
                await exchange.refuse(status_of(refusal, _agent_in(request, agent_of)))
            except Exception:
                log.exception("call failed", extra={"method": method})
                await exchange.refuse(internal_status(_agent_in(request, agent_of)))

        return serve

    def server_stream(
        self, method: str, request_type: type[Message], handler: StreamHandler, *, is_watch: bool
    ) -> Callable[[bytes, Exchange], Awaitable[None]]:
        """Wrap the handler of a method with one request and a stream of responses."""
        parse, agent_of = request_type.FromString, agent_namer(request_type)
        enter, leave = (self._enter_watch, self._leave_watch) if is_watch else (self._enter_call, self._leave_call)

        async def serve(data: bytes, exchange: Exchange) -> None:
            request: Any = None
            try:
                enter()
                try:
                    call = self._call(method, exchange)
                    request = _parsed(parse, data)
                    send = exchange.send
                    # Close the handler before its place is free: a client that ends its stream leaves it unfinished.
                    async with aclosing(handler(request, call)) as responses:
                        async for response in responses:
                            await send(_serialized(response))
                finally:
                    leave()
            except Refusal as refusal:
                await exchange.refuse(status_of(refusal, _agent_in(request, agent_of)))
            except Exception:
                log.exception("call failed", extra={"method": method})
                await exchange.refuse(internal_status(_agent_in(request, agent_of)))

        return serve

    def client_stream(
        self, method: str, request_type: type[Message], handler: UnaryHandler
    ) -> Callable[[AsyncIterator[bytes], Exchange], Awaitable[bytes]]:
        """Wrap the handler of a method with a stream of requests and one response."""
        parse, agent_of = request_type.FromString, agent_namer(request_type)

        async def serve(requests: AsyncIterator[bytes], exchange: Exchange) -> bytes:
            request: Any = None

            async def parsed() -> AsyncIterator[Message]:
                nonlocal request
                async for data in requests:
                    message = _parsed(parse, data)
                    # The first message of a stream has the header.
                    request = request or message
                    yield message

            try:
                self._enter_call()
                try:
                    return _serialized(await handler(parsed(), self._call(method, exchange)))
                finally:
                    self._leave_call()
            except Refusal as refusal:
                await exchange.refuse(status_of(refusal, _agent_in(request, agent_of)))
            except Exception:
                log.exception("call failed", extra={"method": method})
                await exchange.refuse(internal_status(_agent_in(request, agent_of)))

        return serve

    def _call(self, method: str, exchange: Exchange) -> Call:
        return Call(method, self._open_caller or self._authenticate(exchange), exchange.metadata, exchange.peer)

    def _authenticate(self, exchange: Exchange) -> Caller:
        authorization = dict(exchange.metadata()).get("authorization")
        return self._authenticator.authenticate(
            authorization if isinstance(authorization, str) else None, exchange.peer().identities
        )

    def _enter_call(self) -> None:
        if self.draining or self._calls >= self._limits.concurrent_calls:
            self._refuse_call(is_refused_draining=True)
        self._calls += 1

    def _refuse_call(self, *, is_refused_draining: bool) -> NoReturn:
        if self.draining and is_refused_draining:
            raise Draining
        raise Overloaded("concurrent_calls", self._limits.concurrent_calls)

    def _leave_call(self) -> None:
        self._calls -= 1
        if self.draining:
            self._changed.set()

    def _enter_watch(self) -> None:
        if self.draining:
            raise Draining
        if self._watches >= self._limits.concurrent_watches:
            raise Overloaded("concurrent_watches", self._limits.concurrent_watches)
        self._watches += 1

    def _leave_watch(self) -> None:
        self._watches -= 1
        if self.draining:
            self._changed.set()

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


def _agent_in(request: Any, agent_of: Callable[[Any], str]) -> str:
    """Return the agent that a request names; empty if it names none, or was refused before it was read."""
    return "" if request is None else agent_of(request)


def _parsed(parse: Callable[[bytes], Message], data: bytes) -> Any:
    try:
        return parse(data)
    except DecodeError:
        raise MalformedMessage from None


def _serialized(response: Response) -> bytes:
    return response if isinstance(response, bytes) else response.SerializeToString()
