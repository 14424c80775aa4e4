"""The near cache: never older than promised, whatever happens to the agent, the daemon and the connection."""

import asyncio
import random
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from tests.clients.python.live.history import GONE, KEYS, Writer
from tests.daemon import Daemon
from tests.port import free_address
from tests.wait import PATIENT, until

import memoryd
from memoryd import errors

CHANGES = 150
KILLS = 4
STALENESS_MAX = 0.3  # time: of the cache that is read in the test of histories


@pytest.fixture
def other(shared_daemon: Daemon) -> Iterator[memoryd.Client]:
    """Another client, whose writes the cache does not wait for."""
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        yield client


def test_reads_are_those_of_the_daemon_and_have_each_write_of_the_client(agent: memoryd.Agent) -> None:
    agent.set("before", {"a": [1]})
    with agent.near_cache() as cache:
        assert cache.get("before") == {"a": [1]}
        agent.set("k", 1, tags=["t"])
        assert (cache.get("k"), cache.get("k", type=float), cache.get("none", 7)) == (1, 1.0, 7)
        assert (cache.contains("k"), cache.contains("none")) == (True, False)
        assert cache.get_entry("k") == agent.get_entry("k")
        with agent.transaction() as tx:
            tx.set("k", 2)
            tx.notes.create("Title", "Text", note_id="n")
        assert cache.get_many(["k", "before", "none"]) == {"k": 2, "before": {"a": [1]}}
        assert cache.note("n") == agent.notes.get("n")
        assert [note.note_id for note in cache.notes()] == ["n"]
        with pytest.raises(errors.WrongType):
            cache.get("k", type=str)
        agent.remove("k")
        assert (cache.get("k"), cache.keys()) == (None, ["before"])
        agent.clear_all(["entry", "note"])
        assert (cache.keys(), cache.notes(), cache.note("n")) == ([], [], None)
        assert cache.revision == agent.info().revision


