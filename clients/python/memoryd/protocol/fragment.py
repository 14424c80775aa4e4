"""The calls about fragments."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from memoryd.model.entry import write_metadata
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.fragment import (
    CreatedFragment,
    Fragment,
    FragmentCount,
    FragmentLease,
    created_fragment_from,
    fragment_count_from,
    fragment_from,
    fragment_lease_from,
)
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.moment import duration_of
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import ExpiryOptions, any_of, precondition_of, strings_of, write_expiry
from memoryd.protocol.record_filter import UserOptions, filter_of
from memoryd.protocol.reservation import RENEWALS_PER_LEASE
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd.v1.fragment_pb2 import FragmentDraft

DEFAULT_LIMIT = 100


class FragmentOptions(ExpiryOptions, total=False):
    """The options of creating a fragment, with at most one expiry; by default the server's time to live.

    ``type``: the kind of the fragment; "Fact" by default. ``dynamic_type``: a finer kind, chosen by the writer.
    ``confidence``: how certain it is, from 0 to 1.
    ``user_id``: whom it is about, or who said it.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``participants``: who took part, at most 64. ``causal_chain``: what led to it, at most 64.
    ``sources``: its origins as JSON objects, at most 64.
    ``ttl`` and ``expire_time``: as in ExpiryOptions.
    """

    type: str
    dynamic_type: str
    confidence: float | None
    user_id: str
    metadata: Mapping[str, Any] | None
    participants: Iterable[str]
    causal_chain: Iterable[str]
    sources: Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Handle:
    """The step of consolidating fragments: run the caller's code, and renew the lease every ``interval`` seconds."""

    fragments: list[Fragment]
    renew: Callable[[], Call[FragmentLease | None]]
    interval: float


class FragmentSelection(UserOptions, total=False):
    """The selection of fragments: see UserOptions.

    ``type``: those of this type. ``flushed``: those that are ready for consolidation, or if false those that are not.
    """

    type: str | None
    flushed: bool | None


class FragmentListOptions(FragmentSelection, total=False):
    """The fragments of a listing as in FragmentSelection, and how they are returned.

    ``order``: by default the newest first. ``view``: by default all fields.
    """

    order: ListOrder | str
    view: RecordView | str


def create_fragment(agent_id: str, content: str, options: FragmentOptions) -> Call[CreatedFragment]:
    """Create a fragment. Raises ValueError if it has both a ttl and an expire_time."""
    draft = FragmentDraft(
        content=content,
        user_id=options.get("user_id", ""),
        type=options.get("type", ""),
        dynamic_type=options.get("dynamic_type", ""),
        confidence=options.get("confidence"),
        participants=strings_of("participants", options.get("participants", ())),
        causal_chain=strings_of("causal_chain", options.get("causal_chain", ())),
    )
    if (metadata := options.get("metadata")) is not None:
        write_metadata(draft.metadata, metadata)
    for source in options.get("sources", ()):
        draft.sources.add().update(source)
    write_expiry(draft, options)
    request = pb.CreateFragmentRequest(agent_id=agent_id, draft=draft, request_id=new_request_id())
    return call(method.CREATE_FRAGMENT, request, created_fragment_from)


def get_fragment(agent_id: str, fragment_id: str) -> Call[Fragment]:
    """Read a fragment."""
    request = pb.GetFragmentRequest(agent_id=agent_id, fragment_id=fragment_id)
    return call(method.GET_FRAGMENT, request, lambda answer: fragment_from(answer.fragment))


def delete_fragment(
    agent_id: str, fragment_id: str, expected_revision: int | None, *, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove a fragment."""
    request = pb.DeleteFragmentRequest(
        erase=erase,
        agent_id=agent_id,
        fragment_id=fragment_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.DELETE_FRAGMENT,
        request,
        removed(lambda answer: answer.deleted, erase=erase),
        patience=erasing(erase=erase),
    )


def search_fragments(
    agent_id: str, query: str, min_confidence: float | None, limit: int, options: UserOptions
) -> Call[list[Fragment]]:
    """Find fragments by their words."""
    chosen = filter_of(options, fragment={"min_confidence": min_confidence})
    request = pb.SearchFragmentsRequest(agent_id=agent_id, query=query, filter=chosen, limit=limit)
    return call(method.SEARCH_FRAGMENTS, request, lambda answer: [fragment_from(each) for each in answer.fragments])


def list_fragments(agent_id: str, options: FragmentListOptions) -> Call[Page[Fragment]]:
    """List fragments, page by page."""
    fragment_type = options.get("type")
    types = None if fragment_type is None else [fragment_type]
    request = pb.ListFragmentsRequest(
        agent_id=agent_id,
        filter=filter_of(options, fragment={"types": types, "flushed": options.get("flushed")}),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_FRAGMENTS, request, lambda answer: [fragment_from(each) for each in answer.fragments])


def count_fragments(agent_id: str) -> Call[FragmentCount]:
    """Count fragments."""
    return call(method.COUNT_FRAGMENTS, pb.CountFragmentsRequest(agent_id=agent_id), fragment_count_from)


def clear_fragments(agent_id: str, expected_revision: int | None, *, erase: bool = False) -> Call[int | ErasureReceipt]:
    """Remove all fragments."""
    request = pb.ClearFragmentsRequest(
        erase=erase,
        agent_id=agent_id,
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.CLEAR_FRAGMENTS,
        request,
        removed(lambda answer: answer.cleared_fragment_count, erase=erase),
        patience=erasing(erase=erase),
    )


def flush_fragments(agent_id: str) -> Call[int]:
    """Make all fragments ready for consolidation."""
    request = pb.FlushFragmentsRequest(agent_id=agent_id, request_id=new_request_id())
    return call(method.FLUSH_FRAGMENTS, request, lambda answer: answer.flushed_fragment_count)


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
    """Renew a lease for ``lease`` seconds."""
    request = pb.RenewFragmentLeaseRequest(
        agent_id=agent_id, lease_token=token, lease_duration=duration_of(lease), request_id=new_request_id()
    )
    return call(method.RENEW_FRAGMENT_LEASE, request, fragment_lease_from)


def acknowledge_fragments(
    agent_id: str, token: str, fragment_ids: Iterable[str] | None = None, *, erase: bool = False
) -> Call[int | ErasureReceipt]:
    """Remove consolidated fragments of a lease; all of them if none is named."""
    request = pb.AcknowledgeFragmentsRequest(
        erase=erase,
        agent_id=agent_id,
        lease_token=token,
        fragment_ids=any_of("fragment_ids", fragment_ids),
        request_id=new_request_id(),
    )
    return call(
        method.ACKNOWLEDGE_FRAGMENTS,
        request,
        removed(lambda answer: answer.acknowledged_fragment_count, erase=erase),
        patience=erasing(erase=erase),
    )


def release_fragments(agent_id: str, token: str, fragment_ids: Iterable[str] | None = None) -> Call[int]:
    """Release fragments of a lease for other consumers; all of them if none is named."""
    request = pb.ReleaseFragmentsRequest(
        agent_id=agent_id,
        lease_token=token,
        fragment_ids=any_of("fragment_ids", fragment_ids),
        request_id=new_request_id(),
    )
    return call(method.RELEASE_FRAGMENTS, request, lambda answer: answer.released_fragment_count)
