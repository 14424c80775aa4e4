"""Fragments, and the results of calls about them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.moment import datetime_from
from memoryd.v1 import fragment_pb2
from memoryd.v1 import fragment_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text in the buffer, until it is consolidated or expires.

    ``confidence`` is from 0 to 1, None when the writer gave none. ``flushed`` is true if it is ready for consolidation.
    ``delivery_count`` is how often it was leased: more than 1 if an earlier consumer gave it back or let its lease
    expire. ``user_id`` is empty for none. ``content``, ``metadata`` and ``sources`` are empty in the events of a watch
    without values.
    """

    fragment_id: str
    agent_id: str
    agent_fingerprint: str
    user_id: str
    content: str
    type: str
    dynamic_type: str
    confidence: float | None
    metadata: dict[str, Any]
    participants: tuple[str, ...]
    causal_chain: tuple[str, ...]
    sources: tuple[dict[str, Any], ...]
    create_time: datetime
    expire_time: datetime
    revision: int
    flushed: bool
    delivery_count: int


@dataclass(frozen=True, slots=True)
class CreatedFragment:
    """The result of creating a fragment.

    ``evicted_fragment_count`` is the number of fragments that were removed to make room, ``flushed_fragment_count`` the
    number of those that became ready for consolidation, this one included.
    """

    fragment: Fragment
    evicted_fragment_count: int
    flushed_fragment_count: int


@dataclass(frozen=True, slots=True)
class FragmentCount:
    """The numbers of all fragments, of those that are ready for consolidation, and of those that are leased."""

    fragment_count: int
    flushed_fragment_count: int
    leased_fragment_count: int


@dataclass(frozen=True, slots=True)
class FragmentLease:
    """The exclusive right to consume fragments, oldest first, until ``expire_time``. ``token`` proves it."""

    token: str
    fragments: list[Fragment]
    expire_time: datetime


def fragment_from(message: fragment_pb2.Fragment) -> Fragment:
    """Return the fragment of a message."""
    return Fragment(
        fragment_id=message.fragment_id,
        agent_id=message.agent_id,
        agent_fingerprint=message.agent_fingerprint,
        user_id=message.user_id,
        content=message.content,
        type=message.type,
        dynamic_type=message.dynamic_type,
        confidence=message.confidence if message.HasField("confidence") else None,
        metadata=metadata_from(message.metadata),
        participants=tuple(message.participants),
        causal_chain=tuple(message.causal_chain),
        sources=tuple(metadata_from(source) for source in message.sources),
        create_time=datetime_from(message.create_time),
        expire_time=datetime_from(message.expire_time),
        revision=message.revision,
        flushed=message.flushed,
        delivery_count=message.delivery_count,
    )


def created_fragment_from(message: pb.CreateFragmentResponse) -> CreatedFragment:
    """Return the result of creating a fragment."""
    return CreatedFragment(
        fragment_from(message.fragment), message.evicted_fragment_count, message.flushed_fragment_count
    )


def fragment_count_from(message: pb.CountFragmentsResponse) -> FragmentCount:
    """Return the numbers of fragments."""
    return FragmentCount(message.fragment_count, message.flushed_fragment_count, message.leased_fragment_count)


def fragment_lease_from(message: pb.LeaseFragmentsResponse | pb.RenewFragmentLeaseResponse) -> FragmentLease | None:
    """Return the lease of a message; None if it has no fragment."""
    if not message.lease_token:
        return None
    fragments = [fragment_from(each) for each in message.fragments]
    return FragmentLease(message.lease_token, fragments, datetime_from(message.lease_expire_time))
