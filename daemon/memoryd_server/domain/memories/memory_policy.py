"""The settings of long-term memory that an operator may choose."""

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.domain.memories.salience import SaliencePolicy


class MemoryPolicy(msgspec.Struct, frozen=True):
    """Retention, decay and similarity of memories. Durations are in nanoseconds.

    A forgotten memory can be restored for ``forgotten_ns``. A memory of the type WORKING expires after ``working_ns``
    unless its writer gives another time. Earlier versions of a memory are kept for ``history_ns``, at most
    ``versions_max`` of each.

    Two contents with the same words are duplicates from a Jaccard similarity of their words of ``duplicate_words``, or
    a cosine of ``duplicate_cosine``. They are related from ``related_words`` or ``related_cosine``: then they are also
    duplicates if they say the same in other words, and contradict if one denies the other. Different values of an
    attribute contradict in any words.
    """

    salience: SaliencePolicy = SaliencePolicy()
    forgotten_ns: int = 30 * DAY_NS
    working_ns: int = DAY_NS
    history_ns: int = 30 * DAY_NS
    versions_max: int = 20
    duplicate_words: float = 0.85
    duplicate_cosine: float = 0.95
    related_words: float = 0.5
    related_cosine: float = 0.7
