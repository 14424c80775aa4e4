"""A channel for generated stubs whose calls are those of Connect over HTTP/1.1."""

import asyncio
import threading
from typing import Any

from tests.web.transport import HttpTransport

from memoryd_server.testing.channel import InProcessChannel


class HttpChannel(InProcessChannel):
    """Calls a daemon at ``http://HOST:PORT``, from an event loop in a thread of its own."""

    def __init__(self, address: str, **options: Any) -> None:
        self._own_loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._own_loop.run_forever, daemon=True)
        self._thread.start()
        self._http = HttpTransport(address, **options)
        super().__init__(self._http, self._own_loop)  # type: ignore[arg-type]

    def close(self) -> None:
        """Close all connections."""
        if self._own_loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._http.close(), self._own_loop).result()
        self._own_loop.call_soon_threadsafe(self._own_loop.stop)
        self._thread.join()
        self._own_loop.close()
