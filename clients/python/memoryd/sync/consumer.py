"""A consumer of flushed fragments that goes on by itself."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from memoryd.errors import MemorydError
from memoryd.model.fragment import Fragment
from memoryd.protocol.call import Call
from memoryd.protocol.consumer import Consumption, Pause, consume
from memoryd.protocol.fragment import Handle
from memoryd.sync.channel import Channel
from memoryd.sync.flow import drive


class Consumer:
    """Hands flushed fragments to a handler, each at least once, also across restarts of the daemon.

    When the handler returns, its fragments leave the buffer; when it raises, that is logged and they are handed out
    again, here after a pause. Their lease is renewed meanwhile, so that a handler may take its time.

    It ends when it is closed, or its client is. It also ends with a CallFailed after which asking again is no use, such
    as Unauthenticated: that is logged as an error, and raised by ``wait`` and ``close``.
    """

    def __init__(self, channel: Channel, asked: Consumption, handler: Callable[[list[Fragment]], Any]) -> None:
        self._channel = channel
        self._handler = handler
        self._stopped = threading.Event()
        self._steps = consume(asked, self._is_over)
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    def wait(self) -> None:
        """Wait until it ends. Raises the CallFailed that it ended with."""
        assert self._thread is not None, "a consumer runs inside of its block"
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End it, once a handler that runs has returned. Raises the CallFailed that it ended with.

        A call for fragments that is under way ends within a second, and what it still brings is given back. Nothing is
        tried again meanwhile: when the daemon is away, what is held is handed out again after its lease.
        """
        self._stopped.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self.wait()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="memoryd-consumer", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.close()
        except MemorydError:
            if error is None:
                raise

    def _run(self) -> None:
        try:
            drive(self._steps, self._perform)
        except BaseException as failure:  # noqa: BLE001 - told to whoever waits
            self._failure = failure

    def _perform(self, step: Call[Any] | Handle | Pause) -> Any:
        if isinstance(step, Handle):
            return self._channel.make(step, lambda: self._handler(step.fragments))
        if isinstance(step, Pause):
            return self._stopped.wait(step.seconds)
        return self._channel.run(step, self._stopped)

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._channel.closed