def test_a_write_that_began_before_the_cache_is_waited_for(
    agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.set("k", 1)
    channel = agent._channel.whole
    unary, has_returned, goes_on = channel._unary, threading.Event(), threading.Event()

    def held(method: Any) -> Any:
        """Hold the response to a write back, as a busy machine may."""
        perform = unary(method)

        def call(*arguments: Any, **options: Any) -> Any:
            response = perform(*arguments, **options)
            if not method.reads:
                has_returned.set()
                goes_on.wait()
            return response

        return call

    monkeypatch.setattr(channel, "_unary", held)
    with ThreadPoolExecutor(1) as writing:
        written = writing.submit(agent.set, "k", 2)
        has_returned.wait()
        with agent.near_cache(when_stale="serve") as cache:
            # As if its initial state had been read before the write, and no event had come since.
            cache._copy.mirror.revision -= 1
            assert not cache._copy.must_ask()
            goes_on.set()
            written.result()
            assert cache._copy.must_ask()
            assert cache.get("k") == 2


def test_a_value_belongs_to_its_reader(agent: memoryd.Agent) -> None:
    agent.set("k", [1])
    with agent.near_cache() as cache:
        cache.get("k").append(2)
        assert cache.get("k") == [1]


def test_a_scope_falls_back_to_its_parents(agent: memoryd.Agent) -> None:
    agent.set("root", 0)
    with agent.near_cache() as cache, agent.scope("task", merge="overwrite") as scope:
        with scope.scope("step") as step:
            scope.set("task", 1)
            step.set("step", 2)
            near = cache.attach(step.scope_id)
            assert near.get_many(["root", "task", "step"]) == {"root": 0, "task": 1, "step": 2}
            assert near.get("root", local_only=True) is None
            assert (near.keys(), near.keys(inherited=True)) == (["step"], ["root", "step", "task"])
            step.set("root", 3)
            assert (near.get("root"), cache.get("root")) == (3, 0)
        with pytest.raises(errors.ScopeDisposed):
            near.get("root")
    assert agent.get("task") == 1


def test_a_cache_of_a_scope_holds_it_and_what_it_inherits(agent: memoryd.Agent) -> None:
    agent.set("root", 0)
    outer = agent.create_scope("outer")
    beside = agent.create_scope("beside")
    scope = outer.create_scope("task")
    with agent.near_cache(scope_id=scope.scope_id, notes=False) as cache:
        outer.set("outer", 1)
        below = scope.create_scope("step")
        below.set("k", 2)
        beside.set("k", 3)
        assert cache.attach(scope.scope_id).get_many(["root", "outer"]) == {"root": 0, "outer": 1}
        assert cache.attach(below.scope_id).get("k") == 2
        held = cache.size_bytes
        assert cache.attach(beside.scope_id).get("k") == 3
        assert cache.size_bytes == held


def test_a_cache_holds_the_keys_with_its_prefix_and_reads_others_from_the_daemon(agent: memoryd.Agent) -> None:
    with agent.near_cache(key_prefix="a:", notes=False, max_staleness=None) as cache:
        agent.set("a:1", 1)
        held = cache.size_bytes
        agent.set("b:1", 2)
        agent.notes.create("Title", "Text", note_id="n")
        agent.memories.remember("What no event of the cache reports.")
        assert cache.size_bytes == held
        assert cache.get_many(["a:1", "b:1"]) == {"a:1": 1, "b:1": 2}
        assert [cache.keys(key_prefix=each) for each in ("a:", "b:", "")] == [["a:1"], ["b:1"], ["a:1", "b:1"]]
        note = cache.note("n")
        assert note is not None
        assert note.title == "Title"
        assert cache.note("none") is None


def test_lists_are_those_of_the_bound_user(agent: memoryd.Agent) -> None:
    ada = agent.user("ada")
    with agent.near_cache() as cache, ada.near_cache() as near:
        agent.notes.create("Of nobody", "Text", note_id="0")
        ada.notes.create("Of Ada", "Text", note_id="1")
        assert [[note.note_id for note in each.notes()] for each in (cache, near)] == [["0"], ["1"]]
        agent.set("of-nobody", 1)
        ada.set("of-ada", 2)
        assert [each.keys() for each in (cache, near)] == [["of-nobody"], ["of-ada"]]
        assert (near.get("of-nobody"), cache.get("of-ada")) == (1, 2)
        assert [list(each.keys()) for each in (agent, ada)] == [cache.keys(), near.keys()]
        agent.forget_user("ada")
        assert (near.notes(), near.keys()) == ([], [])


def test_the_memory_of_a_cache_is_bounded(agent: memoryd.Agent) -> None:
    agent.set("k", "v" * 10_000)
    with pytest.raises(errors.CacheFull), agent.near_cache(max_bytes=10_000):
        pass
    with (
        agent.near_cache(max_bytes=20_000) as cache,
        agent.near_cache(max_bytes=20_000, when_stale="refuse") as refusing,
    ):
        agent.set("other", "w" * 10_000)
        assert cache.get("other") == "w" * 10_000
        assert (cache.size_bytes, cache.get("k")) == (0, "v" * 10_000)
        with pytest.raises(errors.StaleRead):
            refusing.get("k")


@pytest.mark.whole
def test_a_write_does_not_wait_for_a_cache_that_is_full(agent: memoryd.Agent) -> None:
    """It would do so for a second: 400 writes would last longer than a test may."""
    with agent.near_cache(max_bytes=10_000) as cache:
        agent.set("large", "v" * 20_000)
        until(lambda: cache.size_bytes == 0 and cache.revision == 0, "the cache is full")
        for number in range(400):
            agent.set("k", number)
        assert cache.get("k") == 399


def test_a_restore_of_all_agents_is_seen(daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("k", "saved")
        client.create_snapshot("all")
        for staleness in (None, 5.0):
            agent.set("k", "later")
            with agent.near_cache(max_staleness=staleness) as cache:
                assert cache.get("k") == "later"
                client.restore_snapshot("all")
                assert cache.get("k") == "saved"
                agent.set("k", "last")
                assert cache.get("k") == "last"


def test_a_closed_cache_asks_the_daemon(agent: memoryd.Agent) -> None:
    with agent.near_cache() as cache:
        agent.set("k", 1)
    agent.set("k", 2)
    assert (cache.get("k"), cache.staleness) == (2, float("inf"))


def test_options_that_are_not_allowed_are_refused(agent: memoryd.Agent) -> None:
    for options in ({"max_staleness": 0.01}, {"when_stale": "hope"}, {"max_bytes": 0}):
        with pytest.raises(ValueError):
            agent.near_cache(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="max_staleness"):
        agent.near_cache(max_stalenes=1)  # type: ignore[call-arg]


def test_a_cache_that_cannot_be_opened_raises(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.RecordNotFound), agent.near_cache(scope_id="none"):
        pass
    with (
        memoryd.connect(free_address(), connect_timeout=0.5) as client,  # time: nobody answers
        pytest.raises(errors.Unavailable),
        client.agent("a").near_cache(),
    ):
        pass


def test_writes_of_others_arrive_and_the_staleness_is_bounded(agent: memoryd.Agent, other: memoryd.Client) -> None:
    with agent.near_cache(max_staleness=0.1) as cache:
        other.agent(agent.agent_id).set("k", 1)
        until(lambda: cache.get("k") == 1, "the cache has the write of another client")
        other.agent(agent.agent_id).memories.remember("No event of the cache reports this.")
        before = cache.staleness
        until(lambda: cache.staleness < before, "the cache finds out how current it is")


@pytest.mark.whole
@pytest.mark.parametrize("when_stale", ["refuse", "serve", "ask"])
def test_during_an_outage_a_cache_does_as_its_option_says(daemon: Daemon, when_stale: str) -> None:
    with (
        memoryd.connect(daemon.address, timeout=0.5, connect_timeout=0.5) as client,  # time: of calls without an answer
        memoryd.connect(daemon.address, **PATIENT) as patient,
    ):
        agent = client.agent("a")
        agent.set("k", 1)
        with agent.near_cache(max_staleness=0.2, when_stale=when_stale) as cache:
            daemon.kill()
            until(lambda: cache.staleness > 0.2, "the bound passes")
            if when_stale == "serve":
                assert cache.get("k") == 1
            else:
                with pytest.raises(errors.StaleRead if when_stale == "refuse" else errors.CallFailed):
                    cache.get("k")
            daemon.start()
            changed = patient.agent("a").set("k", 2)
            # Within its bound, it may be current and have the value from before the change.
            until(lambda: cache.revision >= changed.revision, "the cache has the change")
            until(lambda: cache.staleness < 0.2, "the cache is current again")
            assert cache.get("k") == 2


def test_a_cache_of_another_store_begins_again(daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        for number in range(5):
            agent.set(f"k{number}", number)
        with agent.near_cache() as cache:
            daemon.stop()
            shutil.rmtree(daemon.directory / "data")
            daemon.start()
            agent.set("k0", "new")
            until(lambda: cache.revision == 1, "the cache has the state of the other store")
            assert (cache.get("k0"), cache.keys()) == ("new", ["k0"])


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    await aio_agent.notes.create("Title", "Text", note_id="n")
    async with aio_agent.near_cache() as cache, aio_agent.scope("task") as scope:
        near = cache.attach(scope.scope_id)
        for number in range(20):
            await asyncio.gather(aio_agent.set("k", number), scope.set("own", number))
            assert await near.get_many(["k", "own"]) == {"k": number, "own": number}
        assert (await cache.get("k", type=int), await cache.get("none", 7)) == (19, 7)
        assert (await near.keys(inherited=True), await near.contains("k", local_only=True)) == (["k", "own"], False)
        entry, note = await cache.get_entry("k"), await cache.note("n")
        assert entry is not None
        assert note is not None
        assert (entry.value, note.title) == (19, "Title")
        assert [each.note_id for each in await cache.notes()] == ["n"]
    with pytest.raises(errors.ScopeDisposed):
        await near.get("k")


async def test_a_write_whose_caller_gave_up_is_seen_all_the_same(aio_agent: memoryd.aio.Agent) -> None:
    async with aio_agent.near_cache(max_staleness=None, when_stale="serve") as cache:
        for number in range(50):
            task = asyncio.create_task(aio_agent.set("k", number))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await aio_agent.set("after", number)
            assert await cache.get("after") == number


def read_on(
    writer: Writer, cache: memoryd.NearCache, staleness: float, over: threading.Event, seed: int
) -> tuple[int, list[str]]:
    """Read at random until the writer is done. Return the number of reads, and what no state of the agent explains."""
    chance, count, problems = random.Random(seed), 0, []
    while not over.is_set():
        scope_id = chance.choice(sorted(writer.state.values))
        keys = chance.sample(KEYS, chance.choice((1, 3)))
        floor, begin = writer.history.floor(time.monotonic() - staleness), time.time()
        seen = _seen(cache, scope_id, keys)
        if not writer.history.explains(floor, scope_id, seen, begin, time.time()):
            problems.append(f"{scope_id!r}: {seen} from state {floor} of {len(writer.history.states)} on")
        count += 1
    return count, problems


def _seen(cache: memoryd.NearCache, scope_id: str, keys: list[str]) -> list[tuple[str, object]]:
    near = cache.attach(scope_id) if scope_id else cache
    try:
        values = near.get_many(keys) if len(keys) > 1 else {keys[0]: near.get(keys[0])}
    except (errors.ScopeDisposed, errors.RecordNotFound):
        return [(key, GONE) for key in keys]
    return [(key, values.get(key)) for key in keys]


def _has_failed(futures: list[Future[None]]) -> bool:
    return any(each.done() and each.exception() is not None for each in futures)


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(3))
def test_no_read_is_older_than_was_promised(daemon: Daemon, seed: int) -> None:
    """Under writes of all kinds, expiry, merges, disposals, restores, ends and kills of the daemon."""
    over = threading.Event()
    with (
        memoryd.connect(daemon.address, **PATIENT) as client,
        memoryd.connect(daemon.address, **PATIENT) as other,
        client.agent("own").near_cache(max_staleness=STALENESS_MAX) as own,
        client.agent("theirs").near_cache(max_staleness=STALENESS_MAX) as theirs,
        ThreadPoolExecutor(4) as pool,
    ):
        writers = Writer(client.agent("own"), seed), Writer(other.agent("theirs"), seed)
        reading = [
            pool.submit(read_on, writer, cache, staleness, over, seed)
            for writer, cache, staleness in zip(writers, (own, theirs), (0.0, STALENESS_MAX), strict=True)
        ]
        writing = [pool.submit(writer.run, CHANGES) for writer in writers]
        try:
            for kill in range(KILLS):
                due = (kill + 1) * CHANGES // (KILLS + 1)
                until(lambda due=due: all(each.count >= due for each in writers) or _has_failed(writing), "changes")
                daemon.kill()
                daemon.start()
            for each in writing:
                each.result()
        finally:
            over.set()
        for each in reading:
            count, problems = each.result()
            assert problems == []
            assert count > CHANGES
