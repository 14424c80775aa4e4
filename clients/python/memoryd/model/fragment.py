"""What a fragment is, and what the calls about fragments did."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.moment import datetime_from
from memoryd.v1 import fragment_pb2
from memoryd.v1 import fragment_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class Fragment:
    """One incoming piece of memory, until it is consolidated or its time is over.

    ``confidence`` is from 0 to 1, None when the writer did not say. ``flushed`` means that it is ready for
    consolidation; ``delivery_count`` is how often it was handed out: more than 1 when an earlier consumer gave it back
    or died. ``content``, ``properties`` and ``sources`` are empty in the events of a watch without values.
    """

    fragment_id: str
    agent_id: str
    agent_fingerprint: str
    content: str
    type: str
    dynamic_type: str
    confidence: float | None
    properties: dict[str, Any]
    participants: tuple[str, ...]
    causal_chain: tuple[str, ...]
    sources: tuple[dict[str, Any], ...]
    create_time: datetime
    expire_time: datetime
    revision: int
    flushed: bool
    delivery_count: int


@dataclass(frozen=True, slots=True)
class StoredFragment:
    """What storing a fragment did: its id, when it ends, and the agent's new revision.

    ``fragments_evicted`` had to make room. ``fragments_flushed`` became ready for consolidation, this one included.
    """

    fragment_id: str
    expire_time: datetime
    fragments_evicted: int
    fragments_flushed: int
    revision: int


@dataclass(frozen=True, slots=True)
class FragmentCount:
    """How many fragments there are: all, those that are ready for consolidation, those that a consumer holds."""

    fragment_count: int
    flushed_count: int
    leased_count: int


@dataclass(frozen=True, slots=True)
class FragmentLease:
    """Fragments that a consumer holds, oldest first, and its proof; it ends by itself at ``expire_time``."""

    token: str
    fragments: list[Fragment]
    expire_time: datetime


def fragment_from(message: fragment_pb2.Fragment) -> Fragment:
    """Answer the fragment of a message."""
    return Fragment(
        fragment_id=message.fragment_id,
        agent_id=message.agent_id,
        agent_fingerprint=message.agent_fingerprint,
        content=message.content,
        type=message.type,
        dynamic_type=message.dynamic_type,
        confidence=message.confidence if message.HasField("confidence") else None,
        properties=metadata_from(message.properties),
        participants=tuple(message.participants),
        causal_chain=tuple(message.causal_chain),
        sources=tuple(metadata_from(source) for source in message.sources),
        create_time=datetime_from(message.create_time),
        expire_time=datetime_from(message.expire_time),
        revision=message.revision,
        flushed=message.flushed,
        delivery_count=message.delivery_count,
    )


def stored_fragment_from(message: pb.StoreFragmentResponse) -> StoredFragment:
    """Answer what storing a fragment did."""
    return StoredFragment(
        message.fragment_id,
        datetime_from(message.expire_time),
        message.fragments_evicted,
        message.fragments_flushed,
        message.revision,
    )


def fragment_count_from(message: pb.CountFragmentsResponse) -> FragmentCount:
    """Answer how many fragments there are."""
    return FragmentCount(message.fragment_count, message.flushed_count, message.leased_count)


def fragment_lease_from(message: pb.LeaseFragmentsResponse) -> FragmentLease | None:
    """Answer what was handed out, None when there was nothing."""
    if not message.lease_token:
        return None
    fragments = [fragment_from(each) for each in message.fragments]
    return FragmentLease(message.lease_token, fragments, datetime_from(message.lease_expire_time))
