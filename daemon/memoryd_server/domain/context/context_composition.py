"""Composition of a context from many sources within a token budget.

Sections appear in the given order, but are filled in the order of their priority, the highest first. A section can use
its own budget and what the sections filled before it left of theirs; all together never exceed the total. Pieces that
do not fit are left out as a whole, the lowest-ranking first.
"""

import enum
from collections.abc import Callable, Iterable, Sequence

import msgspec

from memoryd_server.domain.context.context_section import (
    MessageSection,
    Piece,
    Section,
    SpokenPiece,
    TextSection,
    text_of,
)
from memoryd_server.domain.values.message import MessagePart, MessageRole

MESSAGE_TOKENS = 4
"""Tokens that a message takes besides its content: the marks of its beginning, its role and its end."""

CountTokens = Callable[[str], int]


class Outcome(enum.IntEnum):
    """The outcome of the composition for a piece. The numbers are those of the contract."""

    INCLUDED = 1
    OVER_SECTION_BUDGET = 2
    OVER_TOTAL_BUDGET = 3


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


class ComposedContext(msgspec.Struct, frozen=True):
    """The messages for the model, and the reasons for their choice. ``tokens`` never exceeds the requested maximum."""

    messages: tuple[ComposedMessage, ...]
    tokens: int
    usages: tuple[SectionUsage, ...]
    manifest: tuple[ManifestItem, ...]


class _Filled(msgspec.Struct, frozen=True):
    """A filled section."""

    messages: tuple[ComposedMessage, ...]
    tokens: int
    usage: SectionUsage
    manifest: tuple[ManifestItem, ...]


def compose(sections: Sequence[Section], tokens_max: int, count: CountTokens) -> ComposedContext:
    """Fill the sections within ``tokens_max``. ``count`` returns the number of tokens of a text."""
    filled: dict[int, _Filled] = {}
    left, carried = tokens_max, 0
    for place in sorted(range(len(sections)), key=lambda each: -sections[each].priority):
        own = sections[place].tokens_max + carried
        filled[place] = _fill(sections[place], own, left, count)
        left -= filled[place].tokens
        carried = own - filled[place].tokens
    in_order = [filled[place] for place in range(len(sections))]
    return ComposedContext(
        tuple(message for each in in_order for message in each.messages),
        tokens_max - left,
        tuple(each.usage for each in in_order),
        tuple(item for each in in_order for item in each.manifest),
    )


def message_tokens(message: ComposedMessage, count: CountTokens) -> int:
    """Return the tokens that a message takes of a budget."""
    return _tokens(count, message.content, message.parts, message.name, message.metadata_json)


def _fill(section: Section, own: int, left: int, count: CountTokens) -> _Filled:
    if isinstance(section, MessageSection):
        return _fill_messages(section, own, left, count)
    return _fill_text(section, own, left, count)


def _fill_text(section: TextSection, own: int, left: int, count: CountTokens) -> _Filled:
    room = min(own, left)
    sizes = [count(piece.text) for piece in section.pieces]
    taken = _taken(section, sizes, room, count)
    message, tokens = _rendered(section, taken, count)
    while tokens > room:
        # Joined texts may have more tokens than the sum of the single ones. Each round removes about half of the
        # excess, since every count of the joined text is expensive.
        excess = (tokens - room + 1) // 2
        while taken and excess > 0:
            excess -= max(sizes[taken.pop()], 1)
        message, tokens = _rendered(section, taken, count)
    included = set(taken)
    over = Outcome.OVER_SECTION_BUDGET if own <= left else Outcome.OVER_TOTAL_BUDGET
    manifest = [
        _item(section.name, piece, sizes[place], Outcome.INCLUDED if place in included else over)
        for place, piece in enumerate(section.pieces)
    ]
    return _filled(section.name, [] if message is None else [message], tokens, room, manifest, section.skipped_count)


def _taken(section: TextSection, sizes: Sequence[int], room: int, count: CountTokens) -> list[int]:
    """Return the indexes of the pieces that fit, in the order of their rank."""
    taken: list[int] = []
    headings = {""}
    used = MESSAGE_TOKENS + count(section.header) + count(section.footer)
    for place in sorted(range(len(section.pieces)), key=lambda each: section.pieces[each].rank):
        heading = section.pieces[place].heading
        size = sizes[place] + (0 if heading in headings else count(heading))
        if used + size <= room:
            taken.append(place)
            headings.add(heading)
            used += size
        elif not section.fills_gaps:
            break
    return taken


def _rendered(section: TextSection, taken: Iterable[int], count: CountTokens) -> tuple[ComposedMessage | None, int]:
    pieces = [section.pieces[place] for place in sorted(taken)]
    if not pieces:
        return None, 0
    message = ComposedMessage(section.name, section.role, section.header + text_of(pieces) + section.footer)
    return message, message_tokens(message, count)


def _fill_messages(section: MessageSection, own: int, left: int, count: CountTokens) -> _Filled:
    room = min(own, left)
    over = Outcome.OVER_SECTION_BUDGET if own <= left else Outcome.OVER_TOTAL_BUDGET
    spoken = section.messages if section.summary is None else (section.summary, *section.messages)
    sizes = [_spoken_tokens(each, count) for each in spoken]
    first = len(spoken) - len(section.messages)
    included = [0] if first and sizes[0] <= room // 2 else []
    start = _start(spoken, sizes, first, room - sum(sizes[place] for place in included))
    included.extend(range(start, len(spoken)))
    chosen = set(included)
    manifest = [
        _item(section.name, each.piece, sizes[place], Outcome.INCLUDED if place in chosen else over)
        for place, each in enumerate(spoken)
    ]
    used = sum(sizes[place] for place in included)
    messages = [_composed_message(section.name, spoken[place]) for place in included]
    return _filled(section.name, messages, used, room, manifest, section.skipped_count)


def _start(messages: Sequence[SpokenPiece], sizes: Sequence[int], first: int, room: int) -> int:
    """Return the index of the oldest message that fits; all after it are included."""
    start, used = len(messages), 0
    while start > first and used + sizes[start - 1] <= room:
        start -= 1
        used += sizes[start]
    # Models refuse a tool result whose tool call is missing.
    while start < len(messages) and messages[start].is_tool_result:
        start += 1
    return start


def _spoken_tokens(spoken: SpokenPiece, count: CountTokens) -> int:
    """Return the tokens of a message without building it, since most candidates may be left out."""
    return _tokens(count, spoken.piece.text, spoken.parts, spoken.name, spoken.metadata_json)


def _tokens(count: CountTokens, content: str, parts: Iterable[MessagePart], name: str, metadata_json: str) -> int:
    texts = [content, name, metadata_json, *(text for part in parts for text in part.texts)]
    return MESSAGE_TOKENS + sum(count(text) for text in texts if text)


def _composed_message(section: str, spoken: SpokenPiece) -> ComposedMessage:
    return ComposedMessage(section, spoken.role, spoken.piece.text, spoken.parts, spoken.name, spoken.metadata_json)


def _item(section: str, piece: Piece, tokens: int, outcome: Outcome) -> ManifestItem:
    return ManifestItem(section, piece.kind, piece.ids, tokens, outcome)


def _filled(
    name: str,
    messages: Sequence[ComposedMessage],
    tokens: int,
    room: int,
    manifest: Sequence[ManifestItem],
    skipped_count: int,
) -> _Filled:
    included = sum(item.outcome is Outcome.INCLUDED for item in manifest)
    usage = SectionUsage(name, tokens, room, included, len(manifest) - included + skipped_count)
    return _Filled(tuple(messages), tokens, usage, tuple(manifest))
