"""The flows that search items and list namespaces."""

from collections.abc import Generator, Iterable
from typing import Any

from langgraph.store.base import ListNamespacesOp, MatchCondition, SearchOp

from memoryd.langgraph.filter import passes
from memoryd.langgraph.item import Namespace, StoredItem, namespace_of, namespace_prefix, stored_item
from memoryd.langgraph.listing import Flow, collect
from memoryd.langgraph.vector import EmbedQuery, VectorIndex, score, unit
from memoryd.model.entry import Entry
from memoryd.protocol.entry import LIST_PAGE_SIZE, Listing, Place

WILDCARD = "*"

Found = tuple[StoredItem, float | None]


def search(place: Place, op: SearchOp, index: VectorIndex | None) -> Generator[Any, Any, list[Found]]:
    """Return the items below a namespace that pass the filter, with their scores.

    In order of namespace and key; for a query, the nearest first, and those without a vector last.
    """
    end = op.offset + op.limit
    if min(op.offset, op.limit) < 0:
        raise ValueError("limit and offset must not be negative")
    query: list[float] | None = None
    if op.query and index is not None:
        (vector,) = index.checked([(yield EmbedQuery(op.query))], 1)
        query = unit(vector)

    def keep(entry: Entry) -> Found | None:
        item = stored_item(entry)
        if not passes(item.value, op.filter):
            return None
        return item, None if query is None else score(query, item.vectors.values())

    listing = Listing(key_prefix=namespace_prefix(op.namespace_prefix))
    if query is not None:
        found = yield from collect(place, listing, keep)
        found.sort(key=_by_score)
    else:
        # Without a filter, the first page has all requested items.
        page_size = LIST_PAGE_SIZE if op.filter else min(max(end, 1), LIST_PAGE_SIZE)
        found = yield from collect(place, listing, keep, enough=end, page_size=page_size)
    return found[op.offset : end]


def _by_score(found: Found) -> float:
    return float("inf") if found[1] is None else -found[1]


def list_namespaces(place: Place, op: ListNamespacesOp) -> Flow[list[Namespace]]:
    """Return the namespaces that have items and match all conditions, truncated to the depth, in their order."""
    conditions = op.match_conditions or ()

    def keep(entry: Entry) -> Namespace | None:
        namespace = namespace_of(entry.key)
        return namespace if all(_matches(namespace, each) for each in conditions) else None

    listing = Listing(key_prefix=namespace_prefix(_known_start(conditions)), content=False)
    matching = yield from collect(place, listing, keep)
    namespaces = sorted({namespace[: op.max_depth] for namespace in matching})
    return namespaces[op.offset : op.offset + op.limit]


def _known_start(conditions: Iterable[MatchCondition]) -> Namespace:
    """Return the labels that every matching namespace begins with."""
    known: list[Namespace] = [()]
    for condition in conditions:
        if condition.match_type == "prefix":
            path = condition.path
            known.append(path[: path.index(WILDCARD)] if WILDCARD in path else path)
    return max(known, key=len)


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in {"prefix", "suffix"}:
        raise ValueError(f"unknown match type {condition.match_type!r}: use 'prefix' or 'suffix'")
    if len(namespace) < len(path):
        return False
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(expected in (WILDCARD, label) for label, expected in zip(labels, path, strict=True))
