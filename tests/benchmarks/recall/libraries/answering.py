"""What the programs have in common: they are told texts and asked questions, a line of JSON each."""

import json
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol


class Library(Protocol):
    """A library as its users call it."""

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        """Take in the texts of a conversation."""

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        """The numbers of the texts that match best, counted from 0."""


def answer(library: Library) -> None:
    """Answer until the input ends. Times are of the library alone."""
    # What libraries print is not for the one who asks.
    output, sys.stdout = sys.stdout, sys.stderr
    print("{}", file=output, flush=True)
    for line in sys.stdin:
        print(json.dumps(_done(library, **json.loads(line))), file=output, flush=True)


def _done(library: Library, do: str, conversation: str, **given: Any) -> dict[str, Any]:
    began = time.perf_counter()
    numbers = getattr(library, do)(conversation, **given)
    return {
        "numbers": None if numbers is None else [int(number) for number in numbers],
        "seconds": time.perf_counter() - began,
    }
