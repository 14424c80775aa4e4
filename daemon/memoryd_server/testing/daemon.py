"""The daemon inside the process: all that `memoryd serve` starts, except sockets, signals and metrics."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Self

import uvloop

from memoryd_server.ops.composition import new_contract, new_engine
from memoryd_server.ops.config.option import read_settings
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.wiring.stores import store_of
from memoryd_server.ops.wiring.transports import server_of
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.testing.channel import InProcessChannel
from memoryd_server.transport.exchange import Metadata
from memoryd_server.transport.in_process import InProcessTransport

_HOST = "127.0.0.1"


def settings_of(*flags: str) -> Settings:
    """Return the settings of ``memoryd serve`` with these flags. Raises click.ClickException, OperatorError."""
    return read_settings(flags)


@contextlib.asynccontextmanager
async def running(
    settings: Settings, on_address: Callable[[str], None] | None = None
) -> AsyncIterator[InProcessTransport]:
    """Serve in the running event loop for as long as the block lasts, then drain, take a snapshot and close.

    With ``on_address``, also serve on a free port of this machine, without TLS, and call it with the address.

    Another daemon may not use ``settings.storage.data_dir``. The settings of addresses and metrics are ignored; the
    token file is read once.
    Raises OperatorError, Refusal.
    """
    with DataDirectory(settings.storage.data_dir) as directory, store_of(settings, directory) as store:
        store.hasten()
        engine = new_engine(settings, directory, store, WorkingMemoryTelemetry())
        await engine.open()
        try:
            contract = new_contract(settings, engine)
            transport = InProcessTransport(contract.methods)
            server = None if on_address is None else server_of(settings, contract.methods, shares_ports=False)
            if server is not None and on_address is not None:
                on_address(f"{_HOST}:{server.listen(f'{_HOST}:0', None)}")
                await server.start()
            contract.serving.start()
            try:
                yield transport
            finally:
                await contract.serving.drain(settings.listening.drain_timeout)
                if server is not None:
                    await server.stop()
                await transport.stop()
                await contract.close()
        finally:
            await engine.close(take_snapshot=True)


class InProcessDaemon:
    """A daemon in a thread of this process, for programs that do not run in an event loop. A context manager.

    ``flags`` are those of ``memoryd serve``, with ``--data-dir`` among them. It can be started again after ``stop``.
    With ``listens``, it also serves on a free port of this machine, without TLS; ``address`` is that port's while it
    runs, and empty otherwise.
    """

    def __init__(self, *flags: str, listens: bool = False) -> None:
        self.settings = settings_of(*flags)
        self.address = ""
        self._listens = listens
        self._thread: threading.Thread | None = None
        self._stopping = threading.Lock()
        self._exits = contextlib.AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop
        self._transport: InProcessTransport

    def start(self) -> None:
        """Start, and wait until it serves. Raises OperatorError, Refusal."""
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memoryd", daemon=True)
        self._thread.start()
        try:
            serving = running(self.settings, self._note_address if self._listens else None)
            self._transport = self._run(self._exits.enter_async_context(serving))
        except BaseException:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Drain, and wait until everything is written and closed. Does nothing when it does not run."""
        # A second thread waits here until the first has stopped it.
        with self._stopping:
            if self._thread is None:
                return
            try:
                self._run(self._exits.aclose())
            finally:
                self._end_thread()

    def channel(self, metadata: Metadata = ()) -> InProcessChannel:
        """Return a channel for generated stubs, which sends ``metadata`` with every call."""
        return InProcessChannel(self._transport, self._loop, metadata)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _note_address(self, address: str) -> None:
        self.address = address

    def _end_thread(self) -> None:
        assert self._thread is not None
        self.address = ""
        self._run(self._loop.shutdown_asyncgens())
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._thread = None
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
