"""Flows that read and write many entries, in batches that fit into a message."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from memoryd.errors import PageTokenExpired
from memoryd.model.entry import Entry
from memoryd.protocol.call import Call, Page
from memoryd.protocol.entry import LIST_PAGE_SIZE, Listing, Place, get_many, list_entries
from memoryd.v1.working_memory_service_pb2 import EntryOperation

T = TypeVar("T")

Flow = Generator[Call[Any], Any, T]

# An entry has up to 1 MiB, and a client receives messages of up to 64 MiB.
ENTRIES_READ_MAX = 50
# The daemon accepts batches of up to 1,000 operations and 16 MiB.
OPERATIONS_MAX = 1_000
OPERATIONS_BYTES_MAX = 8 * 1024 * 1024
# A listing expires if too much is written before its last page is read. It is then started again, up to this often.
LISTINGS_MAX = 10


def collect(
    place: Place,
    listing: Listing,
    keep: Callable[[Entry], T | None],
    *,
    enough: int | None = None,
    page_size: int = LIST_PAGE_SIZE,
) -> Flow[list[T]]:
    """Return the results of ``keep`` for the entries of one revision, without its Nones, at most ``enough``."""
    for attempt in range(1, LISTINGS_MAX + 1):
        try:
            return (yield from _collected(list_entries(place, listing, page_size), keep, enough))
        except PageTokenExpired:
            if attempt == LISTINGS_MAX:
                raise
    raise AssertionError("unreachable: the last listing returns or raises")


def _collected(call: Call[Page[Entry]], keep: Callable[[Entry], T | None], enough: int | None) -> Flow[list[T]]:
    kept: list[T] = []
    following: Call[Page[Entry]] | None = call
    while following is not None and len(kept) != enough:
        page: Page[Entry] = yield following
        items = (item for item in map(keep, page.items) if item is not None)
        kept += items if enough is None else islice(items, enough - len(kept))
        following = page.following
    return kept


def read(place: Place, keys: Iterable[str]) -> Flow[dict[str, Entry]]:
    """Return the entries of any number of keys. Each 50 of them are read at one revision."""
    wanted = list(dict.fromkeys(keys))
    entries: dict[str, Entry] = {}
    for start in range(0, len(wanted), ENTRIES_READ_MAX):
        entries |= yield get_many(place, wanted[start : start + ENTRIES_READ_MAX], local_only=True)
    return entries


def in_messages(operations: Iterable[EntryOperation]) -> Iterator[Sequence[EntryOperation]]:
    """Yield the operations in their order, in batches that the daemon accepts."""
    gathered: list[EntryOperation] = []
    gathered_bytes = 0
    for operation in operations:
        size = operation.ByteSize()
        if gathered and (len(gathered) == OPERATIONS_MAX or gathered_bytes + size > OPERATIONS_BYTES_MAX):
            yield gathered
            gathered, gathered_bytes = [], 0
        gathered.append(operation)
        gathered_bytes += size
    if gathered:
        yield gathered
