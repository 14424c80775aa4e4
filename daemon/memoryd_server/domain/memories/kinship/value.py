"""Comparison of the values of two claims."""

import enum
import re
from collections.abc import Sequence

from memoryd_server.domain.memories.kinship.claim import Claim
from memoryd_server.domain.memories.kinship.language import Exclusion
from memoryd_server.domain.memories.kinship.wording import may_be_same_date

_NUMBER = re.compile(r"\d+(?:\.\d+)?$")
_YEAR = re.compile(r"(?:19|20)\d\d$")

_PLACES = frozenset({"home", "place", "origin", "birthplace"})


class _Likeness(enum.Enum):
    """The relation of two values. COMPATIBLE values may both be right: one is more precise, or of another sort."""

    SAME = "same"
    COMPATIBLE = "compatible"
    DIFFERENT = "different"


def exclude_each_other(one: Claim, other: Claim) -> bool:
    """Return True if two claims cannot both be true now."""
    if one.subject != other.subject or one.attribute != other.attribute or not _may_be_of_one_time(one, other):
        return False
    if (one.has_contexts or other.has_contexts) and one.contexts != other.contexts:
        return False
    likeness = _likeness(one, other)
    if one.is_negative != other.is_negative:
        is_whole = one.exclusion is Exclusion.ANY or sorted(one.rest) == sorted(other.rest)
        return likeness is _Likeness.SAME and is_whole
    if one.is_negative or likeness is not _Likeness.DIFFERENT:
        return False
    if one.loser or other.loser:
        return one.value == other.loser or other.value == one.loser
    exclusion = one.exclusion if one.exclusion is not Exclusion.COMPARABLE else other.exclusion
    if exclusion is Exclusion.COMPARABLE:
        return _are_comparable(one, other)
    return exclusion is Exclusion.ANY


def claim_the_same(one: Claim, other: Claim) -> bool:
    """Return True if two claims say the same, of the same subject, under the same circumstances."""
    return (
        one.subject == other.subject
        and one.attribute == other.attribute
        and one.is_negative == other.is_negative
        and one.is_event == other.is_event
        and one.loser == other.loser
        and sorted(one.rest) == sorted(other.rest)
        and one.value == other.value
    )


def _may_be_of_one_time(one: Claim, other: Claim) -> bool:
    """Return True if both claims may be meant to hold at one time.

    When something came about does not matter for how it is now. Of two such events at different times, both happened.
    """
    if one.is_event is not other.is_event:
        return not (other if one.is_event else one).moments
    if not one.is_event:
        return one.moments == other.moments
    years, other_years = ({word for word in each.rest if _YEAR.match(word)} for each in (one, other))
    return one.moments == other.moments and years == other_years


def _likeness(one: Claim, other: Claim) -> _Likeness:
    if one.value == other.value:
        return _Likeness.SAME
    moments = _likeness_of_moments(one, other)
    if moments is not None:
        return moments
    values, other_values = set(one.value), set(other.value)
    if one.attribute in _PLACES and bool(values & one.language.countries) != bool(
        other_values & other.language.countries
    ):
        return _Likeness.COMPATIBLE
    if values <= other_values or other_values <= values or _is_broader(one, other) or _is_broader(other, one):
        return _Likeness.COMPATIBLE
    if _are_of_one_class(one, other):
        return _Likeness.DIFFERENT
    amount, other_amount = (_NUMBER.match(each.value[0]) for each in (one, other))
    if bool(amount) != bool(other_amount) or (amount and one.value[1:] != other.value[1:]):
        # Of another sort or unit: they may be equal.
        return _Likeness.COMPATIBLE
    return _Likeness.DIFFERENT


def _likeness_of_moments(one: Claim, other: Claim) -> _Likeness | None:
    """Return the likeness of two values that have dates, days or times; None if neither has."""
    parts = [_moments_of(each) for each in (one, other)]
    if not any(map(any, parts)):
        return None
    (dates, times, days), (other_dates, other_times, other_days) = parts
    if dates and other_dates and not may_be_same_date(dates[0], other_dates[0]):
        return _Likeness.DIFFERENT
    if times and other_times and times != other_times:
        return _Likeness.DIFFERENT
    if days and other_days and days != other_days and not (dates and other_dates):
        return _Likeness.DIFFERENT
    return _Likeness.COMPATIBLE


def _moments_of(claim: Claim) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    dates = [word for word in claim.value if word.startswith("d:")]
    times = [word for word in claim.value if word.startswith("t:")]
    return dates, times, [word.removesuffix("s") for word in claim.value if word in claim.language.moment_words]


def _is_broader(one: Claim, other: Claim) -> bool:
    return other.language.broader.get(" ".join(other.value)) == " ".join(one.value)


def _are_comparable(one: Claim, other: Claim) -> bool:
    """Return True if two values are of one class, or have the same last word: of such, a thing has one."""
    if _are_of_one_class(one, other):
        return True
    return len(one.value) > 1 and len(other.value) > 1 and one.value[-1] == other.value[-1]


def _are_of_one_class(one: Claim, other: Claim) -> bool:
    name = one.language.class_of(one.value)
    return name is not None and name == other.language.class_of(other.value)
