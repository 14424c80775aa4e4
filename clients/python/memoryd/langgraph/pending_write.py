"""The pending writes of tasks after a checkpoint: one document for each task."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.base import WRITES_IDX_MAP, PendingWrite, writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.errors import RevisionMismatch
from memoryd.langgraph.document import document_in, typed, untyped, values_of
from memoryd.langgraph.listing import Flow, collect
from memoryd.model.entry import Entry
from memoryd.protocol.entry import Listing, Place, remove_operation, set_operation, write_batch
from memoryd.protocol.update import RACES_MAX

Writes = dict[int, dict[str, Any]]
"""The writes of a task by their number, which is negative for special channels."""


def put_writes(
    place: Place,
    key: str,
    serde: SerializerProtocol,
    writes: Sequence[tuple[str, Any]],
    task_id: str,
    task_path: str,
) -> Flow[None]:
    """Store the writes of a task. Existing writes stay, except those of special channels, which are replaced.

    Concurrent writes of the same task are merged: none is lost.
    """
    new: Writes = {
        WRITES_IDX_MAP.get(channel, number): {"channel": channel, "value": typed(serde, value), "path": task_path}
        for number, (channel, value) in enumerate(writes)
    }
    known: Writes = {}
    entries: dict[str, Entry] = {}
    for race in range(1, RACES_MAX + 1):
        merged = {**new, **known, **{number: write for number, write in new.items() if number < 0}}
        if merged == known:
            return
        document = {"task": task_id, "writes": {str(number): write for number, write in merged.items()}}
        try:
            yield _replace(place, key, document, entries)
        except RevisionMismatch:
            if race == RACES_MAX:
                raise
            entries = yield from _stored(place, key)
            known = _writes_in(document_in(key, entries) or {})
        else:
            return


def pending_writes(serde: SerializerProtocol, checkpoint: str, entries: Mapping[str, Entry]) -> list[PendingWrite]:
    """Return the writes among all entries of a checkpoint, in the order in which they are applied."""
    found = []
    for key in _write_keys(checkpoint, entries):
        document = document_in(key, entries)
        if document is not None:
            task_id = document["task"]
            for number, write in _writes_in(document).items():
                order = writes_sort_key(write["path"], task_id, number)
                found.append((order, (task_id, write["channel"], untyped(serde, write["value"]))))
    return [write for _, write in sorted(found, key=lambda each: each[0])]


def _write_keys(checkpoint: str, keys: Iterable[str]) -> list[str]:
    """Return the keys of the documents of writes among those of a checkpoint, without their pieces."""
    start = f"{checkpoint}write/"
    return [key for key in keys if key.startswith(start) and "/" not in key.removeprefix(start)]


def _replace(place: Place, key: str, document: Mapping[str, Any], entries: Mapping[str, Entry]) -> Any:
    """Return the call that stores a document, unless its entry has changed since it was read."""
    head = entries.get(key)
    values = dict(values_of(key, document))
    operations = [
        set_operation(each, value, {"expected_revision": head.revision if head else 0} if each == key else {})
        for each, value in values.items()
    ]
    operations += [remove_operation(each, expected_revision=None) for each in entries if each not in values]
    return write_batch(place, operations)


def _stored(place: Place, key: str) -> Flow[dict[str, Entry]]:
    """Return the entries of a document at one revision."""
    start = f"{key}/"
    found = yield from collect(
        place,
        Listing(key_prefix=key),
        lambda entry: entry if entry.key == key or entry.key.startswith(start) else None,
    )
    return {entry.key: entry for entry in found}


def _writes_in(document: Mapping[str, Any]) -> Writes:
    return {int(number): write for number, write in document.get("writes", {}).items()}
