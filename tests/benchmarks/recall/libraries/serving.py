"""The loop that all programs share: it reads texts and questions, a line of JSON each, and writes a line for each."""

import json
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol


class Library(Protocol):
    """A library, called as its users call it."""

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        """Store the texts of a conversation."""

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        """Return the numbers of the texts that match best, counted from 0."""


def serve(library: Library) -> None:
    """Reply to each line until the input ends. Times are those of the library alone."""
    # A library may print. Its output goes to the log, so that it is not read as a reply.
    output, sys.stdout = sys.stdout, sys.stderr
    print("{}", file=output, flush=True)
    for line in sys.stdin:
        print(json.dumps(_reply(library, **json.loads(line))), file=output, flush=True)


def _reply(library: Library, do: str, conversation: str, **given: Any) -> dict[str, Any]:
    began = time.perf_counter()
    numbers = getattr(library, do)(conversation, **given)
    return {
        "numbers": None if numbers is None else [int(number) for number in numbers],
        "seconds": time.perf_counter() - began,
    }
