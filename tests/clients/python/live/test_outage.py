"""A daemon that cannot be reached, or is unavailable for a while."""

import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.daemon import Daemon
from tests.port import free_address
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors


@pytest.fixture
def agent(daemon: Daemon, agent_id: str) -> Iterator[memoryd.Agent]:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        yield client.agent(agent_id)


@pytest.fixture
async def aio_agent(daemon: Daemon, agent_id: str) -> AsyncIterator[memoryd.aio.Agent]:
    async with memoryd.aio.connect(daemon.address, **PATIENT) as client:
        yield client.agent(agent_id)


def test_an_unreachable_address_is_a_clear_error() -> None:
    address = free_address()
    with (
        memoryd.connect(address, connect_timeout=0.5) as client,  # time: nobody answers
        pytest.raises(errors.Unavailable, match=address),
    ):
        client.agent("a").get("k")


async def test_the_async_client_fails_in_the_same_way() -> None:
    address = free_address()
    async with memoryd.aio.connect(address, connect_timeout=0.5) as client:  # time: nobody answers
        with pytest.raises(errors.Unavailable, match=address):
            await client.agent("a").get("k")
        with pytest.raises(errors.Unavailable, match=address):
            async with client.watch():
                pass


def test_a_watch_of_an_unreachable_address_fails_too() -> None:
    with (
        memoryd.connect(free_address(), connect_timeout=0.5) as client,  # time: nobody answers
        pytest.raises(errors.Unavailable),
        client.watch(),
    ):
        pass


def test_a_missing_socket_is_a_clear_error() -> None:
    with (
        memoryd.connect("unix:/nonexistent/memoryd.sock", connect_timeout=0.5) as client,  # time: nobody answers
        pytest.raises(errors.Unavailable),
    ):
        client.server_info()


def test_a_call_survives_a_restart_of_the_daemon(daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.set("k", "acknowledged")
    daemon.kill()
    with ThreadPoolExecutor(2) as pool:
        read = pool.submit(agent.get, "k")
        written = pool.submit(agent.set, "other", 1)
        daemon.start()
        assert read.result(WAIT_S_MAX) == "acknowledged"
        assert written.result(WAIT_S_MAX).created
    assert agent.get("other") == 1


def test_a_clean_stop_and_start_goes_unnoticed(daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    daemon.stop()
    daemon.start()
    assert agent.update("k", lambda value: value + 1) == 2


@pytest.mark.whole
def test_a_watch_resumes_with_no_gap_and_no_duplicate(daemon: Daemon, agent: memoryd.Agent) -> None:
    seen: list[int] = []
    progress = threading.Condition()

    def listen(watch: memoryd.Watch) -> None:
        for event in watch:
            with progress:
                assert event.entry is not None
                seen.append(event.entry.value)
                progress.notify()

    with agent.watch() as watch, ThreadPoolExecutor(1) as pool:
        listening = pool.submit(listen, watch)
        try:
            agent.set("k", 0)
            with progress:
                assert progress.wait_for(lambda: seen, WAIT_S_MAX)
            daemon.kill()
            daemon.start()
            agent.set("k", 1)
            daemon.stop()
            daemon.start()
            agent.set("k", 2)
            with progress:
                assert progress.wait_for(lambda: len(seen) >= 3, WAIT_S_MAX)
        finally:
            watch.close()
        listening.result(WAIT_S_MAX)
    assert seen == [0, 1, 2]
    assert watch.resumes >= 1


def test_a_saved_token_resumes_after_a_restart(daemon: Daemon, agent: memoryd.Agent) -> None:
    with agent.watch() as watch:
        agent.set("k", 0)
        next(iter(watch))
        token = watch.resume_token
    agent.set("k", 1)
    daemon.kill()
    daemon.start()
    with agent.watch(resume_token=token) as watch:
        event = next(iter(watch))
    assert event.entry is not None
    assert event.entry.value == 1


async def test_the_async_watch_resumes_too(daemon: Daemon, aio_agent: memoryd.aio.Agent) -> None:
    async with aio_agent.watch() as watch:
        events = aiter(watch)
        await aio_agent.set("k", 0)
        assert (await anext(events)).key == "k"
        daemon.kill()
        daemon.start()
        await aio_agent.set("again", 1)
        assert (await anext(events)).key == "again"
        assert watch.resumes >= 1
