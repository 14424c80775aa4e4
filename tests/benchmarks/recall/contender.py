"""What is compared: whatever stores the texts of conversations and finds them by a question."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
from tests.conversation import Conversation

LIMIT = 20
"""How many turns each contender is asked for."""


class Answer(msgspec.Struct, frozen=True):
    """The ids of the turns that were found, the best first, and how long the one who asked waited."""

    turn_ids: Sequence[str]
    seconds: float


class Contender(Protocol):
    """Keeps conversations apart, and knows no question before it is asked.

    ``name`` is unique; ``about`` says for people what it is, with its version.
    """

    name: str
    about: str

    def store(self, conversation: Conversation) -> None:
        """Take in all turns."""

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """The LIMIT turns of the conversation that match best; fewer when fewer match."""


def timed(find: Callable[[], Sequence[str]]) -> Answer:
    """What ``find`` answers, and how long it took."""
    began = time.perf_counter()
    turn_ids = find()
    return Answer(turn_ids, time.perf_counter() - began)
