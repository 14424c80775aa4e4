"""A section of a context that is filled: its messages, and the outcome for each of its pieces."""

import enum
from collections.abc import Callable, Iterable, Sequence

import msgspec

from memoryd_server.domain.context.context_section import Piece
from memoryd_server.domain.values.message import MessagePart, MessageRole

MESSAGE_TOKENS = 4
"""Tokens that a message takes besides its content: the marks of its beginning, its role and its end."""

CountTokens = Callable[[str], int]


class Outcome(enum.IntEnum):
    """The outcome of the composition for a piece. The numbers are those of the contract."""

    INCLUDED = 1
    OVER_SECTION_BUDGET = 2
    OVER_TOTAL_BUDGET = 3
    TRUNCATED = 4
    DUPLICATE = 5

    @property
    def is_rendered(self) -> bool:
        """True if the context has the piece or a part of it."""
        return self in (Outcome.INCLUDED, Outcome.TRUNCATED)


class ComposedMessage(msgspec.Struct, frozen=True, gc=False):
    """A message for the model."""

    section: str
    role: MessageRole
    content: str
    parts: tuple[MessagePart, ...] = ()
    name: str = ""
    metadata_json: str = ""


class ManifestItem(msgspec.Struct, frozen=True, gc=False):
    """The outcome and the token count of one piece."""

    section: str
    kind: str
    ids: tuple[str, ...]
    tokens: int
    outcome: Outcome


class SectionUsage(msgspec.Struct, frozen=True, gc=False):
    """The tokens that a section used of the budget. ``tokens_max`` is the maximum that it could have used."""

    name: str
    tokens: int
    tokens_max: int
    included: int
    left_out: int


class Room(msgspec.Struct, frozen=True):
    """The tokens for a section: ``own`` is its budget with what others left it, ``left`` what the whole has left."""

    own: int
    left: int

    @property
    def tokens(self) -> int:
        """The tokens that the section may take."""
        return min(self.own, self.left)

    @property
    def over(self) -> Outcome:
        """The outcome for what does not fit."""
        return Outcome.OVER_SECTION_BUDGET if self.own <= self.left else Outcome.OVER_TOTAL_BUDGET


class FilledSection(msgspec.Struct, frozen=True):
    """A filled section."""

    messages: tuple[ComposedMessage, ...]
    tokens: int
    usage: SectionUsage
    manifest: tuple[ManifestItem, ...]


def message_tokens(message: ComposedMessage, count: CountTokens) -> int:
    """Return the tokens that a message takes of a budget."""
    return tokens_of(count, message.content, message.parts, message.name, message.metadata_json)


def tokens_of(count: CountTokens, content: str, parts: Iterable[MessagePart], name: str, metadata_json: str) -> int:
    """Return the tokens of a message by its fields."""
    texts = [content, name, metadata_json, *(text for part in parts for text in part.texts)]
    return MESSAGE_TOKENS + sum(count(text) for text in texts if text)


def item_of(section: str, piece: Piece, tokens: int, outcome: Outcome) -> ManifestItem:
    """Return the outcome for a piece."""
    return ManifestItem(section, piece.kind, piece.ids, tokens, outcome)


def filled_section(
    name: str,
    messages: Sequence[ComposedMessage],
    tokens: int,
    room: Room,
    manifest: Sequence[ManifestItem],
    skipped_count: int,
) -> FilledSection:
    """Return a filled section with its usage."""
    included = sum(item.outcome.is_rendered for item in manifest)
    usage = SectionUsage(name, tokens, room.tokens, included, len(manifest) - included + skipped_count)
    return FilledSection(tuple(messages), tokens, usage, tuple(manifest))
