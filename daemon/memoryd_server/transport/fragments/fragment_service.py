"""FragmentService: decode the request, call the engine, encode the response."""

from typing import Any

from memoryd.v1 import fragment_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    CreateFragment,
    DeleteFragment,
    FlushFragments,
    FragmentCreated,
    FragmentDeleted,
    FragmentsCleared,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    FragmentsLeased,
    FragmentsSettled,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import Clock, new_number, new_token
from memoryd_server.engine.fragments.fragments import Fragments, Handover
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.timestamp import duration_within, timestamp
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.fragments.fragment_message import fragment_draft_of, fragment_message


class FragmentService:
    """Serves fragments."""

    def __init__(self, fragments: Fragments, clock: Clock, limits: limit.Limits) -> None:
        self._fragments = fragments
        self._clock = clock
        self._limits = limits

    @change
    def create_fragment(self, request: pb.CreateFragmentRequest) -> Change[FragmentCreated]:
        """Create a fragment."""
        policy = self._fragments.policy
        draft = fragment_draft_of(request.draft, self._clock(), self._limits)
        number = new_number()
        creating = CreateFragment(draft, number, policy.flush_threshold, policy.consolidates, policy.ttl_ns)

        def encode(done: FragmentCreated) -> pb.CreateFragmentResponse:
            return pb.CreateFragmentResponse(
                fragment=fragment_message(request.agent_id, done.fragment(draft)),
                evicted_fragment_count=done.evicted,
                flushed_fragment_count=done.flushed,
                revision=done.revision,
            )

        return Change(creating, encode, self._fragments.note_change)

    async def get_fragment(self, request: pb.GetFragmentRequest, call: Call) -> pb.GetFragmentResponse:
        """Return a fragment."""
        fragment, revision = await self._fragments.get(
            request.agent_id, _fragment_id_of(request.fragment_id), consistency_of(request)
        )
        return pb.GetFragmentResponse(fragment=fragment_message(request.agent_id, fragment), revision=revision)

    @change
    def delete_fragment(self, request: pb.DeleteFragmentRequest) -> Change[FragmentDeleted]:
        """Delete a fragment."""
        deleting = DeleteFragment(_fragment_id_of(request.fragment_id), precondition_of(request))

        def encode(done: FragmentDeleted) -> pb.DeleteFragmentResponse:
            return pb.DeleteFragmentResponse(deleted=done.deleted, revision=done.revision)

        return Change(deleting, encode, self._fragments.note_change, erases=request.erase)

    async def search_fragments(self, request: pb.SearchFragmentsRequest, call: Call) -> pb.SearchFragmentsResponse:
        """Return fragments that have words of a query."""
        validation.within("query", validation.size_bytes(request.query), 0, limit.QUERY_BYTES_MAX, " bytes")
        chosen = record_filter_of(request.filter, FRAGMENT_SHAPE)
        found, revision = await self._fragments.search(
            request.agent_id, request.query, _count_max_of(request.limit), chosen, consistency_of(request)
        )
        return pb.SearchFragmentsResponse(
            fragments=[fragment_message(request.agent_id, each) for each in found], revision=revision
        )

    async def list_fragments(self, request: pb.ListFragmentsRequest, call: Call) -> pb.ListFragmentsResponse:
        """List fragments."""
        view, order = view_of(request), order_of(request, ListOrder.CREATE_TIME_DESCENDING)
        chosen = record_filter_of(request.filter, FRAGMENT_SHAPE)
        page = await self._fragments.list(
            request.agent_id, page_request_of(request, call), chosen, order, consistency_of(request)
        )
        return pb.ListFragmentsResponse(
            fragments=[viewed(fragment_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def count_fragments(self, request: pb.CountFragmentsRequest, call: Call) -> pb.CountFragmentsResponse:
        """Return the numbers of fragments."""
        counts, revision = await self._fragments.count(request.agent_id, consistency_of(request))
        return pb.CountFragmentsResponse(
            fragment_count=counts.all,
            flushed_fragment_count=counts.flushed,
            leased_fragment_count=counts.leased,
            revision=revision,
        )

    @change
    def clear_fragments(self, request: pb.ClearFragmentsRequest) -> Change[FragmentsCleared]:
        """Remove all fragments."""

        def encode(done: FragmentsCleared) -> pb.ClearFragmentsResponse:
            return pb.ClearFragmentsResponse(cleared_fragment_count=done.fragments_cleared, revision=done.revision)

        return Change(ClearFragments(), encode, self._fragments.note_change, erases=request.erase)

    async def lease_fragments(self, request: pb.LeaseFragmentsRequest, call: Call) -> pb.LeaseFragmentsResponse:
        """Lease fragments."""
        wait_ns = limit.WAIT_NS_DEFAULT
        if request.HasField("wait_duration"):
            wait_ns = duration_within("wait_duration", request.wait_duration, 0, limit.WAIT_NS_MAX)
        leasing = LeaseFragments(new_token(), _count_max_of(request.limit), _lease_ns_of(request))
        done = await self._fragments.lease(request.agent_id, leasing, wait_ns, write_of(request, call))
        return pb.LeaseFragmentsResponse(**_lease_fields(request.agent_id, done))

    @change
    def renew_fragment_lease(self, request: pb.RenewFragmentLeaseRequest) -> Change[FragmentsLeased]:
        """Extend a lease."""
        renewing = RenewLease(_lease_token_of(request), _lease_ns_of(request))

        async def encode(done: FragmentsLeased) -> pb.RenewFragmentLeaseResponse:
            handover = await self._fragments.handover(request.agent_id, done)
            return pb.RenewFragmentLeaseResponse(**_lease_fields(request.agent_id, handover))

        return Change(renewing, encode, self._fragments.note_change)

    @change
    def acknowledge_fragments(self, request: pb.AcknowledgeFragmentsRequest) -> Change[FragmentsSettled]:
        """Remove leased fragments."""
        settling = AcknowledgeFragments(_lease_token_of(request), _fragment_ids_of(request))

        def encode(done: FragmentsSettled) -> pb.AcknowledgeFragmentsResponse:
            return pb.AcknowledgeFragmentsResponse(acknowledged_fragment_count=done.count, revision=done.revision)

        return Change(settling, encode, self._fragments.note_change, erases=request.erase)

    @change
    def release_fragments(self, request: pb.ReleaseFragmentsRequest) -> Change[FragmentsSettled]:
        """Release leased fragments to other consumers."""
        settling = ReleaseFragments(_lease_token_of(request), _fragment_ids_of(request))

        def encode(done: FragmentsSettled) -> pb.ReleaseFragmentsResponse:
            return pb.ReleaseFragmentsResponse(released_fragment_count=done.count, revision=done.revision)

        return Change(settling, encode, self._fragments.note_change)

    @change
    def flush_fragments(self, request: pb.FlushFragmentsRequest) -> Change[FragmentsFlushed]:
        """Make all fragments ready for consolidation."""
        flushing = FlushFragments(self._fragments.policy.consolidates)

        def encode(done: FragmentsFlushed) -> pb.FlushFragmentsResponse:
            return pb.FlushFragmentsResponse(flushed_fragment_count=done.fragments_flushed, revision=done.revision)

        return Change(flushing, encode, self._fragments.note_change)


def _lease_fields(agent_id: str, done: Handover) -> dict[str, Any]:
    """Return the fields of a response that has a lease."""
    if done.lease is None:
        return {"revision": done.revision}
    return {
        "revision": done.revision,
        "lease_token": done.lease.token,
        "fragments": [fragment_message(agent_id, each) for each in done.fragments],
        "lease_expire_time": timestamp(done.lease.expire_time),
    }


def _lease_ns_of(request: pb.LeaseFragmentsRequest | pb.RenewFragmentLeaseRequest) -> int:
    if not request.HasField("lease_duration"):
        return limit.LEASE_NS_DEFAULT
    return duration_within("lease_duration", request.lease_duration, limit.LEASE_NS_MIN, limit.LEASE_NS_MAX)


def _lease_token_of(
    request: pb.RenewFragmentLeaseRequest | pb.AcknowledgeFragmentsRequest | pb.ReleaseFragmentsRequest,
) -> str:
    if not request.lease_token:
        raise InvalidField("lease_token", "must not be empty")
    return request.lease_token


def _fragment_ids_of(request: pb.AcknowledgeFragmentsRequest | pb.ReleaseFragmentsRequest) -> frozenset[str]:
    validation.within("fragment_ids", len(request.fragment_ids), 0, limit.FRAGMENTS_PER_CALL_MAX)
    return frozenset(request.fragment_ids)


def _count_max_of(count_max: int) -> int:
    chosen = validation.within("limit", count_max, 0, 2**31 - 1)
    return min(chosen or limit.FRAGMENTS_PER_CALL_DEFAULT, limit.FRAGMENTS_PER_CALL_MAX)


def _fragment_id_of(fragment_id: str) -> str:
    if not fragment_id:
        raise InvalidField("fragment_id", "must not be empty")
    return fragment_id
