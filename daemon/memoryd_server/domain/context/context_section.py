"""What a context is composed of: sections, each of pieces that are told or left out as a whole."""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain.conversations.conversation import MessageRole


class Piece(msgspec.Struct, frozen=True, gc=False):
    """What is told or left out as a whole: a note, for example. Those of a smaller ``rank`` are taken first.

    ``kind`` and ``record_id`` name the record that it is of. ``heading`` is told once before those that are told one
    after the other under it.
    """

    kind: str
    record_id: str
    text: str
    rank: int = 0
    heading: str = ""


def text_of(pieces: Iterable[Piece]) -> str:
    """What pieces tell one after the other, with their headings."""
    told, heading = [], ""
    for piece in pieces:
        told.append(piece.text if piece.heading == heading else piece.heading + piece.text)
        heading = piece.heading
    return "".join(told)


class SpokenPiece(msgspec.Struct, frozen=True, gc=False):
    """A piece that is a message of its own."""

    piece: Piece
    role: MessageRole
    name: str = ""
    tool_call_id: str = ""
    metadata_json: str = ""


class TextSection(msgspec.Struct, frozen=True):
    """Pieces that become one message, told in the order in which they are here.

    ``fills_gaps`` is whether smaller pieces are taken after one that does not fit. ``skipped_count`` is the number of
    those that are left out in any case.
    """

    name: str
    pieces: tuple[Piece, ...]
    tokens_max: int
    priority: int = 0
    role: MessageRole = MessageRole.SYSTEM
    header: str = ""
    footer: str = ""
    fills_gaps: bool = True
    skipped_count: int = 0


class MessageSection(msgspec.Struct, frozen=True):
    """Messages of a conversation, the oldest first: as many of the newest as there is room for, without a gap.

    ``summary`` stands for what was said before and is told first, unless it takes more than half of the room.
    ``skipped_count`` is the number of messages before these, which are left out in any case.
    """

    name: str
    messages: tuple[SpokenPiece, ...]
    tokens_max: int
    priority: int = 0
    skipped_count: int = 0
    summary: SpokenPiece | None = None


Section = TextSection | MessageSection
