"""The calls about fragments."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from memoryd.model.fragment import (
    Fragment,
    FragmentCount,
    FragmentLease,
    StoredFragment,
    fragment_count_from,
    fragment_from,
    fragment_lease_from,
    stored_fragment_from,
)
from memoryd.model.moment import duration_of
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import ExpiryOptions, precondition_of, strings_of, write_expiry
from memoryd.protocol.reservation import RENEWALS_PER_LEASE
from memoryd.v1 import fragment_service_pb2 as pb

DEFAULT_LIMIT = 100


class FragmentOptions(ExpiryOptions, total=False):
    """The options of storing a fragment, with at most one expiry; by default the server's time to live.

    ``type``: the kind of the fragment; "Fact" by default. ``dynamic_type``: a finer kind, chosen by the writer.
    ``confidence``: how certain it is, from 0 to 1.
    ``properties``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``participants``: who took part, at most 64. ``causal_chain``: what led to it, at most 64.
    ``sources``: its origins as JSON objects, at most 64.
    ``ttl`` and ``expire_time``: as in ExpiryOptions.
    """

    type: str
    dynamic_type: str
    confidence: float | None
    properties: Mapping[str, Any] | None
    participants: Iterable[str]
    causal_chain: Iterable[str]
    sources: Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Handle:
    """The step of consolidating fragments: run the caller's code, and renew the lease every ``interval`` seconds."""

    fragments: list[Fragment]
    renew: Callable[[], Call[FragmentLease | None]]
    interval: float


def store_fragment(agent_id: str, content: str, options: FragmentOptions) -> Call[StoredFragment]:
    """Store a fragment. Raises ValueError if it has both a ttl and an expire_time."""
    request = pb.StoreFragmentRequest(
        agent_id=agent_id,
        content=content,
        type=options.get("type", ""),
        dynamic_type=options.get("dynamic_type", ""),
        confidence=options.get("confidence"),
        participants=strings_of("participants", options.get("participants", ())),
        causal_chain=strings_of("causal_chain", options.get("causal_chain", ())),
        request_id=new_request_id(),
    )
    if (properties := options.get("properties")) is not None:
        request.properties.update(properties)
    for source in options.get("sources", ()):
        request.sources.add().update(source)
    write_expiry(request, options)
    return call(method.STORE_FRAGMENT, request, stored_fragment_from)


def get_fragment(agent_id: str, fragment_id: str) -> Call[Fragment | None]:
    """Read a fragment."""
    request = pb.GetFragmentRequest(agent_id=agent_id, fragment_id=fragment_id)
    return call(method.GET_FRAGMENT, request, lambda answer: fragment_from(answer.fragment) if answer.found else None)


def delete_fragment(agent_id: str, fragment_id: str) -> Call[bool]:
    """Remove a fragment."""
    request = pb.DeleteFragmentRequest(agent_id=agent_id, fragment_id=fragment_id, request_id=new_request_id())
    return call(method.DELETE_FRAGMENT, request, lambda answer: answer.deleted)


def search_fragments(agent_id: str, query: str, min_confidence: float | None, limit: int) -> Call[list[Fragment]]:
    """Find fragments by their words."""
    request = pb.SearchFragmentsRequest(agent_id=agent_id, query=query, min_confidence=min_confidence, limit=limit)
    return call(method.SEARCH_FRAGMENTS, request, lambda answer: [fragment_from(each) for each in answer.fragments])


def list_recent_fragments(agent_id: str) -> Call[Page[Fragment]]:
    """List fragments, newest first, page by page."""
    request = pb.ListRecentFragmentsRequest(agent_id=agent_id, page_size=LIST_PAGE_SIZE)
    return page_call(
        method.LIST_RECENT_FRAGMENTS, request, lambda answer: [fragment_from(each) for each in answer.fragments]
    )


def count_fragments(agent_id: str) -> Call[FragmentCount]:
    """Count fragments."""
    return call(method.COUNT_FRAGMENTS, pb.CountFragmentsRequest(agent_id=agent_id), fragment_count_from)


def clear_fragments(agent_id: str, expected_revision: int | None) -> Call[int]:
    """Remove all fragments."""
    request = pb.ClearFragmentsRequest(
        agent_id=agent_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CLEAR_FRAGMENTS, request, lambda answer: answer.fragments_cleared)


def flush_fragments(agent_id: str) -> Call[int]:
    """Make all fragments ready for consolidation."""
    request = pb.FlushFragmentsRequest(agent_id=agent_id, request_id=new_request_id())
    return call(method.FLUSH_FRAGMENTS, request, lambda answer: answer.fragments_flushed)


def lease_fragments(agent_id: str, limit: int, lease: float, wait: float) -> Call[FragmentLease | None]:
    """Lease fragments to consolidate; None if there were none within ``wait`` seconds. ``lease`` is in seconds."""
    request = pb.LeaseFragmentsRequest(
        agent_id=agent_id,
        limit=limit,
        lease_duration=duration_of(lease),
        wait_duration=duration_of(wait),
        request_id=new_request_id(),
    )
    return call(method.LEASE_FRAGMENTS, request, fragment_lease_from, patience=wait)


def handle(agent_id: str, leased: FragmentLease, lease: float) -> Handle:
    """Return the step of consolidating fragments whose lease is renewed for ``lease`` seconds at a time."""
    return Handle(leased.fragments, partial(renew_lease, agent_id, leased.token, lease), lease / RENEWALS_PER_LEASE)


def renew_lease(agent_id: str, token: str, lease: float) -> Call[FragmentLease | None]:
    """Renew a lease for ``lease`` seconds. Raises ValueError if the token is empty."""
    # The daemon takes an empty token for a new lease, which would take further fragments.
    if not token:
        raise ValueError("the lease token is empty: use FragmentLease.token")
    request = pb.LeaseFragmentsRequest(
        agent_id=agent_id, lease_duration=duration_of(lease), lease_token=token, request_id=new_request_id()
    )
    return call(method.LEASE_FRAGMENTS, request, fragment_lease_from)


def acknowledge_fragments(agent_id: str, token: str, fragment_ids: Iterable[str] = ()) -> Call[int]:
    """Remove consolidated fragments of a lease; all of them if none is named."""
    return _settle(agent_id, token, fragment_ids, release=False)


def release_fragments(agent_id: str, token: str, fragment_ids: Iterable[str] = ()) -> Call[int]:
    """Release fragments of a lease for other consumers; all of them if none is named."""
    return _settle(agent_id, token, fragment_ids, release=True)


def _settle(agent_id: str, token: str, fragment_ids: Iterable[str], *, release: bool) -> Call[int]:
    request = pb.AcknowledgeFragmentsRequest(
        agent_id=agent_id,
        lease_token=token,
        fragment_ids=strings_of("fragment_ids", fragment_ids),
        release=release,
        request_id=new_request_id(),
    )
    return call(method.ACKNOWLEDGE_FRAGMENTS, request, lambda answer: answer.fragment_count)
