"""Spans: times that a text names by their ends, and all other ones."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from memoryd_server.retrieval.time.grammar.amount import amount_at
from memoryd_server.retrieval.time.grammar.dated import SIGNS, Lead
from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.offset import offset_at
from memoryd_server.retrieval.time.grammar.point import point_at
from memoryd_server.retrieval.time.grammar.reader import Reader, Reference
from memoryd_server.retrieval.time.grammar.relative import RECENT_DAYS, since_amount, span_ago
from memoryd_server.retrieval.time.grammar.unit import DAY, Span, shifted

_RANGE_ITEMS_MAX = 8
"""Maximum number of items of the first end of a span without a preposition: "May 3, 2023 to May 9, 2023"."""

_CAN_BEGIN_RANGE = frozenset((Kind.MONTH, Kind.WEEKDAY, Kind.NUMERAL, Kind.ORDINAL, Kind.DATE, Kind.AT, Kind.THE))


_BEFORE_UP_TO = frozenset("i we you he she it they be been is are was were am s m re".split())  # noqa: SIM905
"""Words after which "up to" is no preposition: "what were we up to last week?"."""

_JOINTS = (Kind.TO, Kind.UNTIL)


_Ends = tuple[datetime | None, datetime | None]


class NamedSpan(NamedTuple):
    """A span that a text names until the item ``stop``, with the times at its ends; None for an open end.

    If ``is_beside`` is true, it does not contain the time that the text names: "before May".
    """

    start: datetime | None
    end: datetime | None
    stop: int
    is_vague: bool = False
    is_beside: bool = False


def span_at(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span that begins at an item; None if none does."""
    kind = reader.kind(index)
    if kind is None:
        return None
    if read := _PREPOSITIONS.get(kind):
        return read(reader, index)
    if kind is Kind.OF and reader.items[index].value == "from" and (found := _range(reader, index + 1, _JOINTS)):
        return found
    if reader.word(index) == "over" and (found := _bounded_amount(reader, index)):
        return found
    if found := _range_without_preposition(reader, index):
        return found
    if beside := offset_at(reader, index):
        return NamedSpan(*beside.span, beside.stop, is_beside=True)
    return _closed(point_at(reader, index))


def _closed(found: Reference | None) -> NamedSpan | None:
    return None if found is None else NamedSpan(*found.span, found.stop, found.is_vague)


def _edge(reader: Reader, index: int, opened: Callable[[Span], _Ends]) -> NamedSpan | None:
    """Return the span that a preposition at an item makes of the time behind it."""
    found = offset_at(reader, index + 1) or point_at(reader, index + 1, Lead.OPEN)
    if found is None or found.is_vague:
        return None
    start, end = opened(found.span)
    return NamedSpan(start, end, found.stop)


