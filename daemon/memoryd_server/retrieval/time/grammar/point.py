"""Points: times that a text names without "since", "until" and the like."""

from memoryd_server.retrieval.time.grammar.atom import atom_at
from memoryd_server.retrieval.time.grammar.dated import Lead, year_at
from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.part import ordered_at, part_at
from memoryd_server.retrieval.time.grammar.reader import Reader, Reference
from memoryd_server.retrieval.time.grammar.relative import ahead_at


def point_at(reader: Reader, index: int, lead: Lead = Lead.NONE) -> Reference | None:
    """Return the time that begins at an item, with the preposition and the article before it."""
    place = index
    while (kind := reader.kind(place)) in (Kind.AT, Kind.AHEAD, Kind.THE):
        if kind is Kind.AHEAD and place == index and (ahead := ahead_at(reader, place)):
            return ahead
        if kind is not Kind.THE and lead is not Lead.OPEN:
            lead = Lead.ON if reader.items[place].value == "on" else Lead.IN
        place += 1
    if reader.kind(place) is Kind.OF and lead is Lead.NONE:
        return year_at(reader, place + 1, Lead.IN) if reader.word(place - 1) != "class" else None
    return part_at(reader, place, lead) or ordered_at(reader, place) or atom_at(reader, place, lead)
