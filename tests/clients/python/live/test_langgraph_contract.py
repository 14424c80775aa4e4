"""The contract of LangGraph's stores, checked for its in-memory store as well."""

from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from tests.daemon import Daemon

from memoryd.langgraph import MemorydStore

ODD = ["a b", "a/b", "a%2Fb", "%", "~", "ä\U0001f600", "tab\t", "line\n", "\x80", " ", "*", "item", "x" * 300]


@pytest.fixture(params=["memoryd", "in-memory"])
def store(request: pytest.FixtureRequest, shared_daemon: Daemon, agent_id: str) -> Iterator[BaseStore]:
    if request.param == "memoryd":
        with MemorydStore(shared_daemon.address, agent_id=agent_id) as store:
            yield store
    else:
        yield InMemoryStore()


def keys(found: list[Any]) -> set[str]:
    return {item.key for item in found}


def test_an_item_is_returned_as_it_was_put(store: BaseStore) -> None:
    value = {"text": "Ada likes tea", "n": 1, "f": 0.5, "none": None, "list": [1, {"x": True}], "ä": "\u2028"}
    store.put(("users", "ada"), "tea", value)
    item = store.get(("users", "ada"), "tea")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (("users", "ada"), "tea", value)
    assert item.created_at.tzinfo is not None
    assert store.get(("users", "ada"), "coffee") is None
    assert store.get(("users",), "tea") is None


def test_an_item_is_overwritten_and_deleted(store: BaseStore) -> None:
    store.put(("a",), "k", {"n": 1})
    store.put(("a",), "k", {"m": 2})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"m": 2}
    store.delete(("a",), "k")
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    assert store.search(("a",)) == []


def test_a_batch_reads_the_state_before_its_puts_and_stores_the_last_put_of_a_key(store: BaseStore) -> None:
    store.put(("a",), "old", {"n": 0})
    results = store.batch(
        [
            PutOp(("a",), "k", {"n": 1}),
            GetOp(("a",), "k"),
            PutOp(("a",), "old", None),
            GetOp(("a",), "old"),
            SearchOp(("a",)),
            ListNamespacesOp(),
            PutOp(("b",), "k", {"n": 2}),
            PutOp(("a",), "k", {"n": 3}),
        ]
    )
    put, missing, removed, old, found, namespaces, *more = results
    assert (put, missing, removed, more) == (None, None, None, [None, None])
    assert (old.value, [item.value for item in found], namespaces) == ({"n": 0}, [{"n": 0}], [("a",)])  # type: ignore[union-attr]
    assert [item.value for item in store.search(("a",))] == [{"n": 3}]
    assert store.get(("a",), "old") is None


def test_an_empty_batch_answers_nothing(store: BaseStore) -> None:
    assert store.batch([]) == []


def test_an_unknown_operation_is_refused(store: BaseStore) -> None:
    with pytest.raises(ValueError, match="str"):
        store.batch(["get"])  # type: ignore[list-item]


def test_sibling_namespaces_stay_apart(store: BaseStore) -> None:
    put = [("users", "1"), ("users", "10"), ("users", "1", "notes"), ("users",), ("users/1",), ("usersx", "1")]
    store.batch([PutOp(namespace, "k", {"of": list(namespace)}) for namespace in [*put, ("users.1",)]])
    assert [tuple(item.value["of"]) for item in store.search(("users", "1"))] == [
        ("users", "1"),
        ("users", "1", "notes"),
    ]
    assert len(store.search(("users",))) == 4
    for namespace in put:
        item = store.get(namespace, "k")
        assert item is not None
        assert tuple(item.value["of"]) == namespace
    assert ("users.1",) in store.list_namespaces()
    assert len(store.search(())) == 7


def test_a_key_is_not_taken_for_a_namespace(store: BaseStore) -> None:
    store.put(("a", "b"), "c", {"n": 1})
    store.put(("a",), "b/c", {"n": 2})
    store.put(("a",), "b", {"n": 3})
    store.put(("a", "b"), "", {"n": 4})
    found = {(item.namespace, item.key): item.value["n"] for item in store.search(("a",))}
    assert found == {(("a", "b"), "c"): 1, (("a",), "b/c"): 2, (("a",), "b"): 3, (("a", "b"), ""): 4}


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_labels_and_keys_come_back(store: BaseStore, odd: str) -> None:
    store.put((odd, "x", odd), odd, {"odd": odd})
    (found,) = store.search((odd,))
    assert (found.namespace, found.key, found.value) == ((odd, "x", odd), odd, {"odd": odd})
    assert store.list_namespaces(suffix=("x", odd)) == [(odd, "x", odd)]
    store.delete((odd, "x", odd), odd)
    assert store.search(()) == []


