"""The items of a store as entries: an entry's key, and the JSON object that is its value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langgraph.store.base import Item, SearchItem

from memoryd.adapter.name import KEY_BYTES_MAX, escape, unescape
from memoryd.model.entry import Entry
from memoryd.protocol.entry import set_operation
from memoryd.v1.working_memory_service_pb2 import EntryOperation

ITEMS = "item/"

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item as it is stored, at a revision of its entry.

    ``ttl`` is in minutes; None if the item does not expire. ``vectors`` has the packed vectors of texts, by path.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    revision: int
    ttl: float | None = None
    vectors: Mapping[str, str] = field(default_factory=dict)

    def item(self) -> Item:
        """Return the item as LangGraph's type."""
        return Item(
            namespace=self.namespace,
            key=self.key,
            value=self.value,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )

    def search_item(self, score: float | None) -> SearchItem:
        """Return the item as a result of a search."""
        return SearchItem(self.namespace, self.key, self.value, self.created_at, self.updated_at, score)


def namespace_prefix(namespace: Namespace) -> str:
    """Return the prefix of the keys of the namespace and of those below it, which no other namespace has."""
    return ITEMS + "".join(f"{escape(label)}/" for label in namespace)


def item_key(namespace: Namespace, key: str) -> str:
    """Return the entry's key. Raises ValueError if it is too long."""
    name = namespace_prefix(namespace) + escape(key)
    if (size := len(name.encode())) > KEY_BYTES_MAX:
        raise ValueError(
            f"namespace {namespace!r} and key {key!r} have {size} bytes together: at most {KEY_BYTES_MAX} are allowed"
        )
    return name


def namespace_of(entry_key: str) -> Namespace:
    """Return the namespace of an item's entry."""
    return tuple(unescape(label) for label in entry_key.removeprefix(ITEMS).split("/")[:-1])


def stored_item(entry: Entry) -> StoredItem:
    """Return the item of an entry."""
    document = entry.value
    updated_at = document.get("updated_at")
    return StoredItem(
        namespace=namespace_of(entry.key),
        key=unescape(entry.key.rpartition("/")[2]),
        value=document["value"],
        created_at=entry.create_time,
        updated_at=entry.update_time if updated_at is None else datetime.fromisoformat(updated_at),
        revision=entry.revision,
        ttl=document.get("ttl"),
        vectors=document.get("vectors", {}),
    )


def put_operation(
    entry_key: str, value: Mapping[str, Any], ttl: float | None, vectors: Mapping[str, str]
) -> EntryOperation:
    """Return the operation that stores an item with a ttl in minutes."""
    document = _document(value, ttl, vectors)
    return set_operation(entry_key, document, {} if ttl is None else {"ttl": ttl * 60})


def refresh_operation(item: StoredItem, ttl: float) -> EntryOperation:
    """Return the operation that restarts an item's ttl, unless the item has changed meanwhile."""
    document = _document(item.value, ttl, item.vectors)
    # The entry is written, which changes its update time, but the item is not updated.
    document["updated_at"] = item.updated_at.isoformat()
    entry_key = item_key(item.namespace, item.key)
    return set_operation(entry_key, document, {"ttl": ttl * 60, "expected_revision": item.revision})


def _document(value: Mapping[str, Any], ttl: float | None, vectors: Mapping[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = {"value": dict(value)}
    if ttl is not None:
        document["ttl"] = ttl
    if vectors:
        document["vectors"] = dict(vectors)
    return document
