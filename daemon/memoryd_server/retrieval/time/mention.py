"""Mentions: the times that a memory's content names, relative to the memory's own time."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memoryd_server.ports.retrieval import MentionedTime
from memoryd_server.retrieval.time.moment import moment_of, time_of
from memoryd_server.retrieval.time.text import times_in

MENTIONS_MAX = 8
"""Maximum number of the times of a content."""

_MOMENTS = range(-(2**63), 2**63)


class Mention(NamedTuple):
    """A time that a content names by its characters from ``first`` to ``last``.

    ``start`` and the exclusive ``end`` are nanoseconds since the Unix epoch, in 64 bits.
    """

    start: int
    end: int
    first: int
    last: int


def mentions_in(content: str, occur_time: int) -> list[Mention]:
    """Return the times that a content names, at most MENTIONS_MAX. "Yesterday" is the day before ``occur_time``.

    A time that has no beginning or no end is left out, and so is one that ``occur_time`` is in: "today" and "this year"
    say nothing beyond the memory's own time.
    """
    now = time_of(occur_time)
    named = times_in(content, now, MENTIONS_MAX, is_content=True)
    found = [
        Mention(moment_of(each.start), moment_of(each.end), each.first, each.last)
        for each in named
        if each.start is not None and each.end is not None and not each.start <= now < each.end
    ]
    return [each for each in found if each.start in _MOMENTS and each.end in _MOMENTS]


def mentioned_times_of(content: str, occur_time: int) -> Sequence[MentionedTime]:
    """Return the times that a content names, with their words. A ``MentionedTimes``."""
    return [
        MentionedTime(content[each.first : each.last], each.start, each.end)
        for each in mentions_in(content, occur_time)
    ]


def days_of(mention: Mention) -> tuple[datetime, datetime]:
    """Return the first and the last day of a mention."""
    return time_of(mention.start), time_of(mention.end - 1)
