"""An endpoint of a model on loopback for daemons."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.wait import WAIT_S_MAX


class ModelEndpoint:
    """Answers while ``is_up``, with status 503 else. Use as a context manager.

    While ``gate`` is closed, it waits before it answers; ``asked`` is set when it is asked.
    """

    def __init__(self) -> None:
        self.is_up = True
        self.asked = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, answer = endpoint.answer(body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(content)))
                with contextlib.suppress(ConnectionError):
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the body of an answer."""
        self.asked.set()
        self.gate.wait(WAIT_S_MAX)
        if not self.is_up:
            return 503, {"error": "down"}
        return 200, self.right(body)

    def right(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of an answer when all is well."""
        raise NotImplementedError
