"""The daemon's cost of recall: the time of the first recall after a start, and resident memory."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.daemon import Daemon
from tests.conversation import Conversation, Question, Turn

_WARM = Conversation(
    "warm",
    ("Ann", "Bob"),
    (Turn("1", 1, "9:00 am on 2 March, 2026", "Ann", "I moved to Oslo."),),
    (Question("Where did Ann move?", "warm", ("1",)),),
)
"""Makes the daemon load what storing and finding need, so that memories are not charged for it."""


class Cost(msgspec.Struct, frozen=True):
    """The cost of all ``memories`` together. Bytes are the growth of resident memory, divided by their number.

    ``first_recall_s`` has the first recall of each agent after the daemon was killed and started, which loads the agent
    and builds its index. That of the first agent also loads the embedder.
    """

    memories: int
    stored_bytes_each: float
    indexed_bytes_each: float
    first_recall_s: tuple[float, ...]


def cost_of(conversations: Sequence[Conversation], directory: Path) -> Cost:
    """Store the conversations in a fresh daemon, and ask one question about each, before and after a restart."""
    count = sum(len(conversation.turns) for conversation in conversations)
    with DaemonProcess(directory) as process:
        daemon = _daemon(process)
        daemon.store(_WARM)
        _first_recall_s(daemon, _WARM)
        empty = _settled_bytes(process)
        for conversation in conversations:
            daemon.store(conversation)
        stored = _settled_bytes(process)
        for conversation in conversations:
            _first_recall_s(daemon, conversation)
        indexed = _settled_bytes(process)
        process.kill()
        process.start()
        daemon = _daemon(process)
        first_recall_s = tuple(_first_recall_s(daemon, conversation) for conversation in conversations)
    return Cost(count, (stored - empty) / count, (indexed - stored) / count, first_recall_s)


def _daemon(process: DaemonProcess) -> Daemon:
    return Daemon("memoryd", "", process)


def _first_recall_s(daemon: Daemon, conversation: Conversation) -> float:
    return daemon.recall(conversation, conversation.questions[0].question).seconds


def _settled_bytes(process: DaemonProcess) -> int:
    process.settle()
    return process.rss_bytes()
