"""Filling of a section with the messages of a conversation."""

from collections.abc import Sequence

import msgspec

from memoryd_server.domain.context.context_section import Known, MessageSection, SpokenPiece
from memoryd_server.domain.context.cut_text import cut
from memoryd_server.domain.context.filled_section import (
    ComposedMessage,
    CountTokens,
    FilledSection,
    Outcome,
    Room,
    filled_section,
    item_of,
    tokens_of,
)


def fill_messages(section: MessageSection, room: Room, known: Known, count: CountTokens) -> FilledSection:
    """Fill the section, without the messages that are ``known`` to be in the context already."""
    spoken = section.messages if section.summary is None else (section.summary, *section.messages)
    outcomes = [Outcome.DUPLICATE if each.piece.is_known(section.owner, known) else room.over for each in spoken]
    sizes = [_spoken_tokens(each, count) for each in spoken]
    places = [place for place, outcome in enumerate(outcomes) if outcome is not Outcome.DUPLICATE]
    has_summary = section.summary is not None and places[:1] == [0]
    chosen = [0] if has_summary and sizes[0] <= room.tokens // 2 else []
    left = room.tokens - sum(sizes[place] for place in chosen)
    spoken_places = places[has_summary:]
    newest = _newest(spoken, sizes, spoken_places, left)
    shown = list(spoken)
    if spoken_places and not newest and (short := _shortened(spoken[spoken_places[-1]], left, count)):
        newest = spoken_places[-1:]
        shown[newest[0]] = short
        sizes[newest[0]] = _spoken_tokens(short, count)
        outcomes[newest[0]] = Outcome.TRUNCATED
    chosen += newest
    for place in chosen:
        outcomes[place] = Outcome.TRUNCATED if outcomes[place] is Outcome.TRUNCATED else Outcome.INCLUDED
    manifest = [
        item_of(section.name, each.piece, size, outcome)
        for each, size, outcome in zip(spoken, sizes, outcomes, strict=True)
    ]
    messages = [_composed_message(section.name, shown[place]) for place in chosen]
    used = sum(sizes[place] for place in chosen)
    return filled_section(section.name, messages, used, room, manifest, section.skipped_count)


def _newest(spoken: Sequence[SpokenPiece], sizes: Sequence[int], places: Sequence[int], room: int) -> list[int]:
    """Return the places of the newest messages that fit."""
    start, used = len(places), 0
    while start > 0 and used + sizes[places[start - 1]] <= room:
        start -= 1
        used += sizes[places[start]]
    # Models refuse a tool result whose tool call is missing.
    while start < len(places) and spoken[places[start]].is_tool_result:
        start += 1
    return list(places[start:])


def _shortened(spoken: SpokenPiece, room: int, count: CountTokens) -> SpokenPiece | None:
    """Return a message cut to the room; None if it is more than a text, or not even a word of it fits."""
    if spoken.parts or spoken.is_tool_result:
        return None
    besides = tokens_of(count, "", (), spoken.name, spoken.metadata_json)
    text = cut(spoken.piece.text, room - besides, count)
    return msgspec.structs.replace(spoken, piece=msgspec.structs.replace(spoken.piece, text=text)) if text else None


def _spoken_tokens(spoken: SpokenPiece, count: CountTokens) -> int:
    """Return the tokens of a message without building it, since most candidates may be left out."""
    return tokens_of(count, spoken.piece.text, spoken.parts, spoken.name, spoken.metadata_json)


def _composed_message(section: str, spoken: SpokenPiece) -> ComposedMessage:
    return ComposedMessage(section, spoken.role, spoken.piece.text, spoken.parts, spoken.name, spoken.metadata_json)
