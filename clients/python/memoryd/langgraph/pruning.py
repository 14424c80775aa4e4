"""The flows that remove checkpoints, and the values that no other checkpoint needs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.errors import RevisionMismatch
from memoryd.langgraph.checkpoint import StoredCheckpoint
from memoryd.langgraph.history import read_documents
from memoryd.langgraph.listing import OPERATIONS_MAX, Flow, collect
from memoryd.langgraph.thread import CHECKPOINTS, THREAD, age_of, checkpoint_of, document_of
from memoryd.model.entry import Entry
from memoryd.model.value import Json
from memoryd.protocol.entry import Listing, Place, get_entry, remove_operation, set_operation, write_batch
from memoryd.protocol.update import RACES_MAX

Checkpoints = Mapping[str, StoredCheckpoint]
"""The checkpoints of a thread by their keys."""


def prune(place: Place, keep: Callable[[Checkpoints], Collection[str]]) -> Flow[None]:
    """Remove the checkpoints of a thread whose keys ``keep`` does not return.

    If a checkpoint is stored meanwhile, it may need values that are about to be removed: the flow starts again.
    """
    for race in range(1, RACES_MAX + 1):
        thread: Entry | None = yield get_entry(place, THREAD, local_only=True)
        if thread is None:
            return
        keys = yield from collect(place, Listing(content=False), lambda entry: entry.key)
        checkpoints = yield from _checkpoints(place, keys)
        kept = keep(checkpoints)
        if len(kept) == len(checkpoints):
            return
        try:
            yield from _remove(place, thread, _unneeded(keys, checkpoints, kept))
        except RevisionMismatch:
            if race == RACES_MAX:
                raise
        else:
            return


def latest(serde: SerializerProtocol, checkpoints: Checkpoints) -> set[str]:
    """Return the keys of the newest checkpoint of each namespace, and of those that its channels are rebuilt from."""
    newest: dict[str, StoredCheckpoint] = {}
    for checkpoint in checkpoints.values():
        known = newest.get(checkpoint.checkpoint_ns)
        if known is None or known.checkpoint_id < checkpoint.checkpoint_id:
            newest[checkpoint.checkpoint_ns] = checkpoint
    return {key for checkpoint in newest.values() for key in _chain(serde, checkpoint, checkpoints)}


def _chain(serde: SerializerProtocol, checkpoint: StoredCheckpoint, checkpoints: Checkpoints) -> Iterable[str]:
    """Yield the keys of a checkpoint and of the ancestors that hold values of which it has only the changes."""
    yield checkpoint.key
    counters = checkpoint.metadata_by(serde).get("counters_since_delta_snapshot") or {}
    rebuilt = {channel for channel in counters if not _holds(checkpoint, channel)}
    current: StoredCheckpoint | None = checkpoint
    while rebuilt and current is not None:
        current = _parent(current, checkpoints)
        if current is not None:
            yield current.key
            rebuilt = {channel for channel in rebuilt if not _holds(current, channel)}


def _holds(checkpoint: StoredCheckpoint, channel: str) -> bool:
    return channel in checkpoint.blobs or channel in checkpoint.inlined


def _parent(checkpoint: StoredCheckpoint, checkpoints: Checkpoints) -> StoredCheckpoint | None:
    for each in checkpoints.values():
        if (each.checkpoint_ns, each.checkpoint_id) == (checkpoint.checkpoint_ns, checkpoint.parent_id):
            return each
    return None


def _checkpoints(place: Place, keys: Iterable[str]) -> Flow[dict[str, StoredCheckpoint]]:
    heads = [key for key in keys if key.startswith(CHECKPOINTS) and key == checkpoint_of(key)]
    documents: dict[str, dict[str, Any]] = yield from read_documents(place, heads)
    return {key: StoredCheckpoint.from_document(document) for key, document in documents.items()}


def _unneeded(keys: Iterable[str], checkpoints: Checkpoints, kept: Collection[str]) -> list[str]:
    """Return the keys to remove: first checkpoints with their writes, then the blobs that no kept checkpoint needs.

    In this order every checkpoint stays complete if the removal is interrupted.
    """
    newest: dict[str, str] = {}
    for key in checkpoints:
        namespace = key.split("/")[1]
        newest[namespace] = min(age_of(key), newest.get(namespace, age_of(key)))

    def is_unneeded(checkpoint: str) -> bool:
        if checkpoint in checkpoints:
            return checkpoint not in kept
        # Writes may be stored before their checkpoint, which then is newer than all existing ones: these writes stay.
        return age_of(checkpoint) > newest.get(checkpoint.split("/")[1], "~")

    used = {blob for key in kept for blob in checkpoints[key].blob_keys.values()}
    removed = [key for key in keys if key.startswith(CHECKPOINTS) and is_unneeded(checkpoint_of(key))]
    return removed + [key for key in keys if key.startswith("blob/") and document_of(key) not in used]


def _remove(place: Place, thread: Entry, keys: list[str]) -> Flow[None]:
    # Each batch also writes the thread's entry, on condition of its revision: storing a checkpoint changes that.
    revision = thread.revision
    step = OPERATIONS_MAX - 1
    for start in range(0, len(keys), step):
        operations = [set_operation(THREAD, Json(thread.value_json), {"expected_revision": revision})]
        operations += [remove_operation(key, expected_revision=None) for key in keys[start : start + step]]
        revision = (yield write_batch(place, operations)).revision
