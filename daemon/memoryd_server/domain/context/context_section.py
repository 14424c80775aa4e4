"""Sections of a context: their pieces are each included or left out as a whole."""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain.values.message import MessagePart, MessageRole, is_tool_result


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A text that is included or left out as a whole, for example a note. A lower ``rank`` is included first.

    ``kind`` and ``ids`` name the record that it renders, such as "document_chunk" with the document's id and the
    chunk's number. ``heading`` is rendered once before consecutive pieces that share it.
    """

    kind: str
    ids: tuple[str, ...]
    text: str
    rank: int = 0
    heading: str = ""


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the texts of consecutive pieces, with their headings."""
    texts, heading = [], ""
    for piece in pieces:
        texts.append(piece.text if piece.heading == heading else piece.heading + piece.text)
        heading = piece.heading
    return "".join(texts)


class SpokenPiece(msgspec.Struct, frozen=True, gc=False):
    """A piece that becomes a message of its own. If it has parts, its text is empty."""

    piece: Piece
    role: MessageRole
    parts: tuple[MessagePart, ...] = ()
    name: str = ""
    metadata_json: str = ""

    @property
    def is_tool_result(self) -> bool:
        """True if the message must not be without the one before it."""
        return is_tool_result(self.role, self.parts)


class TextSection(msgspec.Struct, frozen=True):
    """Pieces that become one message, rendered in the given order.

    If ``fills_gaps`` is true, smaller pieces may be included after one that does not fit. ``skipped_count`` is the
    number of pieces that were left out before composition.
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
    """Messages of a conversation, the oldest first. The newest that fit are included, without a gap between them.

    ``summary`` condenses earlier messages and is rendered first, unless it takes more than half of the section's
    budget. ``skipped_count`` is the number of earlier messages that were left out before composition.
    """

    name: str
    messages: tuple[SpokenPiece, ...]
    tokens_max: int
    priority: int = 0
    skipped_count: int = 0
    summary: SpokenPiece | None = None


Section = TextSection | MessageSection
