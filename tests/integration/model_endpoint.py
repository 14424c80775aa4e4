"""A fake endpoint of a model, on loopback."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback_server import LoopbackServer
from tests.wait import WAIT_S_MAX


class ModelEndpoint(LoopbackServer):
    """An HTTP endpoint that responds with 200 while ``is_up``, and with 503 otherwise. Use as a context manager.

    While ``gate`` is closed, responses wait. ``asked`` is set when a request arrives.
    """

    def __init__(self) -> None:
        self.is_up = True
        self.asked = threading.Event()
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
                """Log nothing."""

        super().__init__(Handler)

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of the response to a request."""
        self.asked.set()
        self.gate.wait(WAIT_S_MAX)
        if not self.is_up:
            return 503, {"error": "down"}
        return 200, self.right(body)

    def right(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the body of a successful response."""
        raise NotImplementedError
