"""Choice of the messages that a compaction removes from a conversation."""

import enum
from collections.abc import Iterable, Sequence

from memoryd_server.domain.conversations.conversation import ConversationMessage, MessageRole


class CompactionStrategy(enum.IntEnum):
    """The rule by which messages are chosen and condensed. The numbers are those of the contract."""

    DROP_OLDEST = 1
    KEEP_IMPORTANT = 2
    EXTRACT_TO_NOTES = 3
    SUMMARIZE = 4


def surplus(
    messages: Sequence[ConversationMessage], tokens_max: int, keep_last: int, strategy: CompactionStrategy
) -> Sequence[ConversationMessage]:
    """Return the messages to remove, so that the remaining ones have at most ``tokens_max`` tokens, in their order.

    The last ``keep_last`` messages always stay, even if they exceed the maximum. A message and the tool results that
    follow it are removed together or not at all.
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
    """Return the turns of a conversation: each message with the tool results that follow it."""
    turns: list[list[ConversationMessage]] = []
    for message in messages:
        if message.role is MessageRole.TOOL and turns:
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns
