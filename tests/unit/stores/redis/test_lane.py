"""What waits for a server, and what is under way."""

import asyncio
from functools import partial

import pytest
from tests.unit.stores.redis.routes import CHECK, COMMIT, SHARD, SHORT_S, Making, certainly
from tests.unit.stores.redis.scripted import HANG_UP, PRIMARY, REPLICA, SILENCE, Error, Late, ScriptedServer

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.stores.redis import node
from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX, REQUESTS_TOGETHER_MAX
from memoryd_server.stores.redis.link import Command

pytestmark = pytest.mark.hurried

LOAD: Command = ("HGETALL", SHARD.agent("a"))


async def test_what_nobody_waits_for_any_more_is_not_sent(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1)
    route = await make(server)
    first, given_up, last = [route.send("commits", 0, (*COMMIT, name)) for name in ("first", "given up", "last")]
    given_up.cancel()
    assert await asyncio.gather(first, last) == [1, 1]
    assert [each[-1] for each in server.heard if each[0] == b"EVALSHA"] == [b"first", b"last"]


async def test_a_server_is_not_asked_for_what_nobody_waits_for_at_all(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1)
    route = await make(server)
    for number in range(2 * REQUESTS_TOGETHER_MAX):
        route.send("commits", 0, (*COMMIT, number)).cancel()
    assert await route.send("commits", 0, COMMIT) == 1
    assert server.count("EVALSHA") == 1


async def test_all_who_wait_for_a_silent_server_are_told_when_the_first_is(
    server: ScriptedServer, make: Making
) -> None:
    """However many exchanges they would take: each would wait for the one before it."""
    server.answer("HGET", *[SILENCE] * 99)
    route = await make(server, timeout_s=SHORT_S)
    checks = [route.send("checks", 0, CHECK) for _ in range(9 * REQUESTS_TOGETHER_MAX)]
    told = await asyncio.gather(*checks, return_exceptions=True)
    assert {type(each) for each in told} == {StoreUnavailable}
    assert server.connections <= 3


async def test_what_waits_for_a_lost_server_goes_where_the_store_is_now_and_is_certain(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    async with ScriptedServer() as sentinel:
        sentinel.answer("SENTINEL", *([b"127.0.0.1", b"%d" % each.port] for each in (server, other)))
        server.answer("EVALSHA", *[HANG_UP] * 9)
        other.answer("EVALSHA", 7)
        route = await make(sentinel, "+sentinel", "/memory")
        size = BYTES_TOGETHER_MAX
        commits = [route.send("commits", 0, COMMIT, convert=certainly, size_bytes=size) for _ in range(3)]
        assert await asyncio.gather(*commits) == [(7, True), (7, False), (7, False)]
        assert server.count("EVALSHA") == 1


async def test_what_has_arrived_is_answered_although_the_rest_is_lost(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", [b"1"], [b"2"], HANG_UP, [b"3"])
    route = await make(server)
    loads = [route.send("reads", 0, LOAD, convert=certainly) for _ in range(3)]
    assert await asyncio.gather(*loads) == [([b"1"], False), ([b"2"], False), ([b"3"], True)]
    assert server.count("HGETALL") == 4


async def test_what_has_arrived_is_answered_before_the_rest_has(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", [b"1"], SILENCE)
    route = await make(server)
    first, second = [route.send("reads", 0, LOAD) for _ in range(2)]
    assert await first == [b"1"]
    assert not second.done()


async def test_commits_are_answered_when_all_of_them_are_durable(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1, 2).answer("WAIT", SILENCE)
    route = await make(server, durability=Durability(replicas=1))
    commits = [route.send("commits", 0, COMMIT) for _ in range(2)]
    await server.until("WAIT")
    assert [each.done() for each in commits] == [False, False]


async def test_a_server_that_goes_on_answering_is_waited_for(server: ScriptedServer, make: Making) -> None:
    """All replies together take longer than any of them may."""
    server.answer("HGETALL", *[Late(partial(asyncio.sleep, SHORT_S), [b"%d" % number]) for number in range(4)])
    route = await make(server, timeout_s=6 * SHORT_S)
    loads = [route.send("reads", 0, LOAD) for _ in range(4)]
    assert await asyncio.gather(*loads) == [[b"%d" % number] for number in range(4)]
    assert (server.count("HGETALL"), server.connections) == (4, 1)


async def test_a_server_is_not_listened_to_when_nobody_waits_for_it_any_more(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("HGETALL", *[Late(partial(asyncio.sleep, SHORT_S / 4), [])] * 99)
    route = await make(server, timeout_s=SHORT_S)
    loads = [route.send("reads", 0, LOAD) for _ in range(99)]
    await asyncio.gather(*loads, return_exceptions=True)
    await server.until_left()
    assert isinstance(loads[-1].exception(), StoreUnavailable)


@pytest.mark.parametrize(
    ("role", "answer"), [(PRIMARY, Error("READONLY You can't write")), (REPLICA, HANG_UP), (PRIMARY, Error("NOSCRIPT"))]
)
async def test_a_primary_that_is_none_any_more_is_met_anew_on_every_lane(
    server: ScriptedServer, make: Making, role: object, answer: object
) -> None:
    server.answer("HGET", b"1-1").answer("HGETALL", []).answer("EVALSHA", 1, answer, 2)
    server.answer("ROLE", *[PRIMARY] * 3, role)
    route = await make(server)
    await asyncio.gather(route.send("checks", 0, CHECK), route.send("reads", 0, LOAD), route.send("commits", 0, COMMIT))
    assert await route.send("commits", 0, COMMIT) == 2
    await asyncio.gather(route.send("checks", 0, CHECK), route.send("reads", 0, LOAD))
    assert server.connections == (6 if role is PRIMARY else 7)


async def test_what_a_primary_that_is_none_any_more_was_asked_is_not_answered_by_it(
    server: ScriptedServer, make: Making
) -> None:
    is_overtaken = asyncio.Event()
    server.answer("HGET", Late(is_overtaken.wait, b"1-1"), b"1-2")
    server.answer("EVALSHA", Error("READONLY You can't write"), 2)
    route = await make(server)
    check = route.send("checks", 0, CHECK)
    await server.until("HGET")
    assert await route.send("commits", 0, COMMIT) == 2
    is_overtaken.set()
    assert await check == b"1-2"


async def test_a_lane_that_is_about_to_meet_such_a_server_begins_again(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", PRIMARY, SILENCE).answer("HGET", b"1-1")
    server.answer("EVALSHA", 1, Error("READONLY You can't write"), 2)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT) == 1
    check = route.send("checks", 0, CHECK, convert=certainly)
    await server.until("ROLE", 2)
    assert await route.send("commits", 0, COMMIT) == 2
    assert await check == (b"1-1", False)


async def test_what_was_sent_is_not_sent_again_after_a_failure_that_nobody_expects(
    server: ScriptedServer, make: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer("EVALSHA", 7)
    route = await make(server)

    async def no_room(_connection: object) -> object:
        await server.until("EVALSHA")
        monkeypatch.undo()
        raise MemoryError

    monkeypatch.setattr(node, "reply_of", no_room)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") == 1
    assert await route.send("commits", 0, COMMIT) == 7
