"""Fragments: incoming texts with a time to live, which are buffered until they are consolidated."""

import functools
import hashlib
from collections.abc import Iterator
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, one_of

TYPE_DEFAULT = "Fact"

_ID_PREFIX = "mem_"
_ID_NUMBERS = 2**32


class FragmentCondition(KindCondition, frozen=True):
    """Conditions on fragments; see ``FragmentCondition`` of the contract."""

    types: frozenset[str] = frozenset()
    dynamic_types: frozenset[str] = frozenset()
    flushed: bool | None = None
    min_confidence: float | None = None
    any_participants: frozenset[str] = frozenset()

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("type", self.types)
        yield from one_of("dynamic_type", self.dynamic_types)
        flushed, minimum = self.flushed, self.min_confidence
        if flushed is not None:
            yield "flushed", lambda fragment: fragment.flushed is flushed
        if minimum is not None:
            yield (
                "confidence",
                lambda fragment: fragment.confidence is not None and fragment.confidence >= minimum,
            )
        if self.any_participants:
            yield "participants", lambda fragment: not self.any_participants.isdisjoint(fragment.participants)


FRAGMENT_SHAPE = RecordShape("fragment", attrgetter("fragment_id"), tags_of=None, condition=FragmentCondition)
"""The fields of fragments that a filter asks for."""


class FragmentDraft(msgspec.Struct, frozen=True, gc=False):
    """A fragment as its writer gives it.

    ``size_bytes`` is counted against the storage limit. ``expire_time`` is in nanoseconds since the Unix epoch; None
    for the default of the agent, or of the daemon.
    ``user_id`` is empty for none. ``confidence`` is from 0 to 1, None if unknown. ``metadata_json`` is a JSON object
    and ``sources_json`` a JSON array of objects; both are empty for none.
    """

    content: str
    expire_time: int | None
    size_bytes: int
    user_id: str = ""
    metadata_json: str = ""
    type: str = TYPE_DEFAULT
    dynamic_type: str = ""
    confidence: float | None = None
    participants: tuple[str, ...] = ()
    causal_chain: tuple[str, ...] = ()
    sources_json: str = ""


class Fragment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One fragment. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``sequence`` orders the agent's fragments: a newer fragment has a greater one. ``expire_time`` is that of a fragment
    that is not flushed.
    """

    kept_when_erased: ClassVar = ("fragment_id",)

    fragment_id: str
    sequence: int
    content: str
    user_id: str
    metadata_json: str
    type: str
    dynamic_type: str
    confidence: float | None
    participants: tuple[str, ...]
    causal_chain: tuple[str, ...]
    sources_json: str
    create_time: int
    expire_time: int
    revision: int
    size_bytes: int
    flushed: bool = False
    delivery_count: int = 0

    @property
    def update_time(self) -> int:
        """The time of creation, since a fragment does not change but to be flushed and leased."""
        return self.create_time

    def is_live(self, now: int) -> bool:
        """Return True if the fragment has not expired at ``now``. A flushed one never does."""
        return self.flushed or now < self.expire_time

    def is_stored_as(self, other: "Fragment") -> bool:
        """Return True if both are the same fragment, whatever their revisions and delivery counts."""
        alike = msgspec.structs.replace(other, revision=self.revision, delivery_count=self.delivery_count)
        return self == alike

    def may_become(self, other: "Fragment") -> bool:
        """Return True if flushing and leasing can turn this fragment into the other, which keeps its sequence."""
        handled = msgspec.structs.replace(self, flushed=other.flushed, delivery_count=other.delivery_count)
        return handled == other and (other.flushed or not self.flushed)


def fragment_of(
    draft: FragmentDraft, fragment_id: str, sequence: int, revision: int, now: int, expire_time: int
) -> Fragment:
    """Return the fragment that a draft becomes, with the time at which it expires."""
    return Fragment(
        fragment_id,
        sequence,
        draft.content,
        draft.user_id,
        draft.metadata_json,
        draft.type,
        draft.dynamic_type,
        draft.confidence,
        draft.participants,
        draft.causal_chain,
        draft.sources_json,
        now,
        expire_time,
        revision,
        draft.size_bytes,
    )


def fragment_id_of(number: int) -> str:
    """Return the fragment id with this number. Numbers wrap at 2**32."""
    return f"{_ID_PREFIX}{number % _ID_NUMBERS:08x}"


@functools.lru_cache(maxsize=1024)
def fingerprint_of(agent_id: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of an agent id, which identify it without revealing it."""
    return hashlib.sha256(agent_id.encode()).hexdigest()[:16]
