"""Parts of times: "early May", "the end of last year", "the first week of June", "the second half of 2024"."""

from memoryd_server.retrieval.time.grammar.atom import atom_at
from memoryd_server.retrieval.time.grammar.dated import Lead
from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.reader import InYear, Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import DAY, Span, Unit, shifted, third_of, unit_at

_EARLIER, _LATER = 3, 4
"""Values of ``Kind.PART`` for "earlier this week" and "later this week"."""

_HALF_MONTH_DAYS = 15
_WEEK_DAYS = 7
_SATURDAY = 5


def part_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the time of "early May", "the end of last year" or "later this week" that begins at an item."""
    kind = reader.kind(index)
    if kind not in (Kind.PART, Kind.PART_OF):
        return None
    place = index + 1 + (reader.word(index + 1) == "-")
    has_of = reader.kind(place) is Kind.OF
    if kind is Kind.PART_OF and not has_of:
        return None
    place = reader.skip(place, Kind.OF, Kind.THE, Kind.AT, Kind.AHEAD)
    number = reader.value(index)
    found = atom_at(reader, place, Lead.OPEN)
    if found is None and reader.kind(place) is Kind.UNIT and (has_of or reader.kind(place - 1) is Kind.THE):
        unit = reader.items[place].value
        if not isinstance(unit, Unit) or unit in (Unit.MINUTE, Unit.HOUR, Unit.DAY):
            return None
        found = Reference(unit_at(reader.now, unit), place + 1)
    if found is None:
        return None
    return found._replace(span=_part(reader, found.span, number), in_year=_part_in_year(found, number))


def _part(reader: Reader, span: Span, number: int) -> Span:
    start, end = span
    if number in (_EARLIER, _LATER):
        is_current = start <= reader.now < end
        if not is_current:
            number = 0 if number == _EARLIER else 2
        elif number == _EARLIER:
            return start, max(min(end, reader.today + DAY), start + DAY)
        else:
            return max(start, reader.today), end
    return span if end - start <= 3 * DAY else third_of(span, number)


def _part_in_year(found: Reference, number: int) -> InYear | None:
    in_year = found.in_year
    return None if in_year is None or number >= _EARLIER else lambda year: third_of(in_year(year), number)


def ordered_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "the first week of May", "the last Friday in May" or "the third quarter of 2025"."""
    kind = reader.kind(index)
    is_last = kind is Kind.WHICH and reader.value(index) < 0
    is_ordinal = kind is Kind.ORDINAL or (kind is Kind.NUMERAL and reader.items[index].is_ordinal)
    if not is_ordinal and not is_last:
        return None
    number, place = -1 if is_last else reader.value(index), index + 1
    if reader.kind(place + 1) not in (Kind.OF, Kind.AT, Kind.AHEAD):
        return None
    behind = reader.skip(place + 1, Kind.OF, Kind.THE, Kind.AT, Kind.AHEAD)
    whole = atom_at(reader, behind, Lead.OPEN)
    if whole is None and reader.kind(behind) is Kind.UNIT and reader.items[behind].value is Unit.YEAR:
        whole = Reference(unit_at(reader.now, Unit.YEAR), behind + 1)
    if whole is None:
        return None
    if reader.kind(place) is Kind.HALF:
        span = half_of(whole.span, number)
    elif reader.kind(place) is Kind.WEEKDAY:
        span = _weekday_of(whole.span, reader.value(place), number)
    elif reader.kind(place) is Kind.UNIT:
        span = _unit_of(whole.span, reader.items[place].value, number)
    else:
        return None
    return None if span is None else Reference(span, whole.stop)


def half_of(span: Span, number: int) -> Span | None:
    """Return the first or second half of a span, in whole months or days. A month's second half begins on the 16th."""
    start, end = span
    months = (end.year - start.year) * 12 + end.month - start.month
    if months > 1:
        middle = shifted(start, Unit.MONTH, months // 2)
    elif months == 1 and start.day == end.day == 1:
        middle = start + _HALF_MONTH_DAYS * DAY
    else:
        middle = start + (end - start) // DAY // 2 * DAY
    return {1: (start, middle), 2: (middle, end), -1: (middle, end)}.get(number)


def _weekday_of(span: Span, weekday: int, number: int) -> Span | None:
    start, end = span
    day = start + (weekday - start.weekday()) % 7 * DAY + 7 * (number - 1) * DAY
    if number < 0:
        day = end - ((end.weekday() - weekday - 1) % 7 + 1) * DAY
    return (day, day + DAY) if start <= day < end else None


def _unit_of(span: Span, unit: Unit, number: int) -> Span | None:
    """Return the unit with a number of a span. Weeks are of seven days from the span's beginning, or to its end."""
    start, end = span
    if unit is Unit.WEEKEND:
        found = _weekday_of(span, _SATURDAY, number)
        return None if found is None else (found[0], found[1] + DAY)
    if unit not in (Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.QUARTER):
        return None
    first = shifted(end, unit, -1) if number < 0 else shifted(start, unit, number - 1)
    last = end if number < 0 else shifted(first, unit, 1)
    return (first, min(last, end)) if start <= first < end and last - end < _WEEK_DAYS * DAY else None
