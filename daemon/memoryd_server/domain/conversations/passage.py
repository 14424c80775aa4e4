"""Messages of a conversation as text, in passages of a size that notes and models take."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from memoryd_server.domain.conversations.conversation import ConversationMessage
from memoryd_server.domain.validation import size_bytes

_BREAK = "\n"


class Passage(msgspec.Struct, frozen=True):
    """What the messages from one number to another say. ``importance`` is that of the most important of them."""

    first_number: int
    last_number: int
    text: str
    importance: float


def passages_of(messages: Iterable[ConversationMessage], bytes_max: int) -> Iterator[Passage]:
    """The messages, a line "role (name): content" for each, in passages of at most so many bytes, but a character.

    A message that is too large alone goes through many passages. One that says nothing is left out.
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
    """What a message says, and who says it."""
    speaker = message.role.name.lower()
    return f"{speaker} ({message.name}): {message.content}" if message.name else f"{speaker}: {message.content}"


def _joined(pieces: Sequence[Passage]) -> Passage:
    return Passage(
        pieces[0].first_number,
        pieces[-1].last_number,
        _BREAK.join(each.text for each in pieces),
        max(each.importance for each in pieces),
    )


def _pieces_of(messages: Iterable[ConversationMessage], bytes_max: int) -> Iterator[Passage]:
    for message in messages:
        if not message.content.strip():
            continue
        rest = line_of(message)
        while rest:
            piece = rest
            if size_bytes(rest) > bytes_max:
                piece = rest[:bytes_max].encode()[:bytes_max].decode(errors="ignore") or rest[0]
            yield Passage(message.number, message.number, piece, message.importance)
            rest = rest[len(piece) :]
