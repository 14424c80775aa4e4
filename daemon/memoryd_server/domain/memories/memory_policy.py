"""What an operator may choose of long-term memory."""

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.domain.memories.salience import SaliencePolicy


class MemoryPolicy(msgspec.Struct, frozen=True):
    """How long memories stay, how they fade, and when two tell the same. Lengths of time are in nanoseconds.

    A forgotten memory can be restored for ``forgotten_ns``. A memory of the type working ends after ``working_ns``
    unless its writer says when. What a memory was before a change is known for ``history_ns``, of the last
    ``versions_max`` changes at most.

    Two contents may be duplicates when this much of their words agree (``duplicate_words``, Jaccard), or the cosine is
    ``duplicate_cosine``; they may contradict each other, or be related, from ``related_words`` or ``related_cosine``
    on.
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
