"""The gate that every call passes: admission, authentication, access rights, errors, and draining.

One wrapper, made when a method is registered, does all of it: a chain of interceptors would cost each call a tenth.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable
from contextlib import aclosing
from typing import Any

import msgspec
from google.protobuf.message import DecodeError, Message

from memoryd_server.domain import validation
from memoryd_server.domain.error import Draining, MalformedMessage, Overloaded, Refusal, RequestStalled, Unauthenticated
from memoryd_server.ports.auth import Authenticator, Caller
from memoryd_server.transport.access import AccessRule, CallCost, MethodPolicy
from memoryd_server.transport.admission.allocator import MemoryReturn, memory_bytes_max
from memoryd_server.transport.admission.arrival import Arrivals, Owner, place_of
from memoryd_server.transport.admission.departure import Departures
from memoryd_server.transport.admission.pool import Pool, Pools
from memoryd_server.transport.call import Call
from memoryd_server.transport.call_facts import CallFacts, Describe, describer
from memoryd_server.transport.client_version import ClientVersions
from memoryd_server.transport.error import internal_status, status_of
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.limit import (
    LARGE_REQUEST_BYTES_MIN,
    LARGE_RESPONSE_BYTES_MIN,
    PARSED_IN_LOOP_BYTES_MAX,
    STREAM_IDLE_S,
)
from memoryd_server.transport.named_agent import agent_namer
from memoryd_server.transport.parsing.parser import Parser
from memoryd_server.transport.status import Status

log = logging.getLogger("memoryd.transport")

Response = Message | bytes
Begin = Callable[[Callable[[Any], Exchange], object, Any], Awaitable[Any]]
"""Serves one call: ``begin(connect, _, carried)``, where ``connect(carried)`` is the exchange.

A transport binds ``connect``, and passes what it knows a call by as ``carried``: so it needs no function of its own
around each call. gRPC passes a second argument of no use.
"""

UnaryHandler = Callable[[Any, Call], Awaitable[Response]]
StreamHandler = Callable[[Any, Call], AsyncGenerator[Response, None]]
ProbeHandler = Callable[[AsyncIterator[bytes], Exchange], Awaitable[bytes | None]]


class ProbeRefused(Exception):  # noqa: N818 - as domain.error.Refusal
    """A probe was refused with a status that its own protocol defines."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


