"""Choice of the messages that a compaction removes from a conversation."""

from collections.abc import Iterable, Sequence

import msgspec

from memoryd_server.domain.conversations.conversation import ConversationMessage
from memoryd_server.domain.limit import IMPORTANCE_DEFAULT


class DropOldest(msgspec.Struct, frozen=True):
    """The oldest messages are removed."""


class KeepImportant(msgspec.Struct, frozen=True):
    """The least important messages are removed, none with at least ``min_importance``; None protects none."""

    min_importance: float | None = None


class ExtractToNotes(msgspec.Struct, frozen=True):
    """The oldest messages are removed; those with at least ``min_importance`` are written into notes of a notebook."""

    notebook: str = ""
    min_importance: float = IMPORTANCE_DEFAULT


class Summarize(msgspec.Struct, frozen=True):
    """The oldest messages are removed and summarized."""


CompactionStrategy = DropOldest | KeepImportant | ExtractToNotes | Summarize
"""The rule by which messages are chosen and condensed."""


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
    if isinstance(strategy, KeepImportant):
        turns = [
            turn for turn in turns if strategy.min_importance is None or _importance(turn) < strategy.min_importance
        ]
        turns.sort(key=_importance)
    gone: list[ConversationMessage] = []
    for turn in turns:
        if excess <= 0:
            break
        gone += turn
        excess -= sum(message.token_count for message in turn)
    return sorted(gone, key=lambda message: message.number)


def _importance(turn: Iterable[ConversationMessage]) -> float:
    return max(message.importance for message in turn)


def _turns_of(messages: Iterable[ConversationMessage]) -> list[list[ConversationMessage]]:
    """Return the turns of a conversation: each message with the tool results that follow it."""
    turns: list[list[ConversationMessage]] = []
    for message in messages:
        if message.is_tool_result and turns:
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns
