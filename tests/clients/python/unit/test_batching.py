"""The batches that calls travel in, without a daemon."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from memoryd import errors
from memoryd.aio.batching import BYTES_MAX, CALLS_MAX, Batcher
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place, get_entry, remove_entry, store_entry
from memoryd.v1.transaction_service_pb2 import CommitResponse
from memoryd.v1.working_memory_service_pb2 import BatchGetEntriesResponse, GetEntryResponse

A = Place("a")


class Daemon:
    """Performs calls: it answers gets and sets. ``names`` are the calls, each with its number of keys or writes."""

    def __init__(self) -> None:
        self.names: list[tuple[str, int]] = []
        self.values: dict[str, str] = {}
        self.refusal: Exception | None = None
        self._changed = asyncio.Condition()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def asked(self, count: int) -> None:
        """Wait for this number of calls."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.names) >= count)

    async def perform(self, requested: Call[Any]) -> Any:
        request: Any = requested.request
        self.names.append((requested.method.name, len(getattr(request, "keys", getattr(request, "writes", "1")))))
        async with self._changed:
            self._changed.notify_all()
        await self.may_answer.wait()
        if self.refusal is not None and len(getattr(request, "writes", ())) + len(getattr(request, "keys", ())) > 1:
            raise self.refusal
        return requested.convert(self._answer(requested))

    def _answer(self, requested: Call[Any]) -> Any:
        request: Any = requested.request
        if requested.method.name == "Commit":
            response = CommitResponse()
            for write in request.writes:
                result = response.results.add()
                getattr(result, write.WhichOneof("write")).CopyFrom(self._write(write.set_entry))
            return response
        if requested.method.name == "BatchGetEntries":
            batch = BatchGetEntriesResponse()
            for key in request.keys:
                if key in self.values:
                    batch.entries.add(key=key, value_json=self.values[key])
            return batch
        if requested.method.name == "GetEntry":
            found = GetEntryResponse(found=request.key in self.values)
            found.entry.value_json = self.values.get(request.key, "")
            return found
        return self._write(request)

    def _write(self, request: Any) -> Any:
        from memoryd.v1.working_memory_service_pb2 import SetEntryResponse

        created = request.key not in self.values
        self.values[request.key] = request.value_json
        return SetEntryResponse(created=created)


@pytest.fixture
async def daemon() -> Daemon:
    return Daemon()


@pytest.fixture
async def batcher(daemon: Daemon) -> Batcher:
    return Batcher(daemon.perform, 0.0)


def put(key: str, value: Any = 1) -> Call[Any]:
    return store_entry(A, key, value, {})


def get(key: str) -> Call[Any]:
    return get_entry(A, key, local_only=False)


Run = Callable[[Call[Any]], Awaitable[Any]]


async def test_calls_of_one_turn_travel_together(daemon: Daemon, batcher: Batcher) -> None:
    stored = await asyncio.gather(*(batcher.run(put(f"k{number}", number)) for number in range(5)))
    assert [each.created for each in stored] == [True] * 5
    found = await asyncio.gather(*(batcher.run(get(key)) for key in ("k1", "none", "k4", "k1")))
    assert [None if entry is None else entry.value for entry in found] == [1, None, 4, 1]
    assert daemon.names == [("Commit", 5), ("BatchGetEntries", 4)]


async def test_a_call_that_is_alone_in_its_turn_is_sent_as_it_is(daemon: Daemon, batcher: Batcher) -> None:
    await batcher.run(put("k"))
    await batcher.run(get("k"))
    assert [name for name, _ in daemon.names] == ["SetEntry", "GetEntry"]


async def test_a_read_of_a_key_comes_after_its_writes(daemon: Daemon, batcher: Batcher) -> None:
    _, _, found, second = await asyncio.gather(*map(batcher.run, (put("k", 1), put("k", 2), get("k"), put("k", 3))))
    assert (found.value, second.created, daemon.values) == (2, False, {"k": "3"})
    assert daemon.names[0] == ("Commit", 2)


async def test_what_would_not_have_its_own_result_is_sent_by_itself(daemon: Daemon, batcher: Batcher) -> None:
    daemon.may_answer.clear()
    first = [asyncio.create_task(batcher.run(put(key))) for key in ("a", "b")]
    await asyncio.sleep(0)
    alone = asyncio.create_task(batcher.run(store_entry(A, "c", 1, {"must_not_exist": True})))
    erased = asyncio.create_task(batcher.run(remove_entry(Place("b"), "d", erase=True)))
    await daemon.asked(2)
    # The call of another agent does not wait.
    assert sorted(name for name, _ in daemon.names) == ["Commit", "RemoveEntry"]
    daemon.may_answer.set()
    erased.cancel()
    await asyncio.gather(*first, alone)
    assert daemon.names[-1] == ("SetEntry", 1)


@pytest.mark.parametrize(
    ("refusal", "is_each"),
    [
        (errors.InvalidArgument("one is"), True),
        (errors.QuotaExceeded("one exceeds it"), True),
        (errors.Overloaded("later"), False),
        (errors.DeadlineExceeded("nobody knows"), False),
        (errors.Unavailable("away"), False),
    ],
)
async def test_a_refused_batch_is_made_call_by_call(
    daemon: Daemon, batcher: Batcher, refusal: Exception, is_each: bool
) -> None:
    daemon.refusal = refusal
    calls = [batcher.run(put("a")), batcher.run(put("b")), batcher.run(put("a", 2))]
    results = await asyncio.gather(*calls, return_exceptions=True)
    if is_each:
        assert [each.created for each in results] == [True, True, False]
        assert daemon.values == {"a": "2", "b": "1"}
    else:
        assert results == [refusal] * 3
        assert daemon.values == {}
    # Nothing is left behind that the next call would wait for.
    daemon.refusal = None
    await batcher.run(put("a", 4))
    assert daemon.values["a"] == "4"


async def test_a_batch_has_a_maximum_number_and_size(daemon: Daemon, batcher: Batcher) -> None:
    await asyncio.gather(*(batcher.run(put(f"k{number}")) for number in range(CALLS_MAX + 2)))
    large = "v" * (BYTES_MAX // 2)
    await asyncio.gather(*(batcher.run(put(key, large)) for key in "abc"))
    await asyncio.gather(*(batcher.run(get(f"k{number}")) for number in range(CALLS_MAX + 1)))
    assert daemon.names == [
        ("Commit", CALLS_MAX), ("Commit", 2), ("SetEntry", 1), ("SetEntry", 1), ("SetEntry", 1),
        ("BatchGetEntries", CALLS_MAX), ("GetEntry", 1),
    ]  # fmt: skip


async def test_a_caller_that_gives_up_takes_nothing_from_the_others(daemon: Daemon, batcher: Batcher) -> None:
    before, later = (asyncio.create_task(batcher.run(put(key))) for key in ("a", "b"))
    other = asyncio.create_task(batcher.run(put("c")))
    await asyncio.sleep(0)
    before.cancel()
    assert (await other).created
    later.cancel()
    await asyncio.gather(before, later, return_exceptions=True)
    assert "a" not in daemon.values
    await batcher.run(put("a"))
    assert daemon.values["a"] == "1"
