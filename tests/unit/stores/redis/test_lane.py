"""Lanes: the requests that wait for a server, and those that were sent."""

import asyncio
from functools import partial

import pytest
from tests.unit.stores.redis.routes import CHECK, COMMIT, SHARD, SHORT_S, Making, with_certainty
from tests.unit.stores.redis.scripted import HANG_UP, PRIMARY, REPLICA, SILENCE, Error, Late, ScriptedServer

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX, REQUESTS_TOGETHER_MAX
from memoryd_server.stores.redis.servers import node
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.link import Command

pytestmark = pytest.mark.hurried

LOAD: Command = ("HGETALL", SHARD.agent("a"))


async def test_a_cancelled_request_is_not_sent(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1)
    route = await make(server)
    first, given_up, last = [route.send("commits", 0, (*COMMIT, name)) for name in ("first", "given up", "last")]
    given_up.cancel()
    assert await asyncio.gather(first, last) == [1, 1]
    assert [each[-1] for each in server.received if each[0] == b"EVALSHA"] == [b"first", b"last"]


async def test_nothing_is_sent_for_cancelled_requests_alone(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1)
    route = await make(server)
    for number in range(2 * REQUESTS_TOGETHER_MAX):
        route.send("commits", 0, (*COMMIT, number)).cancel()
    assert await route.send("commits", 0, COMMIT) == 1
    assert server.count("EVALSHA") == 1


async def test_all_requests_to_a_silent_server_fail_with_the_first(server: ScriptedServer, make: Making) -> None:
    """They fail together, however many exchanges they take, each of which would wait for the previous one."""
    server.answer("HGET", *[SILENCE] * 99)
    route = await make(server, timeout_s=SHORT_S)
    checks = [route.send("checks", 0, CHECK) for _ in range(9 * REQUESTS_TOGETHER_MAX)]
    outcomes = await asyncio.gather(*checks, return_exceptions=True)
    assert {type(each) for each in outcomes} == {StoreUnavailable}
    assert server.connections <= 3


async def test_requests_that_were_not_sent_to_a_lost_server_move_to_the_new_primary_and_are_certain(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    async with ScriptedServer() as sentinel:
        sentinel.answer("SENTINEL", *([b"127.0.0.1", b"%d" % each.port] for each in (server, other)))
        server.answer("EVALSHA", *[HANG_UP] * 9)
        other.answer("EVALSHA", 7)
        route = await make(sentinel, "+sentinel", "/memory")
        size = BYTES_TOGETHER_MAX
        commits = [route.send("commits", 0, COMMIT, convert=with_certainty, size_bytes=size) for _ in range(3)]
        assert await asyncio.gather(*commits) == [(7, True), (7, False), (7, False)]
        assert server.count("EVALSHA") == 1


async def test_replies_that_arrived_before_a_loss_are_returned(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", [b"1"], [b"2"], HANG_UP, [b"3"])
    route = await make(server)
    loads = [route.send("reads", 0, LOAD, convert=with_certainty) for _ in range(3)]
    assert await asyncio.gather(*loads) == [([b"1"], False), ([b"2"], False), ([b"3"], True)]
    assert server.count("HGETALL") == 4


async def test_a_reply_is_returned_before_the_next_arrives(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", [b"1"], SILENCE)
    route = await make(server)
    first, second = [route.send("reads", 0, LOAD) for _ in range(2)]
    assert await first == [b"1"]
    assert not second.done()


async def test_commits_return_when_all_of_them_are_durable(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 1, 2).answer("WAIT", SILENCE)
    route = await make(server, durability=Durability(replicas=1))
    commits = [route.send("commits", 0, COMMIT) for _ in range(2)]
    await server.until("WAIT")
    assert [each.done() for each in commits] == [False, False]


async def test_the_time_limit_starts_again_with_each_reply(server: ScriptedServer, make: Making) -> None:
    """The replies together take longer than the limit for one of them."""
    server.answer("HGETALL", *[Late(partial(asyncio.sleep, SHORT_S), [b"%d" % number]) for number in range(4)])
    route = await make(server, timeout_s=6 * SHORT_S)
    loads = [route.send("reads", 0, LOAD) for _ in range(4)]
    assert await asyncio.gather(*loads) == [[b"%d" % number] for number in range(4)]
    assert (server.count("HGETALL"), server.connections) == (4, 1)


async def test_a_connection_is_closed_when_no_request_waits_for_it(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", *[Late(partial(asyncio.sleep, SHORT_S / 4), [])] * 99)
    route = await make(server, timeout_s=SHORT_S)
    loads = [route.send("reads", 0, LOAD) for _ in range(99)]
    await asyncio.gather(*loads, return_exceptions=True)
    await server.until_disconnected()
    assert isinstance(loads[-1].exception(), StoreUnavailable)


@pytest.mark.parametrize(
    ("role", "answer"), [(PRIMARY, Error("READONLY You can't write")), (REPLICA, HANG_UP), (PRIMARY, Error("NOSCRIPT"))]
)
async def test_every_lane_reconnects_to_a_demoted_primary(
    server: ScriptedServer, make: Making, role: object, answer: object
) -> None:
    server.answer("HGET", b"1-1").answer("HGETALL", []).answer("EVALSHA", 1, answer, 2)
    server.answer("ROLE", *[PRIMARY] * 3, role)
    route = await make(server)
    await asyncio.gather(route.send("checks", 0, CHECK), route.send("reads", 0, LOAD), route.send("commits", 0, COMMIT))
    assert await route.send("commits", 0, COMMIT) == 2
    await asyncio.gather(route.send("checks", 0, CHECK), route.send("reads", 0, LOAD))
    assert server.connections == (6 if role is PRIMARY else 7)


async def test_a_reply_of_a_demoted_primary_is_discarded(server: ScriptedServer, make: Making) -> None:
    is_overtaken = asyncio.Event()
    server.answer("HGET", Late(is_overtaken.wait, b"1-1"), b"1-2")
    server.answer("EVALSHA", Error("READONLY You can't write"), 2)
    route = await make(server)
    check = route.send("checks", 0, CHECK)
    await server.until("HGET")
    assert await route.send("commits", 0, COMMIT) == 2
    is_overtaken.set()
    assert await check == b"1-2"


async def test_a_lane_that_is_connecting_to_a_demoted_primary_starts_again(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("ROLE", PRIMARY, SILENCE).answer("HGET", b"1-1")
    server.answer("EVALSHA", 1, Error("READONLY You can't write"), 2)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT) == 1
    check = route.send("checks", 0, CHECK, convert=with_certainty)
    await server.until("ROLE", 2)
    assert await route.send("commits", 0, COMMIT) == 2
    assert await check == (b"1-1", False)


async def test_a_sent_request_is_not_repeated_after_an_unexpected_error(
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
