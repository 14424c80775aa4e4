"""Offsets: times at a distance from another one, such as "the day before May 5" or "two weeks after Christmas"."""

from memoryd_server.retrieval.time.grammar.amount import amount_at
from memoryd_server.retrieval.time.grammar.dated import Lead
from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.point import point_at
from memoryd_server.retrieval.time.grammar.reader import Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import DAY, Unit, shifted, unit_at

_ADJACENT = frozenset((Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.WEEKEND))


def offset_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "the day before May 5", "two weeks after Christmas" or "a week from Monday"."""
    place = reader.skip(index, Kind.AT, Kind.THE)
    if reader.kind(place) is Kind.WEEKDAY:
        return _weekday_beside(reader, place)
    amount = amount_at(reader, place)
    if amount is None:
        place += reader.kind(place) is Kind.WHICH
        unit = reader.items[place].value if reader.kind(place) is Kind.UNIT else None
        return _unit_beside(reader, place, unit) if isinstance(unit, Unit) and unit in _ADJACENT else None
    way = reader.way(amount.stop)
    base = _base(reader, amount.stop + 1) if way else None
    if base is None or amount.unit in (Unit.MINUTE, Unit.HOUR):
        return None
    edge = base.span[0] if way < 0 else base.span[1] - DAY
    spans = [
        unit_at(shifted(edge, amount.unit, way * number), amount.unit) for number in (amount.least, amount.greatest)
    ]
    return Reference((min(spans)[0], max(spans)[1]), base.stop)


def _base(reader: Reader, index: int) -> Reference | None:
    if reader.kind(index) is Kind.NOW:
        return Reference((reader.today, reader.today + DAY), index + 1)
    return point_at(reader, index, Lead.OPEN)


def _unit_beside(reader: Reader, index: int, unit: Unit) -> Reference | None:
    """Return the unit of time directly before or after another one: "the week before Christmas"."""
    way = reader.way(index + 1)
    base = _base(reader, index + 2) if way and reader.kind(index + 1) is not Kind.FROM else None
    if base is None:
        return None
    start, end = base.span
    if unit is Unit.WEEKEND:
        found = unit_at(start, unit) if way < 0 else unit_at(end - DAY, unit)
        if way < 0 and found[1] > start:
            found = found[0] - 7 * DAY, found[1] - 7 * DAY
        elif way > 0 and found[0] < end:
            found = found[0] + 7 * DAY, found[1] + 7 * DAY
        return Reference(found, base.stop)
    return Reference((shifted(start, unit, -1), start) if way < 0 else (end, shifted(end, unit, 1)), base.stop)


def _weekday_beside(reader: Reader, index: int) -> Reference | None:
    """Return the weekday before or after a time: "the Sunday before October 25"."""
    way = reader.way(index + 1)
    base = _base(reader, index + 2) if way and reader.kind(index + 1) is not Kind.FROM else None
    if base is None:
        return None
    weekday, (start, end) = reader.value(index), base.span
    day = start - ((start.weekday() - weekday - 1) % 7 + 1) * DAY
    if way > 0:
        day = end + (weekday - end.weekday()) % 7 * DAY
    return Reference((day, day + DAY), base.stop)
