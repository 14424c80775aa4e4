"""Composition of a context from many sources within a token budget.

Sections appear in the given order, but are filled in the order of their priority, the highest first. A section can use
its own budget and, unless budgets are strict, what the sections filled before it left of theirs; all together never
exceed the total. What does not fit is left out, the lowest-ranking first, or cut where its section says so. A record
that two sections have is rendered by the one that is filled first.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from memoryd_server.domain.context.context_section import Key, MessageSection, Section
from memoryd_server.domain.context.filled_messages import fill_messages
from memoryd_server.domain.context.filled_section import (
    ComposedMessage,
    CountTokens,
    FilledSection,
    ManifestItem,
    Outcome,
    Room,
    SectionUsage,
)
from memoryd_server.domain.context.filled_text import fill_text


class ComposedContext(msgspec.Struct, frozen=True):
    """The messages for the model, and the reasons for their choice. ``tokens`` never exceeds the requested maximum."""

    messages: tuple[ComposedMessage, ...]
    tokens: int
    usages: tuple[SectionUsage, ...]
    manifest: tuple[ManifestItem, ...]


def compose(
    sections: Sequence[Section], tokens_max: int, count: CountTokens, *, is_strict: bool = False
) -> ComposedContext:
    """Fill the sections within ``tokens_max``. ``count`` returns the number of tokens of a text.

    If ``is_strict`` is true, a section leaves its unused budget to no other.
    """
    filled = _filled(sections, tokens_max, count, {}, is_strict=is_strict)
    origins = _origins_rendered(sections, filled)
    if origins:
        # Some records are rendered beside a message that says the same, which was included only after them.
        again = _filled(sections, tokens_max, count, origins, is_strict=is_strict)
        if origins.keys() <= _whole_records(sections, again):
            filled = again
    return ComposedContext(
        tuple(message for each in filled for message in each.messages),
        sum(each.tokens for each in filled),
        tuple(each.usage for each in filled),
        tuple(item for each in filled for item in each.manifest),
    )


def _filled(
    sections: Sequence[Section],
    tokens_max: int,
    count: CountTokens,
    origins: Mapping[Key, bool],
    *,
    is_strict: bool,
) -> Sequence[FilledSection]:
    """Return the filled sections in their order. What has one of these origins is left out."""
    filled: dict[int, FilledSection] = {}
    left, carried = tokens_max, 0
    known: dict[Key, bool] = {}
    for place in sorted(range(len(sections)), key=lambda each: -sections[each].priority):
        section = sections[place]
        room = Room(section.tokens_max + (0 if is_strict else carried), left)
        if isinstance(section, MessageSection):
            filled[place] = fill_messages(section, room, known, count)
        else:
            filled[place] = fill_text(section, room, {**known, **origins}, count)
        left -= filled[place].tokens
        carried = room.own - filled[place].tokens
        known.update(_keys(section, filled[place]))
    return [filled[place] for place in range(len(sections))]


def _keys(section: Section, filled: FilledSection) -> Iterator[tuple[Key, bool]]:
    for item in filled.manifest:
        if item.outcome.is_rendered and item.ids:
            yield (section.owner, item.kind, *item.ids), item.outcome is Outcome.INCLUDED


def _whole_records(sections: Sequence[Section], filled: Sequence[FilledSection]) -> set[Key]:
    return {
        key
        for section, each in zip(sections, filled, strict=True)
        for key, is_whole in _keys(section, each)
        if is_whole
    }


def _origins_rendered(sections: Sequence[Section], filled: Sequence[FilledSection]) -> Mapping[Key, bool]:
    """Return the origins of rendered pieces that are rendered themselves, in full."""
    wanted = {
        (section.owner, *origin)
        for section, each in zip(sections, filled, strict=True)
        if not isinstance(section, MessageSection)
        for piece, item in zip(section.pieces, each.manifest, strict=True)
        if item.outcome.is_rendered
        for origin in piece.origins
    }
    return dict.fromkeys(wanted & _whole_records(sections, filled), True) if wanted else {}
