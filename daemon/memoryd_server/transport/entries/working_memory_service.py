"""WorkingMemoryService: decode the request, call the engine, encode the response."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.entries.entry import ENTRY_SHAPE, Entry
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    EntriesCleared,
    EntriesWritten,
    EntryFoundOrSet,
    EntryRemoved,
    EntrySet,
    GetOrSetEntry,
    RemoveEntry,
    RemoveOperation,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.entries.reservation_change import (
    EntryReserved,
    ReleaseReservation,
    RenewReservation,
    ReservationReleased,
    ReserveEntry,
)
from memoryd_server.domain.entries.scope import SCOPE_SHAPE
from memoryd_server.domain.entries.scope_change import (
    CreateScope,
    DisposeScope,
    MergeScope,
    ScopeCreated,
    ScopeMerged,
    ScopesDisposed,
)
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.domain.values.response_size import RESPONSE_GROWTH_MAX, response_bytes
from memoryd_server.engine.agents.clock import Clock, new_id, new_token
from memoryd_server.engine.entries.entry_log import log_change
from memoryd_server.engine.entries.working_memory import EntryQuery, ReadEntry, ScopeQuery, ScopeView, WorkingMemory
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.entries.entry_message import EntryEncoder, draft_of, kept_of, write_entry_without_content
from memoryd_server.transport.entries.scope_message import scope_message
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.timestamp import duration_within, timestamp
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.fields.wire import bytes_tag, length_of, varint, varint_tag
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX

_FOUND_ENTRY = varint_tag(pb.GetEntryResponse.FOUND_FIELD_NUMBER) + varint(1)
_FOUND_ENTRY += bytes_tag(pb.GetEntryResponse.ENTRY_FIELD_NUMBER)
_FOUND_REVISION = varint_tag(pb.GetEntryResponse.REVISION_FIELD_NUMBER)
_BATCH_ENTRY = bytes_tag(pb.BatchGetEntriesResponse.ENTRIES_FIELD_NUMBER)
_LISTED_ENTRY = bytes_tag(pb.ListEntriesResponse.ENTRIES_FIELD_NUMBER)


class WorkingMemoryService:
    """Serves entries and scopes."""

    def __init__(self, working_memory: WorkingMemory, clock: Clock, limits: limit.Limits) -> None:
        self._memory = working_memory
        self._clock = clock
        self._limits = limits
        self._encoder = EntryEncoder()

    def drop_encoded(self) -> None:
        """Drop the bytes of entries that are kept for later reads."""
        self._encoder.drop_all()

    @change
    def set_entry(self, request: pb.SetEntryRequest) -> Change[EntrySet]:
        """Set an entry."""
        draft = draft_of(request, self._clock(), self._limits)
        # Most sets have neither; no call for what is not there.
        precondition = precondition_of(request) if request.HasField("precondition") else None
        kept = kept_of(request) if request.HasField("update_mask") else ()
        setting = SetEntry(request.scope_id, draft, new_id(), request.reservation_token, precondition, kept)

        def encode(done: EntrySet) -> pb.SetEntryResponse:
            response = pb.SetEntryResponse(created=done.created, revision=done.revision)
            write_entry_without_content(done.entry, response.entry)
            return response

        return Change(setting, encode, log_change, self._memory.set_latency)

    async def get_entry(self, request: pb.GetEntryRequest, call: Call) -> bytes:
        """Return an entry as a serialised GetEntryResponse."""
        key = validation.text("key", request.key, limit.KEY_BYTES_MAX)
        found, revision = await self._memory.get_entry(
            request.agent_id,
            request.scope_id,
            key,
            local_only=request.local_only,
            consistency=consistency_of(request),
        )
        if found is None:
            return pb.GetEntryResponse(revision=revision).SerializeToString()
        entry = self._encoder.encode(found)
        return b"".join((_FOUND_ENTRY, length_of(len(entry)), entry, _FOUND_REVISION, varint(revision)))

    @change
    def get_or_set_entry(self, request: pb.GetOrSetEntryRequest) -> Change[EntryFoundOrSet]:
        """Return an entry, or set it if it does not exist."""
        draft = draft_of(request, self._clock(), self._limits)
        setting = GetOrSetEntry(request.scope_id, draft, new_id(), request.local_only)

        def encode(done: EntryFoundOrSet) -> pb.GetOrSetEntryResponse:
            response = pb.GetOrSetEntryResponse(created=done.created, revision=done.revision)
            response.entry.MergeFromString(self._encoder.encode(self._memory.counted(request.agent_id, done.entry)))
            return response

        return Change(setting, encode, log_change, self._memory.set_latency)

    async def reserve_entry(self, request: pb.ReserveEntryRequest, call: Call) -> pb.ReserveEntryResponse:
        """Return an entry, reserve it, or wait for the holder of its reservation."""
        key = validation.key(request.key)
        wait_ns = limit.WAIT_NS_DEFAULT
        if request.HasField("wait_duration"):
            wait_ns = duration_within("wait_duration", request.wait_duration, 0, limit.WAIT_NS_MAX)
        agent_id, write = request.agent_id, write_of(request, call)
        reserving = ReserveEntry(request.scope_id, key, new_token(), _lease_ns_of(request), request.local_only)
        return self._reserved(agent_id, await self._memory.reserve_entry(agent_id, reserving, wait_ns, write))

    @change
    def renew_reservation(self, request: pb.RenewReservationRequest) -> Change[EntryReserved]:
        """Extend the lease of a reservation."""
        key, token = validation.key(request.key), _token_of(request)
        renewing = RenewReservation(request.scope_id, key, token, _lease_ns_of(request))

        def encode(done: EntryReserved) -> pb.RenewReservationResponse:
            assert done.reservation is not None
            expire_time = timestamp(done.reservation.expire_time)
            return pb.RenewReservationResponse(lease_expire_time=expire_time, revision=done.revision)

        return Change(renewing, encode, log_change)

    @change
    def release_reservation(self, request: pb.ReleaseReservationRequest) -> Change[ReservationReleased]:
        """End a reservation without setting its key."""
        releasing = ReleaseReservation(request.scope_id, validation.key(request.key), _token_of(request))

        def encode(done: ReservationReleased) -> pb.ReleaseReservationResponse:
            return pb.ReleaseReservationResponse(revision=done.revision)

        return Change(releasing, encode, log_change)

    async def contains_entry(self, request: pb.ContainsEntryRequest, call: Call) -> pb.ContainsEntryResponse:
        """Return True if a key has an entry, with the entry's scope."""
        key = validation.key(request.key)
        entry, revision = await self._memory.contains_entry(
            request.agent_id,
            request.scope_id,
            key,
            local_only=request.local_only,
            consistency=consistency_of(request),
        )
        if entry is None:
            return pb.ContainsEntryResponse(revision=revision)
        return pb.ContainsEntryResponse(found=True, scope_id=entry.scope_id, revision=revision)

    @change
    def remove_entry(self, request: pb.RemoveEntryRequest) -> Change[EntryRemoved]:
        """Remove an entry."""
        removing = RemoveEntry(request.scope_id, validation.key(request.key), precondition_of(request))

        def encode(done: EntryRemoved) -> pb.RemoveEntryResponse:
            return pb.RemoveEntryResponse(deleted=done.deleted, revision=done.revision)

        return Change(removing, encode, log_change, erases=request.erase)

    async def list_entries(self, request: pb.ListEntriesRequest, call: Call) -> bytes:
        """Return entries as a serialised ListEntriesResponse."""
        query = EntryQuery(
            request.scope_id,
            request.include_inherited,
            record_filter_of(request.filter, ENTRY_SHAPE),
            order_of(request, ListOrder.ID, rated=True),
        )
        view = view_of(request)
        page = await self._memory.list_entries(
            request.agent_id, query, page_request_of(request, call), consistency_of(request)
        )
        response = pb.ListEntriesResponse(
            next_page_token=page.next_page_token, total_count=page.total_count, revision=page.revision
        )
        return self._with_entries(response, _LISTED_ENTRY, page.items, view)

    @change
    def clear_entries(self, request: pb.ClearEntriesRequest) -> Change[EntriesCleared]:
        """Remove all entries of a scope."""
        clearing = ClearEntries(request.scope_id)

        def encode(done: EntriesCleared) -> pb.ClearEntriesResponse:
            return pb.ClearEntriesResponse(cleared_entry_count=done.cleared_entry_count, revision=done.revision)

        return Change(clearing, encode, log_change, erases=request.erase)

    async def batch_get_entries(self, request: pb.BatchGetEntriesRequest, call: Call) -> bytes:
        """Return many entries at one revision as a serialised BatchGetEntriesResponse."""
        validation.within("keys", len(request.keys), 1, limit.BATCH_KEYS_MAX)
        keys, view = validation.keys(list(request.keys)), view_of(request)
        found, revision = await self._memory.get_entries(
            request.agent_id,
            request.scope_id,
            keys,
            local_only=request.local_only,
            consistency=consistency_of(request),
        )
        there = [each for each in found if each is not None]
        if view is not RecordView.WITHOUT_CONTENT:
            _check_response([each.entry for each in there])
        all_found = len(there) == len(keys)
        missing = [] if all_found else [key for key, each in zip(keys, found, strict=True) if each is None]
        response = pb.BatchGetEntriesResponse(missing_keys=missing, revision=revision)
        return self._with_entries(response, _BATCH_ENTRY, there, view)

    @change
    def batch_write_entries(self, request: pb.BatchWriteEntriesRequest) -> Change[EntriesWritten]:
        """Set and remove many entries in one commit."""
        validation.within("operations", len(request.operations), 1, limit.BATCH_OPERATIONS_MAX)
        now = self._clock()
        operations: list[SetOperation | RemoveOperation] = []
        for each in request.operations:
            try:
                operations.append(self._operation(each, now))
            except InvalidField as refusal:
                place = [f"operations[{len(operations)}]", each.WhichOneof("operation"), refusal.field]
                raise InvalidField(".".join(filter(None, place)), refusal.description) from None
        if len({each.key for each in operations}) < len(operations):
            raise InvalidField("operations", "must name each key at most once")
        writing = WriteEntries(request.scope_id, tuple(operations), new_id())

        def encode(done: EntriesWritten) -> pb.BatchWriteEntriesResponse:
            response = pb.BatchWriteEntriesResponse(revision=done.revision)
            # Field by field: the constructor of a message takes four times as long with names of fields.
            add = response.results.add
            for each in done.results:
                result = add()
                result.key = each.key
                if each.entry_id:
                    result.entry_id = each.entry_id
                if each.created:
                    result.created = True
                if each.deleted:
                    result.deleted = True
            return response

        return Change(writing, encode, log_change, self._memory.set_latency, erases=request.erase)

    @change
    def create_scope(self, request: pb.CreateScopeRequest) -> Change[ScopeCreated]:
        """Create a scope."""
        name = validation.text("name", request.name, limit.SCOPE_NAME_BYTES_MAX)
        user_id = validation.optional_text("user_id", request.user_id, limit.USER_ID_BYTES_MAX)
        idle_ttl_ns = None
        if request.HasField("idle_ttl"):
            least_ns, most_ns = limit.SCOPE_IDLE_TTL_NS_MIN, limit.EXPIRY_NS_MAX
            idle_ttl_ns = duration_within("idle_ttl", request.idle_ttl, least_ns, most_ns)
        creating = CreateScope(name, request.parent_scope_id, new_id(), precondition_of(request), user_id, idle_ttl_ns)

        def encode(done: ScopeCreated) -> pb.CreateScopeResponse:
            return pb.CreateScopeResponse(scope=scope_message(ScopeView(done.scope, 0)), revision=done.revision)

        return Change(creating, encode, log_change)

    async def get_scope(self, request: pb.GetScopeRequest, call: Call) -> pb.GetScopeResponse:
        """Return one scope."""
        view, revision = await self._memory.get_scope(
            request.agent_id, _scope_id_of(request.scope_id), consistency_of(request)
        )
        return pb.GetScopeResponse(scope=scope_message(view), revision=revision)

    async def list_scopes(self, request: pb.ListScopesRequest, call: Call) -> pb.ListScopesResponse:
        """List the active scopes."""
        query = ScopeQuery(
            request.parent_scope_id if request.HasField("parent_scope_id") else None,
            record_filter_of(request.filter, SCOPE_SHAPE),
            order_of(request, ListOrder.CREATE_TIME),
        )
        view = view_of(request)
        page = await self._memory.list_scopes(
            request.agent_id, query, page_request_of(request, call), consistency_of(request)
        )
        return pb.ListScopesResponse(
            scopes=[viewed(scope_message(each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    @change
    def merge_scope(self, request: pb.MergeScopeRequest) -> Change[ScopeMerged]:
        """Copy a scope's entries to its parent."""
        overwrite = request.overwrite if request.HasField("overwrite") else True
        merging = MergeScope(_scope_id_of(request.scope_id), overwrite, request.dispose, new_id())

        def encode(done: ScopeMerged) -> pb.MergeScopeResponse:
            return pb.MergeScopeResponse(merged_entry_count=done.merged_entry_count, revision=done.revision)

        return Change(merging, encode, log_change)

    @change
    def dispose_scope(self, request: pb.DisposeScopeRequest) -> Change[ScopesDisposed]:
        """Dispose a scope."""
        disposing = DisposeScope(_scope_id_of(request.scope_id))

        def encode(done: ScopesDisposed) -> pb.DisposeScopeResponse:
            return pb.DisposeScopeResponse(
                deleted=done.deleted,
                cleared_entry_count=done.cleared_entry_count,
                disposed_scope_ids=done.scope_ids,
                revision=done.revision,
            )

        return Change(disposing, encode, log_change, erases=request.erase)

    def _with_entries(self, response: Message, tag: bytes, entries: Iterable[ReadEntry], view: RecordView) -> bytes:
        parts = [response.SerializeToString()]
        if view is RecordView.FULL:
            parts += self._encoder.encode_each(tag, entries)
            return b"".join(parts)
        for each in entries:
            entry = self._encoder.encode(each, view)
            parts += (tag, length_of(len(entry)), entry)
        return b"".join(parts)

    def _reserved(self, agent_id: str, answer: EntryReserved) -> pb.ReserveEntryResponse:
        if answer.entry is not None:
            response = pb.ReserveEntryResponse(outcome=pb.RESERVE_OUTCOME_FOUND, revision=answer.revision)
            response.entry.MergeFromString(self._encoder.encode(self._memory.counted(agent_id, answer.entry)))
            return response
        reservation = answer.reservation
        assert reservation is not None
        return pb.ReserveEntryResponse(
            outcome=pb.RESERVE_OUTCOME_RESERVED if answer.held_by_caller else pb.RESERVE_OUTCOME_HELD,
            reservation_token=reservation.token if answer.held_by_caller else "",
            lease_expire_time=timestamp(reservation.expire_time),
            revision=answer.revision,
        )

    def _operation(self, message: pb.EntryOperation, now: int) -> SetOperation | RemoveOperation:
        kind = message.WhichOneof("operation")
        if kind == "set":
            setting = message.set
            draft = draft_of(setting, now, self._limits)
            if not setting.HasField("precondition"):
                return SetOperation(draft)
            return SetOperation(draft, precondition_of(setting))
        if kind == "remove":
            key = validation.key(message.remove.key)
            return RemoveOperation(key, precondition_of(message.remove))
        raise InvalidField("operation", "must be set or remove")


def _lease_ns_of(request: pb.ReserveEntryRequest | pb.RenewReservationRequest) -> int:
    if not request.HasField("lease_duration"):
        return limit.RESERVATION_NS_DEFAULT
    return duration_within("lease_duration", request.lease_duration, limit.LEASE_NS_MIN, limit.LEASE_NS_MAX)


def _token_of(request: pb.RenewReservationRequest | pb.ReleaseReservationRequest) -> str:
    if not request.reservation_token:
        raise InvalidField("reservation_token", "must not be empty")
    return request.reservation_token


def _scope_id_of(scope_id: str) -> str:
    if not scope_id:
        raise InvalidField("scope_id", "must not be empty: the root is not a scope")
    return scope_id


def _check_response(entries: Sequence[Entry]) -> None:
    """Raise TooLarge if the entries that a request names do not fit into one message: they are of one revision."""
    # No look at the metadata of each while all is small enough whatever it is.
    size_bytes = sum([each.size_bytes for each in entries])
    if size_bytes * RESPONSE_GROWTH_MAX > MESSAGE_BYTES_MAX and sum(map(response_bytes, entries)) > MESSAGE_BYTES_MAX:
        raise TooLarge("message_bytes", MESSAGE_BYTES_MAX)
