"""The flows that read checkpoints."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.errors import PageTokenExpired
from memoryd.langgraph.checkpoint import StoredCheckpoint
from memoryd.langgraph.document import document_in, missing_pieces, untyped
from memoryd.langgraph.listing import LISTINGS_MAX, Flow, collect, read
from memoryd.langgraph.pending_write import pending_writes
from memoryd.langgraph.thread import CHECKPOINTS, age_of, checkpoint_of, namespace_prefix, newest_first
from memoryd.model.entry import Entry
from memoryd.protocol.call import Call, Page
from memoryd.protocol.entry import Listing, Place, list_entries

# A page of this size has most checkpoints with all of their writes.
ENTRIES_LISTED = 64
CHECKPOINTS_READ_MAX = 16

Entries = dict[str, Entry]


def newest(place: Place, prefix: str, serde: SerializerProtocol, thread_id: str) -> Flow[CheckpointTuple | None]:
    """Return the newest checkpoint whose key has the prefix; None if there is none."""
    while True:
        entries = yield from _newest_entries(place, prefix)
        if entries is None:
            return None
        found = yield from _complete(place, entries, serde, thread_id)
        if found is not None:
            return found


@dataclass(frozen=True, slots=True)
class Query:
    """The filters of a listing of checkpoints.

    ``checkpoint_ns`` None means all namespaces. Only checkpoints whose ids are less than ``before`` pass, and whose
    metadata has all items of ``metadata``.
    """

    checkpoint_ns: str | None = None
    checkpoint_id: str | None = None
    before: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def keeps(self, checkpoint: str) -> bool:
        """Return True if the checkpoint of this key passes the filters of ids."""
        age = age_of(checkpoint)
        return (self.checkpoint_id is None or age == newest_first(self.checkpoint_id)) and (
            self.before is None or age > newest_first(self.before)
        )


def history(
    place: Place, serde: SerializerProtocol, thread_id: str, query: Query, limit: int | None
) -> Generator[Call[Any] | CheckpointTuple, Any, int]:
    """Yield the checkpoints of a thread, the newest of each namespace first, and return their number."""
    prefix = CHECKPOINTS if query.checkpoint_ns is None else namespace_prefix(query.checkpoint_ns)
    keys = yield from collect(place, Listing(key_prefix=prefix, content=False), lambda entry: entry.key)
    groups = {key: list(group) for key, group in groupby(keys, checkpoint_of)}
    left = [key for key in groups if query.keeps(key)]
    count = 0
    while left and count != limit:
        size = CHECKPOINTS_READ_MAX if limit is None else min(limit - count, CHECKPOINTS_READ_MAX)
        some, left = left[:size], left[size:]
        entries = yield from read(place, (key for checkpoint in some for key in groups[checkpoint]))
        for checkpoint in some:
            own = {key: entries[key] for key in groups[checkpoint] if key in entries}
            if count != limit and _has_metadata(serde, checkpoint, own, query.metadata):
                found = yield from _complete(place, own, serde, thread_id)
                if found is not None:
                    count += 1
                    yield found
    return count


def _has_metadata(serde: SerializerProtocol, checkpoint: str, entries: Entries, wanted: Mapping[str, Any]) -> bool:
    document = document_in(checkpoint, entries)
    if document is None:
        return False
    metadata: Mapping[str, Any] = untyped(serde, document["metadata"]) if wanted else {}
    return all(metadata.get(name) == value for name, value in wanted.items())


def _newest_entries(place: Place, prefix: str) -> Flow[Entries | None]:
    """Return the entries of the newest checkpoint, at one revision; None if there is none.

    A task's writes may be stored before their checkpoint is: such writes are skipped.
    """
    for attempt in range(1, LISTINGS_MAX + 1):
        try:
            return (yield from _first_with_checkpoint(list_entries(place, Listing(key_prefix=prefix), ENTRIES_LISTED)))
        except PageTokenExpired:
            if attempt == LISTINGS_MAX:
                raise
    raise AssertionError("unreachable: the last listing returns or raises")


def _first_with_checkpoint(listing: Call[Page[Entry]]) -> Flow[Entries | None]:
    entries: Entries = {}
    checkpoint = ""
    following: Call[Page[Entry]] | None = listing
    while following is not None:
        page: Page[Entry] = yield following
        for entry in page.items:
            if checkpoint_of(entry.key) != checkpoint:
                if checkpoint in entries:
                    return entries
                checkpoint, entries = checkpoint_of(entry.key), {}
            entries[entry.key] = entry
        following = page.following
    return entries if checkpoint in entries else None


def _complete(
    place: Place, entries: Entries, serde: SerializerProtocol, thread_id: str
) -> Flow[CheckpointTuple | None]:
    """Return the checkpoint of these entries with its blobs; None if it was removed meanwhile."""
    checkpoint = checkpoint_of(next(iter(entries)))
    while True:
        document = document_in(checkpoint, entries)
        if document is None:
            return None
        stored = StoredCheckpoint.from_document(document)
        blobs = yield from read_documents(place, stored.blob_keys.values())
        again = entries
        # The blobs are read after the checkpoint: one is missing if the checkpoint was removed or replaced in between.
        # If the checkpoint is unchanged, it is returned without that value.
        if len(blobs) < len(stored.blobs):
            again = (yield from _newest_entries(place, checkpoint)) or {}
        if checkpoint in again and again[checkpoint].revision == entries[checkpoint].revision:
            values = {
                channel: untyped(serde, blobs[key]["value"])
                for channel, key in stored.blob_keys.items()
                if key in blobs
            }
            return stored.tuple_of(serde, thread_id, values, pending_writes(serde, checkpoint, entries))
        entries = again


def read_documents(place: Place, keys: Iterable[str]) -> Flow[dict[str, dict[str, Any]]]:
    """Return the documents of these keys, without those that do not exist."""
    wanted = list(keys)
    entries = yield from read(place, wanted)
    entries |= yield from read(place, (piece for key in wanted for piece in missing_pieces(key, entries)))
    documents = {key: document_in(key, entries) for key in wanted}
    return {key: document for key, document in documents.items() if document is not None}
