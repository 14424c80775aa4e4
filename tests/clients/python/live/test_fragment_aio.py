"""The async client, without what the tests of the sync client show of the shared parts."""

import asyncio
from contextlib import suppress

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors


async def test_fragments_are_created_found_and_removed(aio_agent: memoryd.aio.Agent) -> None:
    fragments = aio_agent.fragments
    created = (await fragments.create("a red apple", metadata={"a": 1})).fragment
    found = await fragments.get(created.fragment_id)
    assert found == created
    assert await fragments.search("apple") == [found]
    assert [each async for each in fragments.list()] == [found]
    assert await fragments.count() == memoryd.FragmentCount(1, 0, 0)
    assert await fragments.delete(created.fragment_id)
    await fragments.create("x")
    assert await fragments.clear() == 1


async def test_a_lease_is_acknowledged_at_the_end_of_its_block_or_given_back(aio_agent: memoryd.aio.Agent) -> None:
    fragments = aio_agent.fragments
    async with fragments.lease(wait=0) as none:
        assert none == []
    await fragments.create("x")
    assert await fragments.flush() == 1
    with pytest.raises(ZeroDivisionError):
        async with fragments.lease() as leased:
            assert 1 / 0 * len(leased)
    async with fragments.lease() as again:
        assert [each.delivery_count for each in again] == [2]
    assert (await fragments.count()).fragment_count == 0


async def test_a_manual_lease_is_renewed_acknowledged_and_released(aio_agent: memoryd.aio.Agent) -> None:
    fragments = aio_agent.fragments
    ids = [(await fragments.create(content)).fragment.fragment_id for content in "ab"]
    await fragments.flush()
    taken = await fragments.take()
    assert taken is not None
    assert await fragments.release(taken.token, ids[:1]) == 1
    assert await fragments.renew(taken.token) is not None
    assert await fragments.acknowledge(taken.token) == 1


async def test_a_consumer_gets_flushed_fragments_until_it_is_closed(aio_agent: memoryd.aio.Agent) -> None:
    handled: asyncio.Queue[str] = asyncio.Queue()

    async def consolidate(fragments: list[memoryd.Fragment]) -> None:
        if fragments[0].delivery_count == 1:
            raise RuntimeError("the first time is wrong")
        for found in fragments:
            await handled.put(found.content)

    async with asyncio.timeout(WAIT_S_MAX):
        async with aio_agent.fragments.on_flush(consolidate):
            await aio_agent.fragments.create("x")
            await aio_agent.fragments.flush()
            assert await handled.get() == "x"
        async with aio_agent.fragments.on_flush(handled.put_nowait) as consumer:
            await consumer.close()
            await consumer.wait()
    assert (await aio_agent.fragments.count()).fragment_count == 0


async def test_two_consumers_share_the_fragments_out(aio_agent: memoryd.aio.Agent) -> None:
    fragments = aio_agent.fragments
    handled: asyncio.Queue[str] = asyncio.Queue()
    for number in range(20):
        await fragments.create(str(number))

    async def consolidate(leased: list[memoryd.Fragment]) -> None:
        for found in leased:
            await handled.put(found.content)

    async with (
        asyncio.timeout(WAIT_S_MAX),
        fragments.on_flush(consolidate, limit=1),
        fragments.on_flush(consolidate, limit=1),
    ):
        await fragments.flush()
        contents = [await handled.get() for _ in range(20)]
    assert sorted(contents, key=int) == [str(number) for number in range(20)]


async def test_a_cancelled_consumer_releases_its_fragments(aio_agent: memoryd.aio.Agent) -> None:
    begun = asyncio.Event()

    async def never(_: list[memoryd.Fragment]) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def consume() -> None:
        async with aio_agent.fragments.on_flush(never) as consumer:
            try:
                await consumer.wait()
            finally:
                leaving.set()

    leaving = asyncio.Event()
    await aio_agent.fragments.create("x")
    await aio_agent.fragments.flush()
    task = asyncio.create_task(consume())
    async with asyncio.timeout(WAIT_S_MAX):
        await begun.wait()
        task.cancel()
        await leaving.wait()
        # It waits for its handler now, until it is cancelled again.
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with aio_agent.fragments.lease() as again:
            assert [each.delivery_count for each in again] == [2]


async def test_a_cancellation_that_the_handler_ignores_is_raised_all_the_same(aio_agent: memoryd.aio.Agent) -> None:
    begun, leaving = asyncio.Event(), asyncio.Event()

    async def stubborn(_: list[memoryd.Fragment]) -> None:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    async def consume() -> None:
        async with aio_agent.fragments.on_flush(stubborn):
            await begun.wait()
            leaving.set()

    await aio_agent.fragments.create("x")
    await aio_agent.fragments.flush()
    task = asyncio.create_task(consume())
    async with asyncio.timeout(WAIT_S_MAX):
        await leaving.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await aio_agent.fragments.count()).fragment_count == 0


async def test_a_handler_whose_awaitable_is_cancelled_has_failed_like_any_other(
    aio_agent: memoryd.aio.Agent,
) -> None:
    handled: asyncio.Queue[int] = asyncio.Queue()

    async def consolidate(fragments: list[memoryd.Fragment]) -> None:
        if fragments[0].delivery_count == 1:
            cancelled: asyncio.Future[None] = asyncio.Future()
            cancelled.cancel()
            await cancelled
        await handled.put(fragments[0].delivery_count)

    await aio_agent.fragments.create("x")
    await aio_agent.fragments.flush()
    async with asyncio.timeout(WAIT_S_MAX), aio_agent.fragments.on_flush(consolidate):
        assert await handled.get() == 2


async def test_closing_the_client_ends_its_consumers(shared_daemon: Daemon, agent_id: str) -> None:
    async with asyncio.timeout(WAIT_S_MAX), memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        fragments = client.agent(agent_id).fragments
        async with fragments.on_flush(print) as waiting:
            await fragments.count()
            await client.close()
            await waiting.wait()
        async with fragments.on_flush(print) as late:
            await late.wait()


async def test_a_handler_that_closes_the_client_ends_its_consumer(shared_daemon: Daemon, agent_id: str) -> None:
    async with asyncio.timeout(WAIT_S_MAX), memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        fragments = client.agent(agent_id).fragments
        await fragments.create("x")
        await fragments.flush()
        async with fragments.on_flush(lambda _: client.close()) as consumer:
            await consumer.wait()


async def test_closing_the_client_fails_its_calls_and_a_task_that_is_cancelled_meanwhile_stays_so(
    shared_daemon: Daemon, agent_id: str
) -> None:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        fragments = client.agent(agent_id).fragments
        waiting, cancelled = (asyncio.ensure_future(fragments.take(wait=30)) for _ in range(2))
        await fragments.count()
        cancelled.cancel()
        await client.close()
        with pytest.raises(errors.Cancelled, match="closed"):
            await waiting
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        with pytest.raises(errors.Cancelled, match="closed"):
            await fragments.count()


async def test_a_consumer_that_cannot_go_on_says_so(aio_agent: memoryd.aio.Agent) -> None:
    unnamed = memoryd.aio.Fragments(aio_agent._channel, "")
    with pytest.raises(errors.InvalidArgument):
        async with unnamed.on_flush(print) as consumer:
            await consumer.wait()
    with pytest.raises(ZeroDivisionError):
        async with unnamed.on_flush(print):
            raise ZeroDivisionError
