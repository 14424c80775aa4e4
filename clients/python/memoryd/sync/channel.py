"""The connection to the daemon: performs what ``memoryd.protocol`` decides."""

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc

from memoryd.errors import Aborted, CallFailed, MemorydError
from memoryd.protocol.call import Call, Page
from memoryd.protocol.method import Method
from memoryd.protocol.reservation import Make, Renewed
from memoryd.protocol.retry import Attempts
from memoryd.protocol.setting import Settings
from memoryd.protocol.status import client_closed, error_from
from memoryd.sync.flow import drive

log = logging.getLogger("memoryd")

Result = TypeVar("Result")
Item = TypeVar("Item")


class Channel:
    """One connection, opened by the first call."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._connected = False
        self._closed = threading.Event()
        self._methods: dict[str, Any] = {}
        if settings.credentials is None:
            self._channel = grpc.insecure_channel(settings.target, options=settings.options)
        else:
            self._channel = grpc.secure_channel(settings.target, settings.credentials, options=settings.options)

    @property
    def closed(self) -> bool:
        """Whether it was closed, after which every call is Cancelled."""
        return self._closed.is_set()

    def close(self) -> None:
        """End the connection and all calls on it."""
        self._closed.set()
        self._channel.close()

    def run(self, call: Call[Result], stop: threading.Event | None = None) -> Result:
        """Perform a call, again where that is safe and of use. Raises CallFailed.

        Once ``stop`` is set, a call that waits to be tried again is tried at once, and never again.
        """
        stop = stop or self._closed
        attempts = Attempts(
            repeatable=call.method.repeatable,
            timeout=self.settings.timeout + call.patience,
            patience=self.settings.patience(connected=self._connected),
            clock=time.monotonic,
        )
        method = self._unary(call.method)
        while True:
            try:
                response = method(call.request, timeout=attempts.timeout(), metadata=self.settings.metadata)
            except grpc.RpcError as error:
                failed = self.failure(error)
            except ValueError:
                # gRPC's way to say that its channel is closed, among others.
                if not self._closed.is_set():
                    raise
                failed = client_closed()
            else:
                self._connected = True
                return call.convert(response)
            delay = attempts.delay_after(failed)
            if self._closed.is_set() or stop.is_set():
                raise failed
            stop.wait(delay)

    def pages(self, call: Call[Page[Item]]) -> Iterator[Item]:
        """Yield the items of a listing, and ask for each page when it is needed."""
        following: Call[Page[Item]] | None = call
        while following is not None:
            page = self.run(following)
            yield from page.items
            following = page.following

    def perform(self, flow: Generator[Call[Any] | Make, Any, Any], factory: Callable[[], Any] | None = None) -> Any:
        """Perform the steps of a flow, and answer what it returns."""
        return drive(flow, lambda step: self.make(step, factory) if isinstance(step, Make) else self.run(step))

    def download(self, method: Method[Any, Any], request: Any, timeout: float | None) -> Any:
        """Begin a call that answers many messages. Iterating over it raises grpc.RpcError: see failure."""
        call = self._channel.unary_stream(
            method.path,
            request_serializer=method.request_type.SerializeToString,
            response_deserializer=method.response_type.FromString,
        )
        return call(request, timeout=timeout, metadata=self.settings.metadata)

    def upload(self, method: Method[Any, Any], requests: Iterable[Any], seconds: float) -> Any:
        """Perform a call that sends many messages. Raises CallFailed."""
        call = self._channel.stream_unary(
            method.path,
            request_serializer=method.request_type.SerializeToString,
            response_deserializer=method.response_type.FromString,
        )
        try:
            return call(iter(requests), timeout=seconds, metadata=self.settings.metadata)
        except grpc.RpcError as error:
            raise self.failure(error) from None

    def failure(self, error: grpc.RpcError) -> CallFailed:
        """Answer this package's error for gRPC's."""
        # What a call raises is the call itself, too; the stubs cannot say so.
        ended: Any = error
        failed = error_from(ended.code(), ended.details(), ended.trailing_metadata(), self.settings.target)
        self._connected = self._connected or bool(failed.reason)
        return failed

    def _unary(self, method: Method[Any, Any]) -> Any:
        path = method.path
        if path not in self._methods:
            self._methods[path] = self._channel.unary_unary(
                path,
                request_serializer=method.request_type.SerializeToString,
                response_deserializer=method.response_type.FromString,
            )
        return self._methods[path]

    def make(self, step: Renewed, factory: Callable[[], Any] | None) -> Any:
        """Run the factory, and renew its lease meanwhile."""
        if factory is None:
            raise AssertionError("a flow that makes a value comes with a factory")
        with self.renewing(step):
            return factory()

    @contextmanager
    def renewing(self, step: Renewed) -> Iterator[None]:
        """Renew a lease for as long as the block lasts, or until it is lost."""
        done = threading.Event()

        def renew() -> None:
            while not done.wait(step.interval):
                try:
                    self.run(step.renew(), done)
                except Aborted:
                    return
                except MemorydError as error:
                    log.warning("a lease was not renewed: %s", error)

        thread = threading.Thread(target=renew, name="memoryd-renewal", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
