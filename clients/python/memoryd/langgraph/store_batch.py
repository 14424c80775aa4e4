"""The flow of one batch of a store's operations."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeVar

from langgraph.store.base import GetOp, ListNamespacesOp, Op, PutOp, Result, SearchOp

from memoryd.errors import RevisionMismatch
from memoryd.langgraph.item import StoredItem, item_key, put_operation, refresh_operation, stored_item
from memoryd.langgraph.listing import Flow, in_messages, read
from memoryd.langgraph.search import list_namespaces, search
from memoryd.langgraph.vector import VectorIndex, embedded
from memoryd.protocol.entry import Place, remove_operation, write_batch
from memoryd.protocol.update import RACES_MAX

Kind = TypeVar("Kind", bound=Op)


def batch(place: Place, ops: Iterable[Op], index: VectorIndex | None) -> Generator[Any, Any, list[Result]]:
    """Return the results of the operations in their order.

    All reads come before the puts. All puts are one change; of several puts to one key, the last is stored.
    """
    operations = list(ops)
    for op in operations:
        if not isinstance(op, GetOp | SearchOp | ListNamespacesOp | PutOp):
            raise ValueError(f"unknown operation {type(op).__name__}: use GetOp, SearchOp, ListNamespacesOp or PutOp")
    results: list[Result] = [None] * len(operations)
    refreshed: dict[str, StoredItem] = {}
    yield from _get(place, operations, results, refreshed)
    for number, op in enumerate(operations):
        if isinstance(op, SearchOp):
            found = yield from search(place, op, index)
            results[number] = [item.search_item(score) for item, score in found]
            if op.refresh_ttl:
                refreshed |= {item_key(item.namespace, item.key): item for item, _ in found}
        elif isinstance(op, ListNamespacesOp):
            results[number] = yield from list_namespaces(place, op)
    puts = {item_key(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
    vectors = yield from embedded(index, puts.values())
    yield from _refresh(place, [item for key, item in refreshed.items() if key not in puts])
    if puts:
        yield write_batch(
            place,
            [
                remove_operation(key, expected_revision=None)
                if op.value is None
                else put_operation(key, op.value, op.ttl, vectors_of_item)
                for (key, op), vectors_of_item in zip(puts.items(), vectors, strict=True)
            ],
        )
    return results


def _get(place: Place, ops: Sequence[Op], results: list[Result], refreshed: dict[str, StoredItem]) -> Flow[None]:
    keys = {number: item_key(op.namespace, op.key) for number, op in enumerate(ops) if isinstance(op, GetOp)}
    entries = yield from read(place, keys.values())
    for number, key in keys.items():
        op = ops[number]
        if key in entries and isinstance(op, GetOp):
            item = stored_item(entries[key])
            results[number] = item.item()
            if op.refresh_ttl:
                refreshed[key] = item


def _refresh(place: Place, items: Iterable[StoredItem]) -> Flow[None]:
    """Restart the ttl of items. Items that another writer changed meanwhile are read again first."""
    for race in range(1, RACES_MAX + 1):
        expiring = [(item, item.ttl) for item in items if item.ttl is not None]
        try:
            for operations in in_messages(refresh_operation(item, ttl) for item, ttl in expiring):
                yield write_batch(place, operations)
        except RevisionMismatch:
            if race == RACES_MAX:
                raise
            entries = yield from read(place, [item_key(item.namespace, item.key) for item, _ in expiring])
            items = [stored_item(entry) for entry in entries.values()]
        else:
            return
