"""Claude keeps what it learns in memory files, and reads them in its next conversation.

Run it twice while a daemon runs: ``python claude_memory.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600. It needs ``pip install 'memoryd[anthropic]'``. The model is a script behind a local endpoint; without
``base_url`` and ``api_key``, the same program calls Claude.
"""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

from anthropic import Anthropic

import memoryd
from memoryd.anthropic import MemorydMemoryTool

FILE = "/memories/ada.md"


def main() -> int:
    try:
        with scripted_model() as base_url, MemorydMemoryTool(agent_id="claude-sample", user_id="ada") as memory:
            claude = Anthropic(base_url=base_url, api_key="none")
            runner = claude.beta.messages.tool_runner(
                model="claude-sonnet-5-5",
                max_tokens=1024,
                tools=[memory],
                messages=[{"role": "user", "content": "I am Ada, and I can't eat nuts. What may I eat?"}],
            )
            for message in runner:
                for block in message.content:
                    print("assistant:", block.text if block.type == "text" else json.dumps(block.to_dict()["input"]))
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def respond(last: dict[str, Any]) -> dict[str, Any]:
    """Return what the script says: it looks into its memory, writes what is not there, and answers."""
    result = json.dumps(last["content"])
    if "tool_result" not in result:
        return call("view", path="/memories")
    if "can't eat nuts" in result:
        return {"type": "text", "text": "All but nuts, I remember."}
    if "created" in result:
        return {"type": "text", "text": "All but nuts. I will remember that."}
    if FILE in result:
        return call("view", path=FILE)
    return call("create", path=FILE, file_text="Ada can't eat nuts.\n")


def call(command: str, **arguments: str) -> dict[str, Any]:
    given = {"command": command, **arguments}
    return {"type": "tool_use", "id": f"call_{uuid4().hex}", "name": "memory", "input": given}


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        block = respond(request["messages"][-1])
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        body = json.dumps(message).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def scripted_model() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
