"""FragmentService: decode the request, call the engine, encode the response."""

from memoryd.v1 import fragment_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    DeleteFragment,
    FlushFragments,
    StoreFragment,
)
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.engine.agents.clock import Clock, new_number, new_token
from memoryd_server.engine.fragments.fragments import Fragments, Handover
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.fields.timestamp import duration_within, timestamp
from memoryd_server.transport.fragments.fragment_message import confidence_of, fragment_draft_of, fragment_message


class FragmentService:
    """Serves fragments."""

    def __init__(self, fragments: Fragments, clock: Clock, limits: limit.Limits) -> None:
        self._fragments = fragments
        self._clock = clock
        self._limits = limits

    async def store_fragment(self, request: pb.StoreFragmentRequest, call: Call) -> pb.StoreFragmentResponse:
        """Store a fragment."""
        policy = self._fragments.policy
        draft = fragment_draft_of(request, self._clock(), policy.ttl_ns, self._limits)
        storing = StoreFragment(draft, new_number(), policy.flush_threshold, policy.consolidates)
        done = await self._fragments.change(request.agent_id, storing, call.origin, request_key_of(request, call))
        return pb.StoreFragmentResponse(
            fragment_id=done.fragment_id,
            expire_time=timestamp(done.expire_time),
            fragments_evicted=done.evicted,
            fragments_flushed=done.flushed,
            revision=done.revision,
        )

    async def get_fragment(self, request: pb.GetFragmentRequest, call: Call) -> pb.GetFragmentResponse:
        """Return a fragment, if it exists."""
        fragment, revision = await self._fragments.get(
            request.agent_id, _fragment_id_of(request.fragment_id), max_staleness_of(request)
        )
        if fragment is None:
            return pb.GetFragmentResponse(revision=revision)
        found = fragment_message(request.agent_id, fragment)
        return pb.GetFragmentResponse(found=True, fragment=found, revision=revision)

    async def delete_fragment(self, request: pb.DeleteFragmentRequest, call: Call) -> pb.DeleteFragmentResponse:
        """Delete a fragment."""
        deleting = DeleteFragment(_fragment_id_of(request.fragment_id))
        done = await self._fragments.change(request.agent_id, deleting, call.origin, request_key_of(request, call))
        return pb.DeleteFragmentResponse(deleted=done.deleted, revision=done.revision)

    async def search_fragments(self, request: pb.SearchFragmentsRequest, call: Call) -> pb.SearchFragmentsResponse:
        """Return fragments that have words of a query."""
        validation.within("query", validation.size_bytes(request.query), 0, limit.QUERY_BYTES_MAX, " bytes")
        min_confidence = None
        if request.HasField("min_confidence"):
            min_confidence = confidence_of("min_confidence", request.min_confidence)
        found, revision = await self._fragments.search(
            request.agent_id, request.query, min_confidence, _count_max_of(request.limit), max_staleness_of(request)
        )
        return pb.SearchFragmentsResponse(
            fragments=[fragment_message(request.agent_id, each) for each in found], revision=revision
        )

    async def list_recent_fragments(
        self, request: pb.ListRecentFragmentsRequest, call: Call
    ) -> pb.ListRecentFragmentsResponse:
        """List fragments, newest first."""
        page = await self._fragments.list_recent(
            request.agent_id, page_request_of(request, call), max_staleness_of(request)
        )
        return pb.ListRecentFragmentsResponse(
            fragments=[fragment_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def count_fragments(self, request: pb.CountFragmentsRequest, call: Call) -> pb.CountFragmentsResponse:
        """Return the numbers of fragments."""
        counts, revision = await self._fragments.count(request.agent_id, max_staleness_of(request))
        return pb.CountFragmentsResponse(
            fragment_count=counts.all,
            flushed_count=counts.flushed,
            leased_count=counts.leased,
            revision=revision,
        )

    async def clear_fragments(self, request: pb.ClearFragmentsRequest, call: Call) -> pb.ClearFragmentsResponse:
        """Remove all fragments."""
        clearing = ClearFragments(precondition_of(request))
        done = await self._fragments.change(request.agent_id, clearing, call.origin, request_key_of(request, call))
        return pb.ClearFragmentsResponse(fragments_cleared=done.fragments_cleared, revision=done.revision)

    async def lease_fragments(self, request: pb.LeaseFragmentsRequest, call: Call) -> pb.LeaseFragmentsResponse:
        """Lease fragments, or renew a lease."""
        agent_id, request_key = request.agent_id, request_key_of(request, call)
        lease_ns, wait_ns = limit.LEASE_NS_DEFAULT, limit.WAIT_NS_DEFAULT
        if request.HasField("lease_duration"):
            lease_ns = duration_within("lease_duration", request.lease_duration, limit.LEASE_NS_MIN, limit.LEASE_NS_MAX)
        if request.HasField("wait_duration"):
            wait_ns = duration_within("wait_duration", request.wait_duration, 0, limit.WAIT_NS_MAX)
        count_max = _count_max_of(request.limit)
        if not request.lease_token:
            leasing = LeaseFragments(new_token(), count_max, lease_ns)
            done = await self._fragments.lease(agent_id, leasing, wait_ns, call.origin, request_key)
        elif request.limit:
            raise InvalidField("limit", "must not be given to renew a lease")
        else:
            renewing = RenewLease(request.lease_token, lease_ns)
            done = await self._fragments.renew(agent_id, renewing, call.origin, request_key)
        return _leased(agent_id, done)

    async def acknowledge_fragments(
        self, request: pb.AcknowledgeFragmentsRequest, call: Call
    ) -> pb.AcknowledgeFragmentsResponse:
        """Remove leased fragments, or release them to other consumers."""
        if not request.lease_token:
            raise InvalidField("lease_token", "must not be empty")
        validation.within("fragment_ids", len(request.fragment_ids), 0, limit.FRAGMENTS_PER_CALL_MAX)
        kind = ReleaseFragments if request.release else AcknowledgeFragments
        settling = kind(request.lease_token, frozenset(request.fragment_ids))
        done = await self._fragments.change(request.agent_id, settling, call.origin, request_key_of(request, call))
        return pb.AcknowledgeFragmentsResponse(fragment_count=done.count, revision=done.revision)

    async def flush_fragments(self, request: pb.FlushFragmentsRequest, call: Call) -> pb.FlushFragmentsResponse:
        """Make all fragments ready for consolidation."""
        flushing = FlushFragments(self._fragments.policy.consolidates)
        done = await self._fragments.change(request.agent_id, flushing, call.origin, request_key_of(request, call))
        return pb.FlushFragmentsResponse(fragments_flushed=done.fragments_flushed, revision=done.revision)


def _leased(agent_id: str, done: Handover) -> pb.LeaseFragmentsResponse:
    if done.lease is None:
        return pb.LeaseFragmentsResponse(revision=done.revision)
    return pb.LeaseFragmentsResponse(
        lease_token=done.lease.token,
        fragments=[fragment_message(agent_id, each) for each in done.fragments],
        lease_expire_time=timestamp(done.lease.expire_time),
        revision=done.revision,
    )


def _count_max_of(count_max: int) -> int:
    chosen = validation.within("limit", count_max, 0, 2**31 - 1)
    return min(chosen or limit.FRAGMENTS_PER_CALL_DEFAULT, limit.FRAGMENTS_PER_CALL_MAX)


def _fragment_id_of(fragment_id: str) -> str:
    if not fragment_id:
        raise InvalidField("fragment_id", "must not be empty")
    return fragment_id
