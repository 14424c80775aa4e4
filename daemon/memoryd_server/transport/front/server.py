"""The server behind the front end: it takes calls from it in turns of the event loop, and begins their methods."""

import asyncio
import logging

# For tasks that are not asyncio's own: see "Extending" in its documentation.
from asyncio import _enter_task, _leave_task
from collections.abc import Coroutine, Generator, Mapping
from time import monotonic
from typing import Any

import memoryd_front

from memoryd_server.transport.error import internal_status
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.front.admission import FrontSettings, admissions_of
from memoryd_server.transport.front.description import files_of
from memoryd_server.transport.front.exchange import FrontExchange
from memoryd_server.transport.limit import RESPONSES_END_S, TURN_S_MAX
from memoryd_server.transport.routes import Method, unknown_method
from memoryd_server.transport.server_telemetry import ServerTelemetry
from memoryd_server.transport.status import CANCELLED, DEFECT, Status, StatusCode
from memoryd_server.transport.tls import TlsCredentials

log = logging.getLogger("memoryd.transport")

_MESSAGE, _END, _BROKEN, _SENT, _LEFT, _PART = range(6)
"""The front end's numbers of the signals about a call."""

_OK = Status(StatusCode.OK)
_UNIX = "unix:"


class FrontServer:
    """Serves methods over the front end, on any number of addresses."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        settings: FrontSettings | None = None,
        telemetry: ServerTelemetry | None = None,
        *,
        shares_ports: bool = False,
    ) -> None:
        settings = settings or FrontSettings()
        admissions = admissions_of(methods, settings)
        self._begins = [method.begin for method in methods.values()]
        self._pools = admissions.pools
        self._front = memoryd_front.Front(
            admissions.front_methods, files_of(methods), admissions.front_pools, admissions.refusals, settings
        )
        self._telemetry = telemetry
        self._shares_ports = shares_ports
        self._open: dict[int, FrontExchange] = {}
        self._is_to_flush = False
        self._is_in_turn = False

    def listen(self, address: str, tls: TlsCredentials | None) -> int:
        """Bind an address, such as ``127.0.0.1:7600`` or ``unix:/path``, and return the port.

        Without ``tls`` its connections are not encrypted. Raises RuntimeError when the address cannot be bound, and
        ValueError for credentials that it cannot use.
        """
        try:
            if address.startswith(_UNIX):
                self._front.listen_unix(address.removeprefix(_UNIX))
                return 1
            credentials = None if tls is None else (tls.certificate, tls.key, tls.client_authorities)
            return self._front.listen_tcp(address, credentials, shares_ports=self._shares_ports)
        except OSError as error:
            raise RuntimeError(str(error)) from error

    def renew(self, tls: TlsCredentials) -> None:
        """Use other credentials for new connections. Raises ValueError for credentials that it cannot use."""
        self._front.renew((tls.certificate, tls.key, tls.client_authorities))

    async def start(self) -> None:
        """Accept connections."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._front.fileno(), self._turn)
        self._front.start()
        if self._telemetry is not None:
            self._telemetry.counts = self._front

    async def stop(self) -> None:
        """Close all connections, once the last responses have left."""
        self._front.flush()
        await asyncio.to_thread(self._front.stop, RESPONSES_END_S)
        self._loop.remove_reader(self._front.fileno())
        self._turn()
        tasks = [exchange.task_of_rest for exchange in self._open.values() if exchange.task_of_rest is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    def broadcast(self, calls: list[memoryd_front.Call], message: bytes) -> list[int]:
        """Send one message to many calls. Return the indices of those without room. Implements ``Crowd``."""
        without_room = self._front.tell(calls, message)
        self.flush_soon()
        return without_room

    def unsent_bytes(self) -> int:
        """Return the size of the messages of ``broadcast`` that a call has not sent yet. Implements ``Crowd``."""
        return self._front.told_bytes()

    def _turn(self) -> None:
        """Begin the calls that have come. When they take long, the others wait for the next turn of the loop."""
        self._is_in_turn = True
        try:
            for call_id, signal, value in self._front.signals():
                self._note(call_id, signal, value)
            end = monotonic() + TURN_S_MAX
            take = self._front.next
            while (arrival := take()) is not None:
                self._begin(*arrival)
                if monotonic() > end:
                    break
        finally:
            self._is_in_turn = False
            self._front.flush()
        refused = self._front.refused()
        if refused is not None:
            for pool, count in zip(self._pools, refused, strict=True):
                pool.refused.add(count)

    def _begin(self, number: int, call: memoryd_front.Call, message: bytes | None) -> None:
        exchange = FrontExchange(call, message, self)
        begin = self._begins[number] if number < len(self._begins) else unknown_method(call.path()).begin
        coroutine: Any = begin(_as_it_is, None, exchange)
        _enter_task(self._loop, exchange)  # type: ignore[arg-type]
        try:
            waits_for = coroutine.send(None)
        except StopIteration as ended:
            response = ended.value
            if response.__class__ is bytes and exchange.callbacks is None:
                # As _end does for all others. The turn carries it out at its end.
                call.answer(response)
            else:
                self._end(exchange, response)
            return
        except BaseException as error:  # noqa: BLE001 - _fail logs it, or raises it again
            self._fail(exchange, error)
            return
        finally:
            _leave_task(self._loop, exchange)  # type: ignore[arg-type]
        self._open[call.id] = exchange
        exchange.task_of_rest = self._loop.create_task(_Rest(coroutine, waits_for))
        exchange.task_of_rest.add_done_callback(exchange.end_with)

    def end(self, exchange: FrontExchange, task: "asyncio.Task[Any]") -> None:
        """End a call whose task has ended."""
        del self._open[exchange.call.id]
        # A cancelled task holds the frames that it has left, and they this exchange: a cycle, with a message in it.
        exchange.task_of_rest = None
        if task.cancelled():
            self._fail(exchange, asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            self._fail(exchange, error)
        else:
            self._end(exchange, task.result())

    def _end(self, exchange: FrontExchange, response: bytes | None) -> None:
        if response is None:
            # A stream has come to its end, or the call was refused: that end stays.
            exchange.end(_OK)
            if exchange.refused is not None:
                self._note_failed(exchange.refused)
        elif exchange.answer(response):
            self._open[exchange.call.id] = exchange

    def _fail(self, exchange: FrontExchange, error: BaseException) -> None:
        exchange.give_up()
        is_cancelled = isinstance(error, asyncio.CancelledError)
        self._note_failed(exchange.refused or (CANCELLED if is_cancelled else DEFECT))
        if is_cancelled:
            exchange.end(CANCELLED)
            return
        exchange.end(internal_status())
        if not isinstance(error, Exception):
            raise error
        log.error("call failed", exc_info=error)

    def _note_failed(self, status: Status) -> None:
        if self._telemetry is not None:
            self._telemetry.calls.fail(status)

    def _note(self, call_id: int, signal: int, value: Any) -> None:
        exchange = self._open.get(call_id)
        if exchange is None:
            return
        if signal == _MESSAGE:
            exchange.note(value)
        elif signal == _PART:
            exchange.note_part(value)
        elif signal in (_END, _SENT):
            if exchange.note(None):
                del self._open[call_id]
        else:
            if signal == _BROKEN:
                code, message, details = value
                exchange.end(Status(StatusCode(code), message, details))
            if exchange.task_of_rest is not None:
                exchange.task_of_rest.cancel()

    def flush_soon(self) -> None:
        """Let what was done with calls take effect, together with what else is done in this turn of the loop."""
        if not self._is_in_turn and not self._is_to_flush:
            self._is_to_flush = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_to_flush = False
        self._front.flush()


_PASSED_ON = object()
"""The mark of what a task knows to wait for. None is a turn of the loop."""


class _Rest(Coroutine[Any, Any, Any]):
    """A coroutine that has taken its first step, for a task that takes the others."""

    __slots__ = ("_coroutine", "_waits_for")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], waits_for: Any) -> None:
        self._coroutine = coroutine
        self._waits_for = waits_for

    def send(self, value: Any) -> Any:
        """Take the next step. The first time, return what the step before waits for."""
        if self._waits_for is _PASSED_ON:
            return self._coroutine.send(value)
        waits_for, self._waits_for = self._waits_for, _PASSED_ON
        return waits_for

    def throw(self, *error: Any) -> Any:
        """Raise an error where the coroutine waits."""
        self._waits_for = _PASSED_ON
        try:
            return self._coroutine.throw(*error)
        finally:
            # Else it would hold this frame, and the frame it.
            del error

    def close(self) -> None:
        """End the coroutine."""
        self._coroutine.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        raise NotImplementedError


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
