"""Which messages of a conversation go, so that those that stay take less of a context."""

import enum
from collections.abc import Iterable, Sequence

from memoryd_server.domain.conversations.conversation import ConversationMessage, MessageRole


class CompactionStrategy(enum.IntEnum):
    """How it is chosen what goes, and what is kept of it. The numbers are those of the contract."""

    DROP_OLDEST = 1
    KEEP_IMPORTANT = 2
    EXTRACT_TO_NOTES = 3
    SUMMARIZE = 4


def surplus(
    messages: Sequence[ConversationMessage], tokens_max: int, keep_last: int, strategy: CompactionStrategy
) -> Sequence[ConversationMessage]:
    """The messages that go, so that the others have no more than ``tokens_max`` tokens; both are in their order.

    The last ``keep_last`` stay in any case. A message and the answers of tools that follow it go together, or stay.
    """
    excess = sum(message.token_count for message in messages) - tokens_max
    kept_from = len(messages) - keep_last
    turns, end = [], 0
    for turn in _turns_of(messages):
        end += len(turn)
        if end <= kept_from:
            turns.append(turn)
    if strategy is CompactionStrategy.KEEP_IMPORTANT:
        turns.sort(key=lambda turn: max(message.importance for message in turn))
    gone: list[ConversationMessage] = []
    for turn in turns:
        if excess <= 0:
            break
        gone += turn
        excess -= sum(message.token_count for message in turn)
    return sorted(gone, key=lambda message: message.number)


def _turns_of(messages: Iterable[ConversationMessage]) -> list[list[ConversationMessage]]:
    """Each message with the answers of tools that follow it."""
    turns: list[list[ConversationMessage]] = []
    for message in messages:
        if message.role is MessageRole.TOOL and turns:
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns
