import asyncio

import pytest

from memoryd_server.domain.error import Draining
from memoryd_server.transport.health import WRITES, Health


def health() -> Health:
    return Health(["a.Service", "b.Service"])


def test_nothing_serves_before_the_start() -> None:
    assert health().serving == {"": False, "a.Service": False, "b.Service": False, WRITES: False}


def test_all_services_and_the_server_as_a_whole_change_together() -> None:
    state = health()
    state.set_all(serving=True)
    assert state.serving == {"": True, "a.Service": True, "b.Service": True, WRITES: True}
    state.set_all(serving=False)
    assert not any(state.serving.values())


def test_where_changes_are_not_accepted_only_they_are_not_served() -> None:
    state = health()
    state.set_all(serving=False)
    assert not any(state.serving.values())
    state.set_all(serving=True, without=[WRITES])
    assert state.serving == {"": True, "a.Service": True, "b.Service": True, WRITES: False}
    state.set_all(serving=True)
    assert all(state.serving.values())


@pytest.mark.parametrize("name", ["", "a.Service"])
async def test_a_watch_yields_the_health_now_and_each_change_once(name: str) -> None:
    state = health()
    watch = state.watch(name)
    assert await anext(watch) is False
    state.set_all(serving=True)
    assert await anext(watch) is True
    state.set_all(serving=True)
    following = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    assert not following.done()
    state.set_all(serving=False)
    assert await following is False


async def test_a_watch_of_an_unknown_service_yields_none_and_waits() -> None:
    state = health()
    watch = state.watch("c.Service")
    assert await anext(watch) is None
    following = asyncio.ensure_future(anext(watch))
    state.set_all(serving=True)
    await asyncio.sleep(0)
    assert not following.done()
    state.end_watches()
    with pytest.raises(Draining):
        await following


async def test_a_watch_that_is_ended_yields_the_last_change_first() -> None:
    state = health()
    state.set_all(serving=True)
    watch = state.watch("")
    assert await anext(watch) is True
    state.set_all(serving=False)
    state.end_watches()
    assert await anext(watch) is False
    with pytest.raises(Draining):
        await anext(watch)


async def test_a_watch_that_begins_after_the_end_yields_once_and_ends() -> None:
    state = health()
    state.end_watches()
    watch = state.watch("")
    assert await anext(watch) is False
    with pytest.raises(Draining):
        await anext(watch)
