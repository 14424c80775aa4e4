"""The calls about entries."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.entry import (
    BatchResult,
    Entry,
    EntryType,
    Stored,
    batch_result_from,
    entry_from,
    stored_from,
)
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, ListOrder
from memoryd.model.value import checked
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import EntryOptions, SetOptions, condition_of, precondition_of, strings_of, write_entry
from memoryd.protocol.record_filter import FilterOptions, filter_of
from memoryd.v1 import listing_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.precondition_pb2 import Precondition

T = TypeVar("T")

LIST_PAGE_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A container of entries: one of an agent's scopes, or its root."""

    agent_id: str
    scope_id: str = ""


def store_entry(place: Place, key: str, value: Any, options: SetOptions) -> Call[Stored]:
    """Store a value if the conditions among the options hold."""
    return set_entry(place, key, value, options, precondition=condition_of(options))


def set_entry(
    place: Place,
    key: str,
    value: Any,
    options: EntryOptions,
    *,
    precondition: Precondition | None = None,
    reservation_token: str = "",
    update_mask: Iterable[str] | None = None,
) -> Call[Stored]:
    """Store a value. With a mask, the existing entry keeps the fields that it does not name."""
    request = pb.SetEntryRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=key,
        reservation_token=reservation_token,
        precondition=precondition,
        request_id=new_request_id(),
        update_mask=None if update_mask is None else FieldMask(paths=update_mask),
    )
    write_entry(request, value, options)
    return call(method.SET_ENTRY, request, stored_from)


def get_entry(place: Place, key: str, *, local_only: bool) -> Call[Entry | None]:
    """Read an entry."""
    request = pb.GetEntryRequest(agent_id=place.agent_id, scope_id=place.scope_id, key=key, local_only=local_only)
    return call(method.GET_ENTRY, request, lambda answer: entry_from(answer.entry) if answer.found else None)


def get_value(place: Place, key: str, default: Any, expected: type[T] | None, *, local_only: bool) -> Call[Any]:
    """Read a value, or ``default`` if there is no entry. If ``expected`` is given, the value must be of that type."""
    read = get_entry(place, key, local_only=local_only)

    def convert(answer: pb.GetEntryResponse) -> Any:
        entry = read.convert(answer)
        return default if entry is None else value_of(entry, expected)

    return call(method.GET_ENTRY, read.request, convert)


def value_of(entry: Entry, expected: type[T] | None) -> Any:
    """Return the entry's value. Raises WrongType unless it is of the expected type, if there is one."""
    return entry.value if expected is None else checked(entry.value, expected, entry.key)


def set_default(place: Place, key: str, value: Any, options: EntryOptions, *, local_only: bool) -> Call[Any]:
    """Store a value unless the key has one, and read the resulting value."""
    request = pb.GetOrSetEntryRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=key,
        local_only=local_only,
        request_id=new_request_id(),
    )
    write_entry(request, value, options)
    return call(method.GET_OR_SET_ENTRY, request, lambda answer: entry_from(answer.entry).value)


def store_default(place: Place, key: str, value: Any, options: EntryOptions, *, local_only: bool) -> Call[bool]:
    """Store a value unless the key has one. The result is true if it was stored."""
    stored = set_default(place, key, value, options, local_only=local_only)
    return call(stored.method, stored.request, lambda answer: answer.created)


def contains_entry(place: Place, key: str, *, local_only: bool) -> Call[bool]:
    """Check if a key has an entry."""
    request = pb.ContainsEntryRequest(agent_id=place.agent_id, scope_id=place.scope_id, key=key, local_only=local_only)
    return call(method.CONTAINS_ENTRY, request, lambda answer: answer.found)


def remove_entry(
    place: Place, key: str, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove an entry."""
    request = pb.RemoveEntryRequest(
        erase=erase,
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=key,
        precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.REMOVE_ENTRY, request, removed(lambda answer: answer.deleted, erase=erase), patience=erasing(erase=erase)
    )


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing, and the filters that an entry must all pass. ``content`` is false for entries without content.

    ``order`` is that of the keys unless another one is given.
    """

    inherited: bool = False
    key_prefix: str = ""
    types: Iterable[EntryType | str] | None = None
    content: bool = True
    order: ListOrder | str = ListOrder.UNSPECIFIED
    filters: FilterOptions = field(default_factory=lambda: FilterOptions())


def list_entries(place: Place, listing: Listing, page_size: int = LIST_PAGE_SIZE) -> Call[Page[Entry]]:
    """List entries, page by page."""
    request = _listing_request(place, listing, page_size)
    return page_call(method.LIST_ENTRIES, request, lambda answer: [entry_from(entry) for entry in answer.entries])


def list_keys(place: Place, listing: Listing) -> Call[Page[str]]:
    """List keys, page by page."""
    request = _listing_request(place, listing, LIST_PAGE_SIZE)
    return page_call(method.LIST_ENTRIES, request, lambda answer: [entry.key for entry in answer.entries])


def count_entries(place: Place, listing: Listing) -> Call[int]:
    """Count entries."""
    return call(method.LIST_ENTRIES, _listing_request(place, listing, 1), lambda answer: answer.total_count)


def clear_entries(
    place: Place, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
) -> Call[int | ErasureReceipt]:
    """Remove all entries of the scope itself, or of the root."""
    request = pb.ClearEntriesRequest(
        erase=erase,
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.CLEAR_ENTRIES,
        request,
        removed(lambda answer: answer.cleared_entry_count, erase=erase),
        patience=erasing(erase=erase),
    )


def get_many(place: Place, keys: Iterable[str], *, local_only: bool) -> Call[dict[str, Entry]]:
    """Read many entries at one revision."""
    request = pb.BatchGetEntriesRequest(
        agent_id=place.agent_id, scope_id=place.scope_id, keys=strings_of("keys", keys), local_only=local_only
    )
    return call(
        method.BATCH_GET_ENTRIES, request, lambda answer: {entry.key: entry_from(entry) for entry in answer.entries}
    )


def write_batch(place: Place, operations: Iterable[pb.EntryOperation], *, erase: bool = False) -> Call[BatchResult]:
    """Change many keys at one revision."""
    request = pb.BatchWriteEntriesRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        operations=operations,
        request_id=new_request_id(),
        erase=erase,
    )
    return call(method.BATCH_WRITE_ENTRIES, request, batch_result_from, patience=erasing(erase=erase))


def set_operation(key: str, value: Any, options: SetOptions) -> pb.EntryOperation:
    """Return the operation of a batch that stores a value."""
    operation = pb.SetEntryOperation(key=key, precondition=condition_of(options))
    write_entry(operation, value, options)
    return pb.EntryOperation(set=operation)


def remove_operation(key: str, *, must_exist: bool = False, expected_revision: int | None = None) -> pb.EntryOperation:
    """Return the operation of a batch that removes a key."""
    precondition = precondition_of(must_exist=must_exist, expected_revision=expected_revision)
    return pb.EntryOperation(remove=pb.RemoveEntryOperation(key=key, precondition=precondition))


def _listing_request(place: Place, listing: Listing, page_size: int) -> pb.ListEntriesRequest:
    own = {"key_prefixes": [listing.key_prefix] if listing.key_prefix else None, "types": listing.types}
    return pb.ListEntriesRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        include_inherited=listing.inherited,
        filter=filter_of(listing.filters, entry=own),
        view=listing_pb2.RECORD_VIEW_FULL if listing.content else listing_pb2.RECORD_VIEW_WITHOUT_CONTENT,
        order=LIST_ORDER.number(listing.order),
        page_size=page_size,
    )
