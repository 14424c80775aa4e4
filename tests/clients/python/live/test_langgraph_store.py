"""The behaviour of the LangGraph store beyond its contract, over a live daemon."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.base import GetOp, PutOp, SearchOp
from tests.daemon import Daemon
from tests.wait import PATIENT, until

import memoryd
from memoryd import errors
from memoryd.langgraph import MemorydStore

WORDS = ["tea", "coffee", "lisbon", "porto"]
SECOND = 1 / 60


@pytest.fixture
def store(shared_daemon: Daemon, agent_id: str) -> Iterator[MemorydStore]:
    with MemorydStore(shared_daemon.address, agent_id=agent_id) as store:
        yield store


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(text.lower().count(word)) for word in WORDS] for text in texts]


@pytest.fixture
def indexed(client: memoryd.Client, agent_id: str) -> MemorydStore:
    return MemorydStore(client, agent_id=agent_id, index={"dims": 4, "embed": embed, "fields": ["text"]})


def test_the_puts_of_a_batch_are_one_change(store: MemorydStore, agent: memoryd.Agent) -> None:
    store.batch([PutOp(("a",), str(number), {"n": number}) for number in range(100)])
    assert {event.revision for event in agent.events()} == {1}


def test_a_batch_that_is_refused_leaves_nothing(store: MemorydStore) -> None:
    with pytest.raises(errors.TooLarge) as refused:
        store.batch([PutOp(("a",), "small", {"n": 1}), PutOp(("a",), "large", {"text": "x" * 1024 * 1024})])
    assert refused.value.limit == "entry_bytes"
    with pytest.raises(errors.UnsupportedValue):
        store.batch([PutOp(("a",), "good", {"n": 1}), PutOp(("a",), "bad", {"of": object()})])
    with pytest.raises(errors.InvalidArgument):
        store.batch([PutOp(("a",), str(number), {}) for number in range(1_001)])
    assert store.search(()) == []


def test_no_reader_sees_half_a_batch(store: MemorydStore) -> None:
    done = threading.Event()

    def write() -> None:
        for number in range(100):
            store.batch([PutOp(("a",), key, {"n": number}) for key in "xyz"])
        done.set()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not done.is_set():
            read = store.batch([GetOp(("a",), key) for key in "xyz"])
            assert len({item.value["n"] if item else None for item in read}) == 1  # type: ignore[union-attr]
            assert len({item.value["n"] for item in store.search(("a",))}) <= 1
        writing.result()


def test_large_values_come_back(store: MemorydStore) -> None:
    text = "ä" * 500_000
    store.batch([PutOp(("a",), str(number), {"text": text, "n": number}) for number in range(5)])
    assert [item.value["text"] for item in store.search(("a",))] == [text] * 5
    assert [item and item.value["n"] for item in store.batch([GetOp(("a",), str(n)) for n in range(5)])] == [
        0,
        1,
        2,
        3,
        4,
    ]  # type: ignore[union-attr]


def test_a_name_that_is_too_long_is_refused(store: MemorydStore) -> None:
    store.put(("n" * 500,), "k" * 518, {})
    with pytest.raises(ValueError, match="have 1025 bytes together: at most 1024"):
        store.put(("n" * 500,), "k" * 519, {})
    with pytest.raises(ValueError, match="at most 1024"):
        store.get(("ä" * 600,), "k")


def test_the_time_of_creation_stays_while_many_update(store: MemorydStore) -> None:
    store.put(("a",), "k", {"n": -1})
    created = store.get(("a",), "k")
    assert created is not None
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.put(("a",), "k", {"n": number}), range(100)))
    updated = store.get(("a",), "k")
    assert updated is not None
    assert updated.created_at == created.created_at
    assert updated.updated_at > created.updated_at
    store.delete(("a",), "k")
    store.put(("a",), "k", {})
    again = store.get(("a",), "k")
    assert again is not None
    assert again.created_at > created.created_at


def expire_time(agent: memoryd.Agent) -> datetime:
    (entry,) = agent.entries()
    assert entry.expire_time is not None
    return entry.expire_time


def until_past(moment: datetime) -> None:
    until(lambda: datetime.now(UTC) > moment, f"it is later than {moment}")


def test_an_item_is_never_returned_after_its_expiry(store: MemorydStore, agent: memoryd.Agent) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=SECOND)
    store.put(("b",), "stays", {})
    deadline = next(entry.expire_time for entry in agent.entries() if entry.expire_time)
    asked = datetime.now(UTC)
    while (item := store.get(("a",), "k", refresh_ttl=False)) is not None:
        assert item.value == {"n": 1}
        assert asked < deadline
        asked = datetime.now(UTC)
    assert datetime.now(UTC) >= deadline
    assert store.search(("a",)) == []
    assert store.list_namespaces() == [("b",)]


def test_reading_lets_an_item_live_for_its_whole_time_again(store: MemorydStore, agent: memoryd.Agent) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=10)
    first = expire_time(agent)
    before = store.get(("a",), "k", refresh_ttl=False)
    assert expire_time(agent) == first
    assert store.get(("a",), "k") == before
    second = expire_time(agent)
    assert second > first
    (found,) = store.search(("a",))
    third = expire_time(agent)
    assert third > second
    store.search(("a",), filter={"n": 2})
    store.search(("a",), refresh_ttl=False)
    assert expire_time(agent) == third
    assert before is not None
    assert (found.created_at, found.updated_at, found.value) == (before.created_at, before.updated_at, before.value)
    assert store.get(("a",), "k") == before


def test_a_put_gives_a_new_time_to_live_or_none(store: MemorydStore, agent: memoryd.Agent) -> None:
    store.put(("a",), "k", {}, ttl=SECOND)
    first = expire_time(agent)
    store.put(("a",), "k", {}, ttl=10)
    assert expire_time(agent) > first
    store.put(("a",), "k", {})
    until_past(first)
    assert store.get(("a",), "k") is not None
    assert [entry.expire_time for entry in agent.entries()] == [None]


def test_the_configured_time_to_live_is_the_default(client: memoryd.Client, agent: memoryd.Agent) -> None:
    store = MemorydStore(client, agent_id=agent.agent_id, ttl={"default_ttl": 5, "refresh_on_read": False})
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    store.put(("a",), "k", {})
    first = expire_time(agent)
    assert before <= first - timedelta(minutes=5) <= datetime.now(UTC)
    assert store.get(("a",), "k") is not None
    assert expire_time(agent) == first
    assert store.get(("a",), "k", refresh_ttl=True) is not None
    assert expire_time(agent) > first
    store.put(("a",), "k", {}, ttl=None)
    assert [entry.expire_time for entry in agent.entries()] == [None]


@pytest.mark.whole
def test_reading_never_undoes_what_another_puts(store: MemorydStore) -> None:
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            store.batch([GetOp(("a",), "k"), SearchOp(("a",))])

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        try:
            for number in range(50):
                store.put(("a",), "k", {"n": number}, ttl=10)
                item = store.get(("a",), "k")
                assert item is not None
                assert item.value == {"n": number}
            store.delete(("a",), "k")
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert store.get(("a",), "k") is None


def test_other_entries_of_the_agent_are_left_alone(store: MemorydStore, agent: memoryd.Agent) -> None:
    agent.set("user", "Ada")
    store.put(("a",), "k", {"n": 1})
    assert len(store.search(())) == 1
    assert agent.get("item/a/k") == {"value": {"n": 1}}
    assert agent.get("user") == "Ada"


def test_a_filter_never_compares_what_has_no_order(store: MemorydStore) -> None:
    for key, value in {"text": "b", "none": None, "number": 2, "bool": True, "list": [3]}.items():
        store.put(("a",), key, {"x": value})
    store.put(("a",), "missing", {})
    assert [item.key for item in store.search((), filter={"x": {"$gt": 1}})] == ["number"]
    assert [item.key for item in store.search((), filter={"x": {"$lt": "c"}})] == ["text"]
    with pytest.raises(ValueError, match="negative"):
        store.search((), limit=-1)


def test_a_query_finds_the_nearest_first(indexed: MemorydStore) -> None:
    indexed.put(("a",), "both", {"text": "tea and coffee"})
    indexed.put(("a",), "tea", {"text": "Tea, tea, tea"})
    indexed.put(("a",), "porto", {"text": "Porto"})
    indexed.put(("a",), "hidden", {"text": "tea"}, index=False)
    indexed.put(("a",), "other", {"text": "Porto", "drinks": ["coffee", "tea"]}, index=["drinks[*]"])
    indexed.put(("b",), "tea", {"text": "tea"})
    found = indexed.search(("a",), query="tea")
    assert [item.key for item in found] == ["other", "tea", "both", "porto", "hidden"]
    assert [item.score for item in found] == [pytest.approx(1), pytest.approx(1), pytest.approx(0.5**0.5), 0, None]
    assert [item.key for item in indexed.search(("a",), query="tea", limit=2, offset=1)] == ["tea", "both"]
    assert [item.key for item in indexed.search(("a",), query="tea", limit=2, offset=4)] == ["hidden"]
    wanted = {"text": {"$ne": "Tea, tea, tea"}}
    assert [item.key for item in indexed.search(("a",), query="tea", filter=wanted, limit=2)] == ["other", "both"]


def test_an_items_vectors_change_and_go_with_it(indexed: MemorydStore, agent: memoryd.Agent) -> None:
    indexed.batch([PutOp(("a",), key, {"text": "tea"}, ttl=10) for key in "xyz"])
    indexed.batch([PutOp(("a",), "x", {"text": "porto"}), PutOp(("a",), "y", None), PutOp(("a",), "z", {"n": 1})])
    found = indexed.search(("a",), query="porto")
    assert [(item.key, item.score) for item in found] == [("x", pytest.approx(1)), ("z", None)]
    assert agent.count() == 2
    indexed.put(("a",), "z", {"text": "porto"}, ttl=10)
    before = [item.score for item in indexed.search(("a",), query="lisbon porto")]
    assert [item.score for item in indexed.search(("a",), query="lisbon porto")] == before
    assert before == [pytest.approx(0.5**0.5)] * 2


def test_an_embedding_that_does_not_fit_is_refused(client: memoryd.Client, agent_id: str) -> None:
    store = MemorydStore(client, agent_id=agent_id, index={"dims": 5, "embed": embed})
    with pytest.raises(ValueError, match=r"4 dimensions: index\.dims is 5"):
        store.put(("a",), "k", {"text": "tea"})
    silent = MemorydStore(client, agent_id=agent_id, index={"dims": 5, "embed": lambda texts: []})
    with pytest.raises(ValueError, match="0 vectors for 1 texts"):
        silent.put(("a",), "k", {"text": "tea"})
    assert store.list_namespaces() == []


def test_vectors_of_another_size_are_not_compared(indexed: MemorydStore, client: memoryd.Client, agent_id: str) -> None:
    indexed.put(("a",), "k", {"text": "tea"})
    other = MemorydStore(client, agent_id=agent_id, index={"dims": 1, "embed": lambda texts: [[1.0] for _ in texts]})
    assert [item.score for item in other.search(("a",), query="tea")] == [None]


async def aembed(texts: Sequence[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return embed(texts)


async def test_the_same_is_awaited(shared_daemon: Daemon, agent_id: str) -> None:
    async with MemorydStore(shared_daemon.address, agent_id=agent_id, index={"dims": 4, "embed": aembed}) as store:
        await store.aput(("a",), "tea", {"text": "tea"}, ttl=10)
        await store.aput(("a",), "porto", {"text": "porto"}, index=False)
        item = await store.aget(("a",), "tea")
        assert item is not None
        assert item.value == {"text": "tea"}
        found = await store.asearch(("a",), query="tea")
        assert [(each.key, each.score) for each in found] == [("tea", pytest.approx(1)), ("porto", None)]
        assert await store.alist_namespaces() == [("a",)]
        await store.adelete(("a",), "tea")
        assert await store.aget(("a",), "tea") is None


async def test_a_sync_call_works_inside_of_an_event_loop(
    shared_daemon: Daemon, aio_agent: memoryd.aio.Agent, agent_id: str
) -> None:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        store = MemorydStore(client, agent_id=agent_id)
        store.put(("a",), "k", {"n": 1})
        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(store.aput(("a",), str(number), {"n": number}))
        assert len(store.search(("a",), limit=100)) == 21
        await store.aclose()
        assert await aio_agent.count() == 21
        assert await client.agent(agent_id).count() == 21


def test_a_store_is_awaited_in_one_event_loop_after_the_other(client: memoryd.Client, agent_id: str) -> None:
    store = MemorydStore(client, agent_id=agent_id)
    for number in range(3):
        asyncio.run(store.aput(("a",), str(number), {"n": number}))
    assert len(store.search(("a",))) == 3
    store.close()
    assert client.agent(agent_id).count() == 3


@pytest.mark.whole
def test_without_a_daemon_a_store_fails_and_answers_nothing() -> None:
    with memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client:  # time: nobody answers
        store = MemorydStore(client)
        calls: list[Any] = [lambda: store.get(("a",), "k"), lambda: store.search(("a",)), store.list_namespaces]
        for call in calls:
            with pytest.raises(errors.Unavailable):
                call()