@pytest.mark.parametrize("namespace", [(), ("a", ""), ("a.b",), ("langgraph",), ("a\x00",), (1,)])
def test_an_invalid_namespace_is_refused(store: BaseStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, "1234"),
        ({"color": "red"}, "13"),
        ({"color": "red", "n": 3}, "3"),
        ({"n": {"$gt": 1, "$lt": 3}}, "2"),
        ({"n": {"$gte": 2}}, "234"),
        ({"n": {"$lte": 2.0}}, "12"),
        ({"n": {"$eq": 2}}, "2"),
        ({"color": {"$ne": "red"}}, "24"),
        ({"more": {"deep": {"x": 1}}}, "4"),
        ({"more": {"deep": {"y": 1}}}, ""),
        ({"more": {"tags": ["a", "b"]}}, "4"),
        ({"more": {"tags": ["a"]}}, ""),
        ({"color": None}, "4"),
        ({"nothing": 1}, ""),
    ],
    ids=str,
)
def test_a_search_keeps_what_passes_the_filter(store: BaseStore, wanted: Any, expected: str) -> None:
    store.put(("a",), "1", {"n": 1, "color": "red"})
    store.put(("a",), "2", {"n": 2, "color": "blue"})
    store.put(("a", "b"), "3", {"n": 3, "color": "red"})
    store.put(("a", "b"), "4", {"n": 4, "more": {"deep": {"x": 1}, "tags": ["a", "b"]}})
    store.put(("b",), "5", {"n": 1, "color": "red"})
    assert keys(store.search(("a",), filter=wanted)) == set(expected)


def test_an_unknown_operator_is_refused(store: BaseStore) -> None:
    store.put(("a",), "1", {"n": 1})
    with pytest.raises(ValueError, match=r"\$in"):
        store.search(("a",), filter={"n": {"$in": [1]}})


def test_a_search_is_paged(store: BaseStore) -> None:
    store.batch([PutOp(("a",), f"{number:02}", {"n": number}) for number in range(25)])
    assert len(store.search(("a",))) == 10
    pages = [store.search(("a",), limit=10, offset=offset) for offset in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    assert [item.value["n"] for page in pages for item in page] == list(range(25))
    odd = {"n": {"$gte": 5}}
    assert [item.value["n"] for item in store.search(("a",), filter=odd, limit=2, offset=3)] == [8, 9]
    assert store.search(("a",), limit=0) == []


def test_a_query_without_an_index_ranks_nothing(store: BaseStore) -> None:
    store.put(("a",), "1", {"text": "tea"})
    (found,) = store.search(("a",), query="coffee")
    assert (found.key, found.score) == ("1", None)


NAMESPACES = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("b", "f")]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, NAMESPACES),
        ({"prefix": ("a", "b"), "max_depth": 3}, [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]),
        ({"suffix": ("f",)}, [("a", "b", "f"), ("a", "c", "f"), ("b", "f")]),
        ({"prefix": ("a", "*", "f")}, [("a", "b", "f"), ("a", "c", "f")]),
        ({"prefix": ("*", "b"), "suffix": ("d", "*")}, [("a", "b", "d", "e"), ("a", "b", "d", "i")]),
        ({"prefix": ("a", "b", "c", "d")}, []),
        ({"max_depth": 1}, [("a",), ("b",)]),
        ({"limit": 2, "offset": 1}, NAMESPACES[1:3]),
        ({"offset": 9}, []),
    ],
    ids=str,
)
def test_namespaces_are_listed(store: BaseStore, wanted: dict[str, Any], expected: list[tuple[str, ...]]) -> None:
    store.batch([PutOp(namespace, key, {}) for namespace in reversed(NAMESPACES) for key in "kl"])
    assert store.list_namespaces(**wanted) == expected


def test_many_conditions_match_together(store: BaseStore) -> None:
    store.batch([PutOp(namespace, "k", {}) for namespace in NAMESPACES])
    conditions = (
        MatchCondition("prefix", ("a",)),
        MatchCondition("prefix", ("*", "c")),
        MatchCondition("suffix", ("f",)),
    )
    assert store.batch([ListNamespacesOp(conditions)]) == [[("a", "c", "f")]]
    with pytest.raises(ValueError, match="infix"):
        store.batch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])  # type: ignore[arg-type]
