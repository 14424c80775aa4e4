"""A client's conformance program, which executes commands: see conformance/README.md."""

import json
import queue
import subprocess
import threading
from typing import Any

from tests.clients.language import Language

ANSWER_S_MAX = 60.0


class ClientError(Exception):
    """The error of a command. ``type`` is its name, such as RevisionMismatch."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(f"{error['type']} ({error['code']} {error['reason']}): {error['message']}")
        self.type = error["type"]
        self.code = error["code"]
        self.reason = error["reason"]
        self.message = error["message"]


class Program:
    """A running program, connected to a target. Use it as a context manager, which kills it."""

    def __init__(self, language: Language, target: str, **connection: Any) -> None:
        self.language = language
        command = [*language.conformance, "drive"]
        self._process = subprocess.Popen(
            command, cwd=language.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._answers: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.ask("connect", target=target, **connection)
        except BaseException:
            self.kill()
            raise

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a command, and return its result. Raises ClientError."""
        self.begin(do, **fields)
        return self.end()

    def begin(self, do: str, **fields: Any) -> None:
        """Send a command without waiting for its response."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self._process.stdin.flush()

    def has_answered(self) -> bool:
        """Return True if there is a response that ``end`` has not returned yet, or the program has ended."""
        return not self._answers.empty()

    def end(self) -> dict[str, Any]:
        """Return the result of the oldest command without one. Raises ClientError."""
        try:
            line = self._answers.get(timeout=ANSWER_S_MAX)
        except queue.Empty:
            raise AssertionError(f"{self.language.title} sent no response within {ANSWER_S_MAX:.0f} s") from None
        assert line, f"{self.language.title} exited with status {self._process.wait()}"
        answer = json.loads(line)
        if "error" in answer:
            raise ClientError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def close(self) -> int:
        """Close the program's input, wait until it exits, and return its exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(ANSWER_S_MAX)

    def kill(self) -> None:
        """Kill the program with SIGKILL."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")
