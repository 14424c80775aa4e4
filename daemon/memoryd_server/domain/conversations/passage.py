"""Passages: messages of a conversation as text, split to the size that a note or a summarizer accepts."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from memoryd_server.domain.conversations.conversation import ConversationMessage
from memoryd_server.domain.validation import size_bytes

_BREAK = "\n"


class Passage(msgspec.Struct, frozen=True):
    """The text of consecutive messages. ``importance`` is the maximum of theirs."""

    first_number: int
    last_number: int
    text: str
    importance: float


def passages_of(messages: Iterable[ConversationMessage], bytes_max: int) -> Iterator[Passage]:
    """Yield the messages as passages of at most ``bytes_max`` bytes, with a line "role (name): content" for each.

    A message that is longer than ``bytes_max`` is split over several passages. A passage has at least one character,
    even if that exceeds the maximum. Messages with blank texts are left out.
    """
    together: list[Passage] = []
    together_bytes = 0
    for piece in _pieces_of(messages, bytes_max):
        piece_bytes = size_bytes(piece.text) + len(_BREAK)
        if together and together_bytes + piece_bytes > bytes_max + len(_BREAK):
            yield _joined(together)
            together, together_bytes = [], 0
        together.append(piece)
        together_bytes += piece_bytes
    if together:
        yield _joined(together)


def line_of(message: ConversationMessage) -> str:
    """Return a message as a line with its author and its text."""
    speaker = message.role.name.lower()
    return f"{speaker} ({message.name}): {message.text}" if message.name else f"{speaker}: {message.text}"


def _joined(pieces: Sequence[Passage]) -> Passage:
    return Passage(
        pieces[0].first_number,
        pieces[-1].last_number,
        _BREAK.join(each.text for each in pieces),
        max(each.importance for each in pieces),
    )


def _pieces_of(messages: Iterable[ConversationMessage], bytes_max: int) -> Iterator[Passage]:
    for message in messages:
        if not message.text.strip():
            continue
        rest = line_of(message)
        while rest:
            piece = rest
            if size_bytes(rest) > bytes_max:
                piece = rest[:bytes_max].encode()[:bytes_max].decode(errors="ignore") or rest[0]
            yield Passage(message.number, message.number, piece, message.importance)
            rest = rest[len(piece) :]
