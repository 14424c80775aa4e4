"""The contenders of a comparison: each stores the texts of conversations, and finds them by a question."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
from tests.conversation import Conversation

LIMIT = 20
"""The number of turns that each contender is asked for."""


class Answer(msgspec.Struct, frozen=True):
    """The ids of the turns that were found, the best first, and the seconds that the caller waited."""

    turn_ids: Sequence[str]
    seconds: float


class Contender(Protocol):
    """A way to find texts. It keeps conversations separate, and learns each question only when it is asked.

    ``name`` is unique; ``about`` describes the contender for readers of the report, with its version.
    """

    name: str
    about: str

    def store(self, conversation: Conversation) -> None:
        """Store all turns of a conversation."""

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the LIMIT turns of the conversation that match best, or fewer when fewer match."""


def timed(find: Callable[[], Sequence[str]]) -> Answer:
    """Call ``find``, and return its result with the seconds that it took."""
    began = time.perf_counter()
    turn_ids = find()
    return Answer(turn_ids, time.perf_counter() - began)
