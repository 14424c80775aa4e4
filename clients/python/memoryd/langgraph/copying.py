"""The flow that copies a thread."""

from collections.abc import Iterable

from memoryd.langgraph.listing import ENTRIES_READ_MAX, Flow, collect, in_messages, read
from memoryd.langgraph.thread import CHECKPOINTS, THREAD
from memoryd.model.entry import Entry
from memoryd.model.value import Json
from memoryd.protocol.entry import Listing, Place, set_operation, write_batch


def copy_thread(source: Place, target: Place, target_id: str) -> Flow[None]:
    """Copy a thread: first the values of channels, then the checkpoints with their writes, the oldest first.

    In this order every checkpoint in the target is complete, even if the copy is interrupted. Repeating it completes
    the copy.
    """
    checkpoints = yield from collect(source, Listing(key_prefix=CHECKPOINTS, content=False), lambda entry: entry.key)
    if not checkpoints:
        return
    blobs = yield from collect(source, Listing(key_prefix="blob/", content=False), lambda entry: entry.key)
    # In reverse order of keys, a checkpoint also comes after its writes, and a head after its pieces.
    yield from _copy(source, target, reversed(blobs))
    yield from _copy(source, target, reversed(checkpoints))
    yield write_batch(target, [set_operation(THREAD, target_id, {})])


def _copy(source: Place, target: Place, keys: Iterable[str]) -> Flow[None]:
    left = list(keys)
    while left:
        some, left = left[:ENTRIES_READ_MAX], left[ENTRIES_READ_MAX:]
        entries = yield from read(source, some)
        found: list[Entry] = [entries[key] for key in some if key in entries]
        operations = (set_operation(entry.key, Json(entry.value_json), {}) for entry in found)
        for message in in_messages(operations):
            yield write_batch(target, message)
