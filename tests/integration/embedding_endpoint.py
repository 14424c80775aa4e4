"""An embeddings endpoint on loopback for daemons: texts about the same have the same vector."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_CONCEPTS = (("dog", "puppy", "canine"), ("car", "automobile", "vehicle"), ("rain", "weather", "storm"))
DIMENSIONS = len(_CONCEPTS)


class EmbeddingEndpoint:
    """Answers while ``is_up``, with status 503 else. ``texts`` are those that it embedded. Use as a context manager.

    While ``gate`` is closed, it waits before it answers; ``asked`` is set when it is asked.
    """

    def __init__(self) -> None:
        self.is_up = True
        self.asked = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        self.texts: list[str] = []
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

    def __enter__(self) -> "EmbeddingEndpoint":
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
        self.gate.wait(30)
        if not self.is_up:
            return 503, {"error": "down"}
        self.texts += body["input"]
        data = [{"index": index, "embedding": _vector(text)} for index, text in enumerate(body["input"])]
        return 200, {"object": "list", "data": data}


def _vector(text: str) -> list[float]:
    words = text.lower().split()
    return [float(sum(word in words for word in concept)) for concept in _CONCEPTS]
