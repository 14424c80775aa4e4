"""Times relative to today: "yesterday", "last week", "two weeks ago", "in the past three months"."""

from datetime import timedelta

from memoryd_server.retrieval.time.grammar.amount import Amount, amount_at, number_at
from memoryd_server.retrieval.time.grammar.dated import which_unit
from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, Tense
from memoryd_server.retrieval.time.grammar.reader import Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import DAY, Span, Unit, shifted, unit_at, unit_from

RECENT_DAYS = 30
"""Number of days that "recently" goes back."""

_SHORT = frozenset((Unit.MINUTE, Unit.HOUR))
_ROLLING = frozenset((Unit.HOUR, Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.QUARTER, Unit.YEAR, Unit.DECADE, Unit.CENTURY))


def day_word_at(reader: Reader, index: int) -> Reference | None:
    """Return the day of a word such as "yesterday", with a part of the day behind it; it is read as the whole day."""
    if reader.kind(index) is not Kind.DAY:
        return None
    if reader.value(index) == 1 and reader.kind(index - 1) in (Kind.THE, Kind.AT, Kind.EACH, Kind.OF):
        return None  # "la mañana", "am Morgen", "guten Morgen"
    start = reader.today + reader.value(index) * DAY
    stop = index + 1
    if reader.kind(stop) in (Kind.PART_OF_DAY, Kind.DAY):
        stop += 1  # "yesterday morning", "heute Morgen"
    return Reference((start, start + DAY), stop)


def ago_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "two weeks ago" that begins at an item."""
    has_word_before = reader.kind(index) is Kind.AGO_BEFORE
    amount = amount_at(reader, index + 1 if has_word_before else index)
    if amount is None or not _is_whole(reader, index):
        return None
    stop = amount.stop
    if reader.kind(stop) is Kind.AGO:
        stop += 1
    elif not has_word_before:
        return None
    return Reference(span_ago(reader, amount), stop)


def _is_whole(reader: Reader, index: int) -> bool:
    """Return True if an amount begins at an item, and is not the rest of a greater one."""
    before = reader.word(index - 1)
    return not before[:1].isdigit() and reader.kind(index - 1) not in (Kind.EACH, Kind.HALF, Kind.NUMBER)


def span_ago(reader: Reader, amount: Amount) -> Span:
    """Return the unit of the calendar that is an amount of time before now.

    Minutes and hours are the moment, with half of the amount on either side, at most half an hour.
    """
    least, greatest, unit = amount.least, amount.greatest, amount.unit
    if unit in _SHORT:
        first, last = shifted(reader.now, unit, -greatest), shifted(reader.now, unit, -least)
        around = min((reader.now - last) / 2, timedelta(minutes=30))
        return first - around, last + around
    return unit_from(reader.now, unit, -greatest)[0], unit_from(reader.now, unit, -least)[1]


def few_days_ago_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "the other day"."""
    if reader.kind(index) is not Kind.FEW_DAYS_AGO:
        return None
    return Reference(span_ago(reader, Amount(*FEW, Unit.DAY, index)), index + 1)


def recent_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "recently"."""
    if reader.kind(index) is not Kind.RECENT or reader.kind(index - 1) in (Kind.EACH, Kind.MORE):
        return None
    return Reference((reader.today - RECENT_DAYS * DAY, reader.today + DAY), index + 1, is_vague=True)


def ahead_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "in two weeks" that begins at an item: not the duration of "he did it in two weeks"."""
    amount = amount_at(reader, index + 1) if reader.kind(index) is Kind.AHEAD else None
    if amount is None or amount.unit in _SHORT or not reader.ends_at(amount.stop):
        return None
    if reader.kind(amount.stop) in (Kind.OF, Kind.AT, Kind.AHEAD, Kind.AGO, Kind.WHICH, Kind.MONTH):
        return None
    if reader.tense_at(index) not in (Tense.FUTURE, Tense.PRESENT) and not reader.is_alone(index, amount.stop):
        return None
    start = unit_from(reader.now, amount.unit, amount.least)[0]
    return Reference((start, unit_from(reader.now, amount.unit, amount.greatest)[1]), amount.stop)


