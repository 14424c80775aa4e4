"""What every call passes: admission, authentication, the one error table, and the way out when the server drains.

One wrapper, made when a method is registered, does all of it: a chain of interceptors would cost each call a tenth.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc
from google.protobuf.message import DecodeError, Message

from memoryd_server.domain import validation
from memoryd_server.domain.error import Draining, LimitExceeded, MalformedMessage, Refusal
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX, Limits
from memoryd_server.ports.auth import Authenticator, Caller
from memoryd_server.transport.access import AccessRule
from memoryd_server.transport.call import Call
from memoryd_server.transport.error import abort, abort_internal

log = logging.getLogger("memoryd.transport")

Context = Any
"""grpc.aio's ServicerContext, whose types say nothing of messages as bytes."""

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
"""What gRPC wants of a method."""

Response = Message | bytes
UnaryHandler = Callable[[Any, Call], Awaitable[Response]]
StreamHandler = Callable[[Any, Call], AsyncIterator[Response]]

_CERTIFICATE_PROPERTIES = ("x509_subject_alternative_name", "x509_common_name")


class Gate:
    """Lets calls in and counts them. ``open_caller`` is who calls when nobody has to say who they are."""

    def __init__(self, authenticator: Authenticator, open_caller: Caller | None, limits: Limits) -> None:
        self._authenticator = authenticator
        self._open_caller = open_caller
        self._limits = limits
        self._calls = 0
        self._watches = 0
        self._changed = asyncio.Event()
        self.draining = False

    def drain(self) -> None:
        """Refuse calls from now on; those that are in may end."""
        self.draining = True

    async def wait_for_calls(self) -> None:
        """Wait until no call is in, watches apart."""
        while self._calls:
            await self._next_change()

    async def wait_for_watches(self) -> None:
        """Wait until no watch is in."""
        while self._watches:
            await self._next_change()

    def unary(
        self, method: str, rule: AccessRule, request_type: type[Message], handler: UnaryHandler
    ) -> Callable[[bytes, Context], Awaitable[bytes]]:
        """What gRPC calls for a method with one request and one response."""
        parse = request_type.FromString
        is_agents = rule is AccessRule.AGENT
        is_told_draining = rule is not AccessRule.NONE

        async def serve(data: bytes, context: Context) -> bytes:
            # Nearly every call comes this way, so what the streams call by name stands here itself.
            try:
                if (self.draining and is_told_draining) or self._calls >= self._limits.concurrent_calls:
                    self._refuse_call(is_told_draining=is_told_draining)
                self._calls += 1
                try:
                    call = Call(method, self._open_caller or self._authenticate(context), context.invocation_metadata)
                    request: Any = parse(data)
                    if is_agents:
                        agent_id = validation.text("agent_id", request.agent_id, AGENT_ID_BYTES_MAX)
                        if not call.caller.all_agents:
                            call.require_agent(agent_id)
                    response = await handler(request, call)
                    return response if isinstance(response, bytes) else response.SerializeToString()
                finally:
                    self._calls -= 1
                    if self.draining:
                        self._changed.set()
            except Refusal as refusal:
                await abort(context, refusal)
            except DecodeError:
                await abort(context, MalformedMessage())
            except Exception:
                log.exception("call failed", extra={"method": method})
                await abort_internal(context)
            raise AssertionError("abort does not return")

        return serve

    def server_stream(
        self, method: str, request_type: type[Message], handler: StreamHandler, *, is_watch: bool
    ) -> Callable[[bytes, Context], Awaitable[None]]:
        """What gRPC calls for a method with one request and many responses."""
        parse = request_type.FromString
        enter, leave = (self._enter_watch, self._leave_watch) if is_watch else (self._enter_call, self._leave_call)

        async def serve(data: bytes, context: Context) -> None:
            try:
                enter()
                try:
                    call = self._call(method, context)
                    async for response in handler(_parsed(parse, data), call):
                        await context.write(_serialized(response))
                finally:
                    leave()
            except Refusal as refusal:
                await abort(context, refusal)
            except Exception:
                log.exception("call failed", extra={"method": method})
                await abort_internal(context)

        return serve

    def client_stream(
        self, method: str, request_type: type[Message], handler: UnaryHandler
    ) -> Callable[[AsyncIterator[bytes], Context], Awaitable[bytes]]:
        """What gRPC calls for a method with many requests and one response."""
        parse = request_type.FromString

        async def parsed(requests: AsyncIterator[bytes]) -> AsyncIterator[Message]:
            async for data in requests:
                yield _parsed(parse, data)

        async def serve(requests: AsyncIterator[bytes], context: Context) -> bytes:
            try:
                self._enter_call()
                try:
                    return _serialized(await handler(parsed(requests), self._call(method, context)))
                finally:
                    self._leave_call()
            except Refusal as refusal:
                await abort(context, refusal)
            except Exception:
                log.exception("call failed", extra={"method": method})
                await abort_internal(context)
            raise AssertionError("abort does not return")

        return serve

    def _call(self, method: str, context: Context) -> Call:
        return Call(method, self._open_caller or self._authenticate(context), context.invocation_metadata)

    def _authenticate(self, context: Context) -> Caller:
        authorization = dict(context.invocation_metadata()).get("authorization")
        return self._authenticator.authenticate(
            authorization if isinstance(authorization, str) else None, _peer_identities(context)
        )

    def _enter_call(self) -> None:
        if self.draining or self._calls >= self._limits.concurrent_calls:
            self._refuse_call(is_told_draining=True)
        self._calls += 1

    def _refuse_call(self, *, is_told_draining: bool) -> NoReturn:
        if self.draining and is_told_draining:
            raise Draining
        raise LimitExceeded("concurrent_calls", self._limits.concurrent_calls)

    def _leave_call(self) -> None:
        self._calls -= 1
        if self.draining:
            self._changed.set()

    def _enter_watch(self) -> None:
        if self.draining:
            raise Draining
        if self._watches >= self._limits.concurrent_watches:
            raise LimitExceeded("concurrent_watches", self._limits.concurrent_watches)
        self._watches += 1

    def _leave_watch(self) -> None:
        self._watches -= 1
        if self.draining:
            self._changed.set()

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


def _parsed(parse: Callable[[bytes], Message], data: bytes) -> Any:
    try:
        return parse(data)
    except DecodeError:
        raise MalformedMessage from None


def _serialized(response: Response) -> bytes:
    return response if isinstance(response, bytes) else response.SerializeToString()


def _peer_identities(context: Context) -> list[str]:
    properties = context.auth_context()
    values = [value for name in _CERTIFICATE_PROPERTIES for value in properties.get(name, ())]
    return [value.decode("utf-8", "replace") for value in values]