class Gate:
    """Admits calls and counts them. ``open_caller`` is the caller where nobody has to authenticate, otherwise None.

    If ``is_audited`` is true, the gate notes the facts of the calls whose exchange has a place for them.

    Each method below wraps a handler into what a transport begins with each call. A call is authenticated and admitted
    before its request is received: until then the request occupies what the transport's flow control allows. What is
    returned raises nothing but asyncio.CancelledError and what the exchange's ``refuse`` raises.
    """

    def __init__(
        self, authenticator: Authenticator, open_caller: Caller | None, pools: Pools, *, is_audited: bool = False
    ) -> None:
        self._authenticator = authenticator
        self._open_caller = open_caller
        self._is_audited = is_audited
        self.pools = pools
        self._versions = ClientVersions()
        self._memory = MemoryReturn()
        self._arrivals = Arrivals(self.pools.request_bytes, self._memory)
        self._departures = Departures(self.pools.response_bytes, self._memory)
        self._changed = asyncio.Event()
        # The calls in progress of callers that may lose their rights, by their tasks.
        self._running: dict[Any, Caller | Call] = {}
        self.draining = False

    def drain(self) -> None:
        """Refuse calls from now on; those that were admitted may end."""
        self.draining = True

    async def wait_for_calls(self) -> None:
        """Wait until no call is admitted, not counting watches and probes."""
        while self.pools.unfinished:
            await self._next_change()

    async def wait_for_watches(self) -> None:
        """Wait until no watch is admitted."""
        while self.pools.watches.value:
            await self._next_change()

    def recheck(self) -> None:
        """End the calls in progress whose callers were revoked, and the long ones whose rights were taken away."""
        for task, running in list(self._running.items()):
            try:
                if isinstance(running, Call):
                    running.check_again()
                elif not running.is_valid:
                    raise Unauthenticated
            except Refusal as refusal:
                self._arrivals.end(task, refusal)

    def unary(self, policy: MethodPolicy, request_type: type[Message], handler: UnaryHandler) -> Begin:  # noqa: C901
        """Wrap the handler of a method with one request and one response."""
        parse, parse_large = request_type.FromString, Parser(request_type, self.pools.limits).parse
        agent_of, describe = agent_namer(request_type), self._describer(request_type)
        is_agents, is_about_daemon = policy.rule is AccessRule.AGENT, policy.rule is AccessRule.AUTHENTICATED
        pool, versions, arrivals = self.pool(policy), self._versions, self._arrivals
        waiting, held, departures, unread = arrivals.waiting, arrivals.held, self._departures, self.pools.response_bytes
        running = None if self._open_caller is not None else self._running
        is_wait, is_read = policy.cost is CallCost.WAIT, policy.is_read

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> bytes | None:  # noqa: C901
            # Nearly every call comes this way, so what the streams call by name is written out here.
            exchange = connect(carried)
            request: Any = None
            try:
                caller = self._open_caller or self._authenticate(exchange)
                if (user_agent := exchange.metadata("user-agent")) not in versions.supported and not is_about_daemon:
                    versions.check(user_agent)
                owner: Any = caller if self._open_caller is None else exchange
                # Nobody's share while there is room for all: gRPC takes long to name a connection.
                place: Any = None
                if pool.value < pool.unshared and unread.value < unread.share and not self.draining:
                    pool.value += 1
                else:
                    place = self._enter(pool, owner, is_refused_draining=not is_about_daemon)
                task: Any = exchange.task()
                try:
                    if running is not None:
                        running[task] = caller
                    waiting[task] = owner
                    if not arrivals.is_looking:
                        arrivals.look()
                    data: Any = await exchange.receive()
                    del waiting[task]
                    if task in held or data.__class__ is not bytes or len(data) >= LARGE_REQUEST_BYTES_MIN:
                        arrivals.hold(task, owner, data)
                    size = len(data)
                    request = parse(data) if size <= PARSED_IN_LOOP_BYTES_MAX else await parse_large(data)
                    # It may be large, and the handler may take long.
                    data = None
                    call = Call(policy, caller, exchange.metadata, size)
                    if is_wait:
                        call = self._followed(task, call)
                    if describe is not None:
                        call = _to_describe(call, exchange, describe, request)
                    exchange.agent_id = validation.agent_id(request.agent_id) if is_agents else agent_of(request)
                    if is_wait or not caller.is_unlimited:
                        call.require_request(request)
                    answer = await handler(request, call)
                    response = answer if isinstance(answer, bytes) else answer.SerializeToString()
                    if len(response) >= LARGE_RESPONSE_BYTES_MIN:
                        departures.hold(task, owner, len(response), is_refused=is_read)
                    return response
                finally:
                    if running is not None:
                        del running[task]
                    if task in waiting or task in held:
                        arrivals.leave(task)
                    if place is None:
                        pool.value -= 1
                    else:
                        pool.leave(place)
                    if self.draining:
                        self._changed.set()
            except BaseException as end:  # noqa: BLE001 - _status_of logs it, or raises it again
                status = self._status_of(end, policy.name, exchange, None if request is None else agent_of(request))
            await _refuse(exchange, status)
            return None

        return serve

    def server_stream(self, policy: MethodPolicy, request_type: type[Message], handler: StreamHandler) -> Begin:
        """Wrap the handler of a method with one request and a stream of responses."""
        parser, agent_of = Parser(request_type, self.pools.limits), agent_namer(request_type)
        pool, arrivals, is_transfer = self.pool(policy), self._arrivals, policy.cost is CallCost.TRANSFER
        describe = self._describer(request_type)

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> None:
            exchange = connect(carried)
            agent_id: str | None = None
            try:
                with self._admitted(pool, exchange) as (task, caller, owner):
                    request: Any = await parser.parse(await arrivals.receive(exchange, task, owner))
                    exchange.agent_id = agent_id = agent_of(request)
                    call = Call(policy, caller, exchange.metadata, 0, exchange.peer, exchange)
                    call = self._followed(task, call)
                    facts = exchange.facts
                    if describe is not None and facts is not None:
                        describe(facts, request)
                        call = msgspec.structs.replace(call, facts=facts)
                    call.require_request(request)
                    handled = handler(request, call)
                    # The stream may last for days.
                    del request
                    send = _patient(exchange.send) if is_transfer else exchange.send
                    # Close the handler before its place is free: a client that ends its stream leaves it unfinished.
                    async with aclosing(handled) as responses:
                        async for response in responses:
                            if facts is not None:
                                facts.begin()
                                facts = None
                            await send(_serialized(response))
                return
            except BaseException as end:  # noqa: BLE001 - _status_of logs it, or raises it again
                status = self._status_of(end, policy.name, exchange, agent_id)
            await _refuse(exchange, status)

        return serve

    def client_stream(self, policy: MethodPolicy, request_type: type[Message], handler: UnaryHandler) -> Begin:
        """Wrap the handler of a method with a stream of requests and one response."""
        parser, agent_of, pool = Parser(request_type, self.pools.limits), agent_namer(request_type), self.pool(policy)
        describe = self._describer(request_type)

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> bytes | None:
            exchange = connect(carried)
            request: Any = None

            async def parsed(facts: CallFacts | None) -> AsyncIterator[Message]:
                nonlocal request
                async for data in _prompt(exchange):
                    message = await parser.parse(data)
                    # The first message of a stream has the header.
                    request = request or message
                    if facts is not None and describe is not None and request is message:
                        describe(facts, message)
                    yield message
                    # The service asks for a second one once it has permitted what the header names.
                    if facts is not None:
                        facts.begin()
                        facts = None

            try:
                with self._admitted(pool, exchange) as (task, caller, _):
                    facts = exchange.facts
                    call = self._followed(task, Call(policy, caller, exchange.metadata, facts=facts))
                    call.require_request(None)
                    return _serialized(await handler(parsed(facts), call))
            except BaseException as end:  # noqa: BLE001 - _status_of logs it, or raises it again
                status = self._status_of(end, policy.name, exchange, None if request is None else agent_of(request))
            await _refuse(exchange, status)
            return None

        return serve

    def probe(self, method: str, handler: ProbeHandler, *, lasts: bool = False) -> Begin:
        """Wrap a method that needs no token and is served while the daemon drains: health and reflection.

        What lasts as long as its client likes gets half of the places, so that it never shuts out the others.
        """
        pool = self.pools.probes
        places = (pool.maximum + 1) // 2 if lasts else pool.maximum

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> bytes | None:
            exchange = connect(carried)
            try:
                place = exchange.address()
                if pool.value >= places:
                    pool.refuse(1)
                pool.enter(place)
                try:
                    return await handler(_prompt(exchange), exchange)
                finally:
                    pool.leave(place)
            except ProbeRefused as refused:
                status = refused.status
            except BaseException as end:  # noqa: BLE001 - _status_of logs it, or raises it again
                status = self._status_of(end, method, exchange, None)
            await _refuse(exchange, status)
            return None

        return serve

    @property
    def needs_credentials(self) -> bool:
        """True if a call needs a token or a client certificate, unless its method is a probe."""
        return self._open_caller is None

    def pool(self, policy: MethodPolicy) -> Pool:
        """Return the pool in which the calls of a method count."""
        pools = self.pools
        if policy.rule is AccessRule.AUTHENTICATED:
            return pools.probes
        return {
            CallCost.CALL: pools.calls,
            CallCost.WAIT: pools.waits,
            CallCost.TRANSFER: pools.transfers,
            CallCost.WATCH: pools.watches,
        }[policy.cost]

    def _admitted(self, pool: Pool, exchange: Exchange) -> "_Admission":
        """Admit a call for the duration of a with block.

        The block gets its task, its caller, and what ``place_of`` returns whose share it takes for.
        """
        caller = self._open_caller or self._authenticate(exchange)
        self._versions.check(exchange.metadata("user-agent"))
        owner: Any = caller if self._open_caller is None else exchange
        place, task = self._enter(pool, owner, is_refused_draining=True), exchange.task()
        if self._open_caller is None:
            self._running[task] = caller
        return _Admission(self, pool, place, (task, caller, owner))

    def _followed(self, task: object, call: Call) -> Call:
        """Return a call that may last, and that ``recheck`` checks again, as far as its caller's rights may change."""
        if self._open_caller is not None:
            return call
        self._running[task] = followed = msgspec.structs.replace(call, checks=set())
        return followed

    def leave(self, task: object, pool: Pool, place: Hashable) -> None:
        """Return the place of a stream that has ended."""
        self._running.pop(task, None)
        self._arrivals.leave(task)
        pool.leave(place)
        self._memory.soon()
        if self.draining:
            self._changed.set()

    def _enter(self, pool: Pool, owner: Owner, *, is_refused_draining: bool) -> Hashable:
        """Take a place of a pool for a call. Return whose share it is of. Raises Draining, Overloaded."""
        if self.draining and is_refused_draining:
            raise Draining
        place: Hashable = place_of(owner)
        self._departures.check(place)
        pool.enter(place)
        return place

    def _authenticate(self, exchange: Exchange) -> Caller:
        caller = self._authenticator.authenticate(exchange.metadata("authorization"), exchange.peer().identities)
        facts = exchange.facts
        if facts is not None:
            facts.caller, facts.is_denied = caller, True
        if caller.rate is not None:
            caller.rate.take()
        if facts is not None:
            facts.is_denied = False
        return caller

    def _describer(self, request_type: type[Message]) -> Describe | None:
        return describer(request_type) if self._is_audited else None

    def _status_of(self, end: BaseException, method: str, exchange: Exchange, agent_id: str | None) -> Status:
        """Return the status of a call that failed. Log a defect.

        ``agent_id`` is the one that the request names, empty for none; None if no request was received.

        Raises asyncio.CancelledError if the client has left: that is no failure. Raises what ends the process.
        """
        if agent_id is None:
            self._memory.soon()
        if isinstance(end, asyncio.CancelledError):
            end = self._arrivals.refusal_of(exchange.task()) or end
        elif agent_id is None and isinstance(end, DecodeError):
            end = MalformedMessage()
        elif isinstance(end, MemoryError):
            log.error("no memory left for a call", extra={"method": method})
            end = Overloaded("memory_bytes", memory_bytes_max())
        if isinstance(end, Refusal):
            return status_of(end, agent_id or "")
        if not isinstance(end, Exception):
            try:
                raise end
            finally:
                # Else it would hold this frame, and the frame it, together with the call's messages.
                del end
        if exchange.has_left(end):
            raise asyncio.CancelledError from None
        log.error("call failed", exc_info=end, extra={"method": method})
        return internal_status(agent_id or "")

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class _Admission:
    """A stream's place in a pool. A generator would need a frame, which watches would hold by the thousand."""

    __slots__ = ("_gate", "_place", "_pool", "_stream")

    def __init__(self, gate: Gate, pool: Pool, place: Hashable, stream: tuple[object, Caller, Owner]) -> None:
        self._gate = gate
        self._pool = pool
        self._place = place
        self._stream = stream

    def __enter__(self) -> tuple[object, Caller, Owner]:
        return self._stream

    def __exit__(self, *_: object) -> None:
        self._gate.leave(self._stream[0], self._pool, self._place)


