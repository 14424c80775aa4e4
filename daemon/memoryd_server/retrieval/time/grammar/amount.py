"""Amounts of time: "two weeks", "half a year", "two or three days", "a year and a half"."""

from typing import NamedTuple

from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.reader import Reader
from memoryd_server.retrieval.time.grammar.unit import Unit

_HALVES = {
    Unit.HOUR: (30, Unit.MINUTE),
    Unit.DAY: (12, Unit.HOUR),
    Unit.MONTH: (15, Unit.DAY),
    Unit.YEAR: (6, Unit.MONTH),
    Unit.DECADE: (5, Unit.YEAR),
    Unit.CENTURY: (50, Unit.YEAR),
}
_PARTS = {
    Unit.HOUR: (60, Unit.MINUTE),
    Unit.DAY: (24, Unit.HOUR),
    Unit.WEEK: (7, Unit.DAY),
    Unit.MONTH: (30, Unit.DAY),
    Unit.YEAR: (12, Unit.MONTH),
}
_AMOUNT_MAX = 999
_RANGE_SIGNS = frozenset("-\u2013\u2014")


class Amount(NamedTuple):
    """The least and the greatest number of units, and the index of the item behind them."""

    least: int
    greatest: int
    unit: Unit
    stop: int


def amount_at(reader: Reader, index: int, *, may_be_sum: bool = True) -> Amount | None:
    """Return the amount of time that begins at an item; None if none does."""
    if reader.kind(index) is Kind.HALF:
        return _half(reader, index)
    least, greatest, place = number_at(reader, index)
    if not place:
        return None
    if least == greatest == 1 and reader.kind(place) is Kind.HALF:  # "einem halben Jahr"
        return _half(reader, place)
    if reader.kind(place) is Kind.OR or reader.kind(place) is Kind.TO or reader.word(place) in _RANGE_SIGNS:
        _, greatest, after = number_at(reader, place + 1)
        if not after or greatest < least:
            return None
        place = after
    if reader.kind(place) is Kind.AND and (behind := _and_half(reader, place)):
        return _with_half(reader, least, behind) if least == greatest else None
    if reader.kind(place) is not Kind.UNIT:
        return None
    unit = reader.items[place].value
    assert isinstance(unit, Unit)
    place += 1
    if least == greatest == 1 and reader.kind(place) is Kind.OR:  # "a day or two"
        _, greatest, after = number_at(reader, place + 1)
        return Amount(least, greatest, unit, after) if after and greatest > least else None
    if may_be_sum and least == greatest and reader.kind(place) is Kind.AND:
        return _with_more(reader, Amount(least, greatest, unit, place))
    return Amount(least, greatest, unit, place)


def number_at(reader: Reader, index: int) -> tuple[int, int, int]:
    """Return the least and the greatest number at an item, and the index behind it: 0 if there is no number."""
    kind = reader.kind(index)
    if kind is Kind.NUMBER:
        least, greatest = reader.items[index].value
        return least, greatest, index + 1
    if kind is Kind.NUMERAL and not reader.items[index].is_ordinal and 0 < reader.value(index) <= _AMOUNT_MAX:
        return reader.value(index), reader.value(index), index + 1
    return 0, 0, 0


def _half(reader: Reader, index: int) -> Amount | None:
    """Return the amount of "half a year"."""
    place = reader.skip(index + 1, Kind.OF, Kind.THE)
    if reader.kind(place) is Kind.NUMBER and reader.items[place].value == (1, 1):
        place += 1
    unit = reader.items[place].value if reader.kind(place) is Kind.UNIT else None
    if not isinstance(unit, Unit) or unit not in _HALVES:
        return None
    number, smaller = _HALVES[unit]
    return Amount(number, number, smaller, place + 1)


def _and_half(reader: Reader, index: int) -> int:
    """Return the index behind "and a half"; 0 if that is not at an item."""
    place = index + 1
    if reader.kind(place) is Kind.NUMBER:
        place += 1
    return place + 1 if reader.kind(place) is Kind.HALF else 0


def _with_half(reader: Reader, number: int, index: int) -> Amount | None:
    """Return the amount of "two and a half years", whose unit is at an item."""
    unit = reader.items[index].value if reader.kind(index) is Kind.UNIT else None
    if not isinstance(unit, Unit) or unit not in _HALVES:
        return None
    half, smaller = _HALVES[unit]
    return Amount(2 * half * number + half, 2 * half * number + half, smaller, index + 1)


def _with_more(reader: Reader, amount: Amount) -> Amount | None:
    """Return an amount with what "and" adds to it: "a year and a half", "a year and two months"."""
    if (behind := _and_half(reader, amount.stop)) and amount.unit in _HALVES:
        half, smaller = _HALVES[amount.unit]
        number = 2 * half * amount.least + half
        return Amount(number, number, smaller, behind)
    more = amount_at(reader, amount.stop + 1, may_be_sum=False)
    if more is None or amount.unit not in _PARTS:
        return amount
    size, smaller = _PARTS[amount.unit]
    if more.unit is not smaller:
        return None
    return Amount(size * amount.least + more.least, size * amount.least + more.greatest, smaller, more.stop)
