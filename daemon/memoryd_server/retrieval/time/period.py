"""Periods: the time that a query names, as the rows that are of it."""

import msgspec
import numpy as np

from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.time.mention_table import MentionTable
from memoryd_server.retrieval.time.phrase import TimePhrase

_MOMENT_MIN, _MOMENT_MAX = -(2**63), 2**63 - 1


class Period(msgspec.Struct, frozen=True):
    """A phrase of a query, and a mask of the passing rows that are of the time that it names."""

    phrase: TimePhrase
    rows: Mask


def period_of(phrase: TimePhrase, times: np.ndarray, mentions: MentionTable, passing: Mask) -> Period:
    """Return the rows that happened in a phrase's time, or whose content mentions it.

    ``times`` are those of the rows, in nanoseconds since the Unix epoch.
    """
    within: Mask = np.ones(len(passing), np.bool_)
    if phrase.start is not None:
        within &= times >= min(max(phrase.start, _MOMENT_MIN), _MOMENT_MAX)
    if phrase.end is not None:
        within &= times < min(max(phrase.end, _MOMENT_MIN), _MOMENT_MAX)
    within[mentions.rows_within(phrase.start, phrase.end)] = True
    within &= passing
    return Period(phrase, within)
