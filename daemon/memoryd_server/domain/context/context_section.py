"""Sections of a context, and their pieces."""

import enum
from collections.abc import Iterable, Mapping

import msgspec

from memoryd_server.domain.values.message import MessagePart, MessageRole, is_tool_result
from memoryd_server.domain.values.prompt_text import defused

Key = tuple[str, ...]
"""A record in a context: its agent (empty for that of the context), its kind and its ids."""
Known = Mapping[Key, bool]
"""The records that a context has already; True for those that it has in full."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A text of a section, for example a note. A lower ``rank`` is included first.

    ``kind`` and ``ids`` name the record that it renders, such as "document_chunk" with the document's id and the
    chunk's number; without ids, it is of no record. ``heading`` is rendered once before consecutive pieces that share
    it. ``origins`` are the kinds and ids of other records that say the same, such as the message that a memory was made
    of.
    """

    kind: str
    ids: tuple[str, ...]
    text: str
    rank: int = 0
    heading: str = ""
    origins: tuple[tuple[str, ...], ...] = ()

    def key(self, owner: str) -> Key:
        """Return the key of the record among those of a context."""
        return (owner, self.kind, *self.ids)

    def is_known(self, owner: str, known: Known) -> bool:
        """Return True if the record is ``known``, or one of its origins is known in full."""
        return bool(self.ids) and (
            self.key(owner) in known or any(known.get((owner, *origin), False) for origin in self.origins)
        )


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the texts of consecutive pieces, with their headings."""
    texts, heading = [], ""
    for piece in pieces:
        texts.append(piece.text if piece.heading == heading else piece.heading + piece.text)
        heading = piece.heading
    return "".join(texts)


def framed(header: str, pieces: Iterable[Piece], footer: str) -> str:
    """Return the text of pieces between the lines that frame it, which no piece can close."""
    return header + defused(text_of(pieces)) + footer


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


class Cut(enum.Enum):
    """The piece of a section that is cut if it does not fit. Others are included or left out as a whole."""

    NEVER = enum.auto()
    ALONE = enum.auto()
    """The piece of the lowest rank, if no piece fits as a whole."""
    LAST = enum.auto()
    """The first piece that does not fit, after which nothing is included."""


class TextSection(msgspec.Struct, frozen=True):
    """Pieces that become one message, rendered in the given order.

    If ``fills_gaps`` is true, smaller pieces may be included after one that does not fit. ``skipped_count`` is the
    number of pieces that were left out before composition. ``owner`` is the agent of the records, empty for that of the
    context. If ``is_own`` is true, the text is the caller's own, and is rendered as it is.
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
    owner: str = ""
    cut: Cut = Cut.NEVER
    is_own: bool = False

    def rendered(self, pieces: Iterable[Piece]) -> str:
        """Return the text of some of the pieces."""
        return text_of(pieces) if self.is_own else framed(self.header, pieces, self.footer)


class MessageSection(msgspec.Struct, frozen=True):
    """Messages of a conversation, the oldest first. The newest that fit are included, without a gap between them.

    ``summary`` condenses earlier messages and is rendered first, unless it takes more than half of the section's
    budget. ``skipped_count`` is the number of earlier messages that were left out before composition. ``owner`` is the
    agent of the conversation, empty for that of the context.
    """

    name: str
    messages: tuple[SpokenPiece, ...]
    tokens_max: int
    priority: int = 0
    skipped_count: int = 0
    summary: SpokenPiece | None = None
    owner: str = ""


Section = TextSection | MessageSection
