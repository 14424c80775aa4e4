"""Time phrases: the words of a query that name a time ("last week", "since May 2023"), and that time. Times are UTC."""

import msgspec

from memoryd_server.retrieval.time.moment import moment_of, time_of
from memoryd_server.retrieval.time.named import NamedTime
from memoryd_server.retrieval.time.text import times_in

PHRASES_MAX = 4
"""Maximum number of the phrases of a query."""


class TimePhrase(msgspec.Struct, frozen=True):
    """Words of a query, and the time that they name.

    ``start`` and the exclusive ``end`` are nanoseconds since the Unix epoch; None for an open end. ``names`` are those
    of the words that a text of that time may have, too, such as the name of a month.
    """

    text: str
    start: int | None
    end: int | None
    names: tuple[str, ...] = ()


def time_phrases_in(query: str, now: int) -> tuple[TimePhrase, ...]:
    """Return the phrases in a query that name a time, at most PHRASES_MAX. ``now`` is as in Query.

    Vague ones, such as "recently", are left out if there are others.
    """
    found = times_in(query, time_of(now), PHRASES_MAX, is_content=False)
    sure = [named for named in found if not named.is_vague]
    return tuple(_phrase(query, named) for named in sure or found)


def _phrase(query: str, named: NamedTime) -> TimePhrase:
    start, end = (None if time is None else moment_of(time) for time in (named.start, named.end))
    return TimePhrase(query[named.first : named.last], start, end, named.names)