async def _refuse(exchange: Exchange, status: Status) -> None:
    exchange.refused = status
    await exchange.refuse(status)


def _to_describe(call: Call, exchange: Exchange, describe: Describe, request: Any) -> Call:
    """Return a call that notes its facts, and note its request, which is described once that is asked for."""
    facts = exchange.facts
    if facts is None:
        return call
    facts.request, facts.describe = request, describe
    return msgspec.structs.replace(call, facts=facts)


def _serialized(response: Response) -> bytes:
    return response if isinstance(response, bytes) else response.SerializeToString()


async def _prompt(exchange: Exchange) -> AsyncIterator[bytes]:
    """Yield the messages of a stream. Raises RequestStalled if one takes too long to come."""
    while True:
        try:
            async with asyncio.timeout(STREAM_IDLE_S):
                message = await exchange.receive()
        except TimeoutError:
            raise RequestStalled(round(STREAM_IDLE_S)) from None
        if not isinstance(message, bytes):
            return
        yield message


def _patient(send: Callable[[bytes], Awaitable[None]]) -> Callable[[bytes], Awaitable[None]]:
    """Return a function that sends, and raises RequestStalled if the client does not read for too long."""

    async def send_in_time(message: bytes) -> None:
        try:
            async with asyncio.timeout(STREAM_IDLE_S):
                await send(message)
        except TimeoutError:
            raise RequestStalled(round(STREAM_IDLE_S)) from None

    return send_in_time