def _until(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "until May"."""
    if reader.word(index) == "up" and reader.word(index - 1) in _BEFORE_UP_TO:
        return None
    return _edge(reader, index, lambda span: (None, span[1]))


def _by(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "by Friday". "By May" may be by a woman of that name."""
    return None if reader.is_weak(index + 1) else _until(reader, index)


def _between(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "between May and July" or "between the 3rd and the 9th of May"."""
    if found := _range(reader, index + 1, (Kind.AND,)):
        return found
    days = point_at(reader, index + 1, Lead.OPEN)
    has_and = days is not None and any(reader.kind(place) is Kind.AND for place in range(index, days.stop))
    return _closed(days) if has_and else None


def _since(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "since May", "since two weeks ago" or "seit zwei Wochen"; with "until" it has an end."""
    if found := _range(reader, index + 1, _JOINTS):
        return found
    found = _edge(reader, index, lambda span: (span[0], None))
    if found is None and (amount := amount_at(reader, reader.skip(index + 1, Kind.THE, Kind.AGO_BEFORE))):
        return NamedSpan(since_amount(reader, amount)[0], None, amount.stop)
    return found


def _beside(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "before May" or "after last week", or of "vor zwei Wochen"."""
    if (
        reader.kind(index) is Kind.BEFORE
        and reader.items[index].value == "ago"
        and (amount := amount_at(reader, index + 1))
    ):
        return NamedSpan(*span_ago(reader, amount), amount.stop)
    if reader.kind(index - 1) is Kind.UNIT:
        return None  # "two weeks before …", which offset_at would have read
    is_near = reader.items[index].value == "near"
    if reader.kind(index) is Kind.BEFORE:
        found = _edge(reader, index, lambda span: (span[0] - RECENT_DAYS * DAY if is_near else None, span[0]))
    else:
        found = _edge(reader, index, lambda span: (span[1], span[1] + RECENT_DAYS * DAY if is_near else None))
    return None if found is None else found._replace(is_beside=True)


def _from(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "from May to July", "from May on", or "from last week"."""
    if span := _range(reader, index + 1, _JOINTS):
        return span
    if reader.kind(index - 1) is Kind.UNIT:
        return None  # "two weeks from …"
    found = point_at(reader, index + 1, Lead.OPEN)
    if found is None:
        return None
    if reader.kind(found.stop) is Kind.ONWARD or (reader.word(found.stop) == "on" and reader.ends_at(found.stop + 1)):
        return NamedSpan(found.span[0], None, found.stop + 1)
    is_name = found.in_year is not None and found.stop == index + 2 and reader.is_weak(index + 1)
    return None if is_name else _closed(found)


def _range(reader: Reader, index: int, joints: tuple[Kind, ...]) -> NamedSpan | None:
    """Return the span of two times with one of ``joints`` between them."""
    first = point_at(reader, index, Lead.OPEN)
    if first is None:
        return None
    joint = first.stop
    is_sign = Kind.AND not in joints and (reader.word(joint) in SIGNS or _means_to(reader, joint))
    if reader.kind(joint) not in joints and not is_sign:
        return None
    if reader.kind(joint + 1) is Kind.NOW:
        return NamedSpan(first.span[0], reader.today + DAY, joint + 2)
    last = point_at(reader, joint + 1, Lead.OPEN)
    if last is None:
        return None
    span = _joined(reader, first, last)
    return None if span is None else NamedSpan(*span, last.stop)


def _means_to(reader: Reader, index: int) -> bool:
    return index < len(reader.items) and reader.items[index].value == "to"


def _joined(reader: Reader, first: Reference, last: Reference) -> Span | None:
    """Return the span from the beginning of one time to the end of another.

    A time without its year, and a weekday, are the nearest to the other one that follow or precede it.
    """
    start, end = first.span, last.span
    if first.in_year is not None and last.in_year is None:
        start = reader.last_in_year(first.in_year, end[0]) or start
    elif last.in_year is not None:
        end = reader.next_in_year(last.in_year, start[0]) or end
    elif last.weekday is not None:
        end = _weekday_from(start[0], last.weekday)
    elif first.weekday is not None:
        start = _weekday_from(end[0] - 6 * DAY, first.weekday)
    return (start[0], end[1]) if start[0] < end[1] and start[0] <= end[0] else None


def _weekday_from(time: datetime, weekday: int) -> Span:
    start = time + (weekday - time.weekday()) % 7 * DAY
    return start, start + DAY


def _range_without_preposition(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "May to July", "Monday - Friday" or "2019-2021"."""
    if reader.kind(index) not in _CAN_BEGIN_RANGE:
        return None
    for place in range(index + 1, index + 1 + _RANGE_ITEMS_MAX):
        if reader.kind(place) in _JOINTS or reader.word(place) in SIGNS:
            found = _range(reader, index, _JOINTS)
            if found is None:
                return None
            is_dated = reader.kind(index) is Kind.DATE or (
                reader.kind(index) is Kind.MONTH and reader.kind(found.stop - 1) is Kind.NUMERAL
            )
            is_sure = is_dated or reader.word(place) in SIGNS or reader.ends_at(found.stop)
            return found if is_sure else None
    return None


def _bounded_amount(reader: Reader, index: int) -> NamedSpan | None:
    """Return the span of "more than two years ago" or "less than a week ago"."""
    amount = amount_at(reader, index + 1)
    if amount is None or reader.kind(amount.stop) is not Kind.AGO:
        return None
    if reader.kind(index) is Kind.LESS:
        return NamedSpan(*since_amount(reader, amount), amount.stop + 1)
    return NamedSpan(None, shifted(reader.now, amount.unit, -amount.least), amount.stop + 1)


_PREPOSITIONS: dict[Kind, Callable[[Reader, int], NamedSpan | None]] = {
    Kind.SINCE: _since,
    Kind.UNTIL: _until,
    Kind.BY: _by,
    Kind.BEFORE: _beside,
    Kind.AFTER: _beside,
    Kind.FROM: _from,
    Kind.BETWEEN: _between,
    Kind.MORE: _bounded_amount,
    Kind.LESS: _bounded_amount,
}
