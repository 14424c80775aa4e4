"""Filling of a section whose pieces become one message."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from memoryd_server.domain.context.context_section import Cut, Known, Piece, TextSection
from memoryd_server.domain.context.cut_text import cut
from memoryd_server.domain.context.filled_section import (
    MESSAGE_TOKENS,
    ComposedMessage,
    CountTokens,
    FilledSection,
    ManifestItem,
    Outcome,
    Room,
    filled_section,
    item_of,
    message_tokens,
)
from memoryd_server.domain.values.prompt_text import defused


class _Choice(msgspec.Struct):
    """The places of the pieces that are included, in the order of their rank, and by its place the one that is cut."""

    taken: list[int]
    cut: dict[int, Piece]


def fill_text(section: TextSection, room: Room, known: Known, count: CountTokens) -> FilledSection:
    """Fill the section, without the pieces of records that are ``known`` to be in the context already."""
    sizes = [count(piece.text) for piece in section.pieces]
    known_places = {place for place, piece in enumerate(section.pieces) if piece.is_known(section.owner, known)}
    choice = _chosen(section, [place for place in _by_rank(section) if place not in known_places], sizes, room, count)
    message, tokens = _rendered(section, choice, count)
    while tokens > room.tokens:
        # Joined texts may have more tokens than the sum of the single ones. Each round removes about half of the
        # excess, since every count of the joined text is expensive.
        excess = (tokens - room.tokens + 1) // 2
        while choice.taken and excess > 0:
            excess -= max(sizes[choice.taken.pop()], 1)
        message, tokens = _rendered(section, choice, count)
    manifest = _manifest(section, choice, known_places, sizes, room, count)
    messages = [] if message is None else [message]
    return filled_section(section.name, messages, tokens, room, manifest, section.skipped_count)


def _by_rank(section: TextSection) -> Iterable[int]:
    return sorted(range(len(section.pieces)), key=lambda each: section.pieces[each].rank)


def _chosen(
    section: TextSection, ranked: Sequence[int], sizes: Sequence[int], room: Room, count: CountTokens
) -> _Choice:
    choice = _Choice([], {})
    headings = {""}
    used = MESSAGE_TOKENS + count(section.header) + count(section.footer)
    for place in ranked:
        heading = section.pieces[place].heading
        heading_size = 0 if heading in headings else count(heading)
        if used + heading_size + sizes[place] <= room.tokens:
            choice.taken.append(place)
            headings.add(heading)
            used += heading_size + sizes[place]
        elif section.cut is Cut.LAST:
            _take_cut(choice, section, place, room.tokens - used - heading_size, count)
            break
        elif not section.fills_gaps:
            break
    if section.cut is Cut.ALONE and ranked and not choice.taken:
        best = ranked[0]
        _take_cut(choice, section, best, room.tokens - used - count(section.pieces[best].heading), count)
    return choice


def _take_cut(choice: _Choice, section: TextSection, place: int, tokens_max: int, count: CountTokens) -> None:
    piece = section.pieces[place]
    text = piece.text if section.is_own else defused(piece.text)
    end = "\n" if text.endswith("\n") else ""
    if short := cut(text, tokens_max - len(end), count):
        choice.taken.append(place)
        choice.cut[place] = msgspec.structs.replace(piece, text=short + end)


def _rendered(section: TextSection, choice: _Choice, count: CountTokens) -> tuple[ComposedMessage | None, int]:
    pieces = [choice.cut.get(place, section.pieces[place]) for place in sorted(choice.taken)]
    if not pieces:
        return None, 0
    message = ComposedMessage(section.name, section.role, section.rendered(pieces))
    return message, message_tokens(message, count)


def _manifest(
    section: TextSection,
    choice: _Choice,
    known: Collection[int],
    sizes: Sequence[int],
    room: Room,
    count: CountTokens,
) -> Sequence[ManifestItem]:
    outcomes: Mapping[int, Outcome] = {
        **dict.fromkeys(known, Outcome.DUPLICATE),
        **{place: Outcome.TRUNCATED if place in choice.cut else Outcome.INCLUDED for place in choice.taken},
    }
    cut_sizes = {place: count(piece.text) for place, piece in choice.cut.items() if place in outcomes}
    return [
        item_of(section.name, piece, cut_sizes.get(place, sizes[place]), outcomes.get(place, room.over))
        for place, piece in enumerate(section.pieces)
    ]