def rolling_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "the last two weeks", "the past year" or "les deux dernières semaines"."""
    which, first = index, index + 1
    if reader.lexicon.which_follows and reader.kind(index) in (Kind.NUMBER, Kind.NUMERAL):
        which, first = index + 1, index
    if reader.kind(which) is not Kind.WHICH or not reader.value(which):
        return None
    amount = _amount_beside(reader, which, first)
    if amount is None or reader.kind(index - 1) is Kind.OWN or _has_owner(reader, amount):
        return None
    if reader.value(which) < 0:
        return Reference(since_amount(reader, amount), amount.stop)
    end = shifted(reader.today if amount.unit not in _SHORT else reader.now, amount.unit, amount.greatest)
    return Reference((reader.today, end if amount.unit in _SHORT else end + DAY), amount.stop)


def _amount_beside(reader: Reader, which: int, first: int) -> Amount | None:
    """Return the amount that the word "last" at ``which`` is about. Its number is at ``first``."""
    if first < which:  # "deux dernières semaines"
        least, greatest, _ = number_at(reader, first)
        unit = reader.items[which + 1].value if reader.kind(which + 1) is Kind.UNIT else None
        return Amount(least, greatest, unit, which + 2) if greatest and isinstance(unit, Unit) else None
    amount = amount_at(reader, first)
    if amount is not None:
        return amount
    found = which_unit(reader, which)
    if found is None or found[0] not in _ROLLING:
        return None
    is_within = reader.kind(which - 2) in (Kind.AT, Kind.AHEAD) and reader.word(which - 2) != "on"
    if found[0] in (Unit.HOUR, Unit.DAY) and not is_within:
        return None  # "on the last day"
    is_past = found[1] < 0 and (reader.kind(which - 1) is Kind.THE or reader.word(which) == "past")
    is_next = found[1] > 0 and reader.kind(which - 1) is Kind.THE and reader.kind(which - 2) in (Kind.AT, Kind.AHEAD)
    is_rolling = reader.lexicon.article_rolls and (is_past or is_next)
    return Amount(1, 1, found[0], found[2]) if is_rolling else None


def _has_owner(reader: Reader, amount: Amount) -> bool:
    """Return True if an amount is a part of something else: "the last two weeks of May"."""
    return reader.kind(amount.stop) is Kind.OF


def since_amount(reader: Reader, amount: Amount) -> Span:
    """Return the span from an amount of time before now until now, in whole days or, if it is in hours, until now."""
    if amount.unit in _SHORT:
        return shifted(reader.now, amount.unit, -amount.greatest), reader.now + timedelta(minutes=1)
    return shifted(reader.today, amount.unit, -amount.greatest), reader.today + DAY


def near_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "last week", "this year" or "la semana pasada" that begins at an item."""
    found = which_unit(reader, index)
    if found is None or reader.kind(index - 1) is Kind.OWN or reader.kind(index - 1) is Kind.EACH:
        return None
    unit, by, stop = found
    if unit in _SHORT or unit in (Unit.DAY, Unit.FORTNIGHT) or _belongs(reader, unit, stop):
        return None
    if by > 0 and reader.lexicon.article_rolls and reader.kind(index - 1) is Kind.THE:
        return None  # "the next week" is mostly that of a story
    span = unit_from(reader.now, unit, by)
    if unit is Unit.WEEK:
        weekday = reader.skip(stop, Kind.AT)
        if reader.kind(weekday) is Kind.WEEKDAY and (not reader.is_weak(weekday) or reader.ends_at(weekday + 1)):
            start = span[0] + reader.value(weekday) * DAY
            return Reference((start, start + DAY), weekday + 1)
    return Reference(span, stop)


def _belongs(reader: Reader, unit: Unit, stop: int) -> bool:
    """Return True if a unit is one of something else: "last year of school", "last week of May"."""
    if reader.kind(stop) is Kind.OF:
        behind = reader.kind(reader.skip(stop, Kind.OF, Kind.THE))
        return reader.lexicon.article_rolls or behind in (
            Kind.MONTH,
            Kind.UNIT,
            Kind.NUMERAL,
            Kind.SEASON,
            Kind.HOLIDAY,
        )
    return unit is Unit.YEAR and reader.word(stop) == "at" and reader.kind(stop + 1) is not Kind.HOLIDAY


def part_of_today_at(reader: Reader, index: int) -> Reference | None:
    """Return today for "this morning", "this evening": read as the whole day, since a day ends later elsewhere."""
    if reader.kind(index) is not Kind.WHICH or reader.value(index) or reader.kind(index + 1) is not Kind.PART_OF_DAY:
        return None
    return Reference(unit_at(reader.now, Unit.DAY), index + 2)


def before_last_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "the week before last" or "the month after next" that begins at an item."""
    unit = reader.items[index].value if reader.kind(index) is Kind.UNIT else None
    by = reader.value(index + 2) if reader.kind(index + 2) is Kind.WHICH else 0
    if not isinstance(unit, Unit) or unit in _SHORT or not by or reader.way(index + 1) != by:
        return None
    if reader.kind(index + 3) is not None:
        return None  # "the week before last Christmas"
    return Reference(unit_from(reader.now, unit, 2 * by), index + 3)
