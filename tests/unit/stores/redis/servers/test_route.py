import asyncio
import gc
import logging
import weakref
from typing import Any

import pytest
from tests.unit.stores.redis.routes import CHECK, COMMIT, READ, SHARD, SHORT_S, Making, slots_of, with_certainty
from tests.unit.stores.redis.scripted import HANG_UP, REPLICA, SILENCE, Error, Late, ScriptedServer
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import HistoryLost, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX
from memoryd_server.stores.redis.script import SCRIPTS
from memoryd_server.stores.redis.servers.durability import Durability

pytestmark = pytest.mark.hurried


async def test_waiting_requests_are_sent_together_and_each_has_its_own_reply(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("GET", *range(300))
    route = await make(server)
    futures = [route.send("reads", 0, ("GET", str(number))) for number in range(300)]
    assert await asyncio.gather(*futures) == list(range(300))
    assert server.connections == 1
    assert [each[1] for each in server.received if each[0] == b"GET"] == [b"%d" % number for number in range(300)]


@pytest.mark.parametrize(
    ("size_bytes", "exchanges"), [(0, 1), (BYTES_TOGETHER_MAX // 2, 2), (BYTES_TOGETHER_MAX + 1, 3)]
)
async def test_requests_that_are_sent_together_are_bounded_in_bytes(
    server: ScriptedServer, make: Making, size_bytes: int, exchanges: int
) -> None:
    server.answer("EVALSHA", 1).answer("WAIT", 1)
    route = await make(server, durability=Durability(replicas=1))
    sent = [route.send("commits", 0, COMMIT, size_bytes=size_bytes) for _ in range(3)]
    assert await asyncio.gather(*sent) == [1, 1, 1]
    assert server.count("WAIT") == exchanges


async def test_the_replies_to_several_commands_are_a_list(server: ScriptedServer, make: Making) -> None:
    server.answer("HGET", b"store").answer("HGETALL", [])
    route = await make(server)
    assert await route.send("reads", 0, *READ) == [b"store", []]


async def test_the_conversion_of_a_reply_may_raise_a_refusal(server: ScriptedServer, make: Making) -> None:
    def refuse(_reply: Any, _is_uncertain: bool) -> None:
        raise HistoryLost("a")

    server.answer("EVALSHA", 1)
    route = await make(server)
    with pytest.raises(HistoryLost):
        await route.send("commits", 0, COMMIT, convert=refuse)


@pytest.mark.parametrize(
    "error",
    [
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "NOSCRIPT No matching script.",
        "READONLY You can't write against a read only replica.",
        "CLUSTERDOWN The cluster is down",
        "NOREPLICAS Not enough good replicas to write.",
        "ERR Error running script (call to f_1): @user_script:24: @user_script: 24: -READONLY You can't write",
    ],
)
async def test_a_rejected_commit_is_sent_again_and_stays_certain(
    server: ScriptedServer, make: Making, error: str
) -> None:
    server.answer("EVALSHA", Error(error), Error(error), 7)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT, convert=with_certainty) == (7, False)
    assert server.count("EVALSHA") == 3


@pytest.mark.parametrize("error", ["NOSCRIPT No matching script.", "READONLY You can't write"])
async def test_a_server_without_scripts_or_rank_is_connected_again(
    server: ScriptedServer, make: Making, error: str
) -> None:
    server.answer("EVALSHA", Error(error), 7)
    route = await make(server)
    await route.send("commits", 0, COMMIT)
    assert (server.connections, server.count("ROLE")) == (2, 2)
    assert server.count("SCRIPT") == 2 * len(SCRIPTS)


async def test_a_request_waits_for_a_server_that_loads_its_data(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", Error("LOADING Redis is loading the dataset in memory"))
    server.answer("EVALSHA", Error("LOADING Redis is loading the dataset in memory"), 7)
    route = await make(server)
    assert (await route.send("commits", 0, COMMIT, convert=with_certainty))[0] == 7


async def test_a_commit_whose_reply_was_lost_is_sent_again_as_uncertain(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", HANG_UP, 7)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT, convert=with_certainty) == (7, True)


async def test_a_commit_that_was_never_sent_is_certain(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", HANG_UP)
    server.answer("EVALSHA", 7)
    route = await make(server)
    await server.stop()
    answer = route.send("commits", 0, COMMIT, convert=with_certainty)
    await asyncio.sleep(0)
    await server.start()
    assert await answer == (7, False)


async def test_a_silent_server_is_unavailable_after_the_time_limit(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", *[SILENCE] * 9)
    route = await make(server, timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") == 2


async def test_a_silent_read_does_not_block_commits_and_checks(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", SILENCE).answer("EVALSHA", 7).answer("HGET", b"1-1")
    route = await make(server)
    read = route.send("reads", 0, ("HGETALL", SHARD.agent("a")))
    await server.until("HGETALL")
    assert await route.send("commits", 0, COMMIT) == 7
    assert await route.send("checks", 0, ("HGET", SHARD.agent("a"), "id")) == b"1-1"
    assert not read.done()
    read.cancel()


async def test_an_unreachable_server_is_unavailable_until_it_returns(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", 7)
    route = await make(server, timeout_s=SHORT_S)
    await server.stop()
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    await server.start()
    assert await route.send("commits", 0, COMMIT) == 7


async def test_a_full_server_fails_a_commit_at_once(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", Error("OOM command not allowed when used memory > 'maxmemory'."))
    route = await make(server)
    with pytest.raises(StorageFull):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") == 1


async def test_the_error_of_an_older_full_server_is_recognized(server: ScriptedServer, make: Making) -> None:
    words = "Error running script (call to f_12ab): @user_script:24: @user_script: 24: -OOM command not allowed"
    server.answer("EVALSHA", Error(f"ERR {words}"))
    route = await make(server)
    with pytest.raises(StorageFull):
        await route.send("commits", 0, COMMIT)


async def test_a_full_server_after_a_lost_reply_leaves_the_outcome_open(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", HANG_UP, Error("OOM command not allowed when used memory > 'maxmemory'."))
    route = await make(server)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)


async def test_a_permanent_error_is_not_retried_and_fails_only_its_request(
    server: ScriptedServer, make: Making, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer("EVALSHA", 6, Error("WRONGTYPE Operation against a key"), 8)
    route = await make(server)
    futures = [route.send("commits", 0, COMMIT) for _ in range(3)]
    first, second, third = await asyncio.gather(*futures, return_exceptions=True)
    assert (first, type(second), third) == (6, StoreUnavailable, 8)
    assert server.count("EVALSHA") == 3
    assert "Operation against a key" in vars(caplog.records[0])["error"]


@pytest.mark.parametrize("error", ["NOAUTH Authentication required.", "NOPERM this user has no permissions"])
@pytest.mark.parametrize("command", ["ROLE", "SCRIPT", "EVALSHA"])
async def test_missing_rights_are_logged(
    server: ScriptedServer, make: Making, caplog: pytest.LogCaptureFixture, error: str, command: str
) -> None:
    server.answer(command, Error(error)).answer("EVALSHA", 7)
    route = await make(server)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    (record,) = caplog.records
    assert (record.levelno, record.message) == (logging.ERROR, "store refused memoryd's user")
    assert await route.send("commits", 0, COMMIT) == 7


async def test_a_replica_is_neither_read_nor_written(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", *[REPLICA] * 1_000)
    route = await make(server, timeout_s=SHORT_S)
    for lane in ("commits", "reads"):
        with pytest.raises(StoreUnavailable):
            await route.send(lane, 0, COMMIT)
    assert server.count("EVALSHA") == 0


async def test_sentinels_are_asked_again_when_the_primary_is_demoted(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    async with ScriptedServer() as sentinel:
        here, there = ([b"127.0.0.1", b"%d" % each.port] for each in (server, other))
        sentinel.answer("SENTINEL", here, here, there)
        server.answer("EVALSHA", 1).answer("ROLE", [b"master", 0, []], *[REPLICA] * 1_000)
        other.answer("EVALSHA", 2)
        route = await make(sentinel, "+sentinel", "/memory")
        assert await route.send("commits", 0, COMMIT) == 1
        await server.stop()
        await server.start()
        # No error is raised when the connection ends: the next commit finds out.
        assert await route.send("commits", 0, COMMIT) == 2
        assert await route.send("commits", 0, COMMIT) == 2


async def test_a_moved_slot_is_followed_at_once_and_remembered(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    other.answer("EVALSHA", 7)
    route = await make(server, "+cluster")
    assert await route.send("commits", 0, COMMIT, convert=with_certainty) == (7, False)
    assert await route.send("commits", 0, COMMIT) == 7
    assert (server.count("EVALSHA"), server.count("CLUSTER")) == (1, 1)


@pytest.mark.parametrize("host", ["", "?"])
@pytest.mark.parametrize("word", ["MOVED", "ASK"])
async def test_a_redirect_without_a_host_leads_to_the_host_of_its_sender(
    server: ScriptedServer, other: ScriptedServer, make: Making, word: str, host: str
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"{word} {SHARD.slot} {host}:{other.port}"))
    other.answer("EVALSHA", 7)
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    assert await route.send("commits", 0, COMMIT) == 7


async def test_the_connection_to_a_node_without_slots_is_closed(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server), slots_of(other))
    server.answer("HGET", b"1-1").answer("EVALSHA", Error("CLUSTERDOWN The cluster is down"))
    other.answer("EVALSHA", 7).answer("HGET", b"1-2")
    route = await make(server, "+cluster")
    assert await route.send("checks", 0, CHECK) == b"1-1"
    assert await route.send("commits", 0, COMMIT) == 7
    await server.until_disconnected()
    assert await route.send("checks", 0, CHECK) == b"1-2"
    assert other.connections == 2


async def test_the_connection_to_a_node_stays_open_while_a_request_waits(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    has_moved = asyncio.Event()
    server.answer("CLUSTER", slots_of(server), slots_of(other))
    server.answer("HGET", Late(has_moved.wait, b"1-1")).answer("EVALSHA", Error("CLUSTERDOWN The cluster is down"))
    other.answer("EVALSHA", 7)
    route = await make(server, "+cluster")
    check = route.send("checks", 0, CHECK)
    await server.until("HGET")
    assert await route.send("commits", 0, COMMIT) == 7
    has_moved.set()
    assert await check == b"1-1"


async def test_nodes_that_redirect_to_each_other_are_not_asked_endlessly(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    other.answer("EVALSHA", Error(f"MOVED {SHARD.slot} {server.address}"))
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") < 10


async def test_a_redirect_without_a_cluster_is_not_followed(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    route = await make(server, timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert other.received == []


async def test_a_moved_key_of_a_migrating_slot_is_read_from_its_new_node(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    gone = Error(f"ASK {SHARD.slot} {other.address}")
    server.answer("CLUSTER", slots_of(server)).answer("HGET", gone, b"here").answer("HGETALL", gone, [b"here"])
    other.answer("HGET", b"there").answer("HGETALL", [b"there"])
    route = await make(server, "+cluster")
    assert await route.send("reads", 0, *READ) == [b"there", [b"there"]]
    assert [each[0] for each in other.received[-4:]] == [b"ASKING", b"HGET", b"ASKING", b"HGETALL"]
    assert await route.send("reads", 0, *READ) == [b"here", [b"here"]]


async def test_keys_of_which_only_some_have_moved_are_not_read_from_the_new_node(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    """A node that imports a slot replies for a key that has not moved yet as if it did not exist."""
    gone = Error(f"ASK {SHARD.slot} {other.address}")
    server.answer("CLUSTER", slots_of(server)).answer("HGET", gone).answer("HGETALL", [b"a", b"1"], gone)
    other.answer("HGET", b"there").answer("HGETALL", [b"a", b"2"])
    route = await make(server, "+cluster")
    assert await route.send("reads", 0, *READ) == [b"there", [b"a", b"2"]]
    assert (server.count("HGETALL"), other.count("HGETALL")) == (2, 1)


async def test_a_request_waits_for_a_slot_without_an_owner(server: ScriptedServer, make: Making) -> None:
    server.answer("CLUSTER", [[16_383, 16_383, [b"127.0.0.1", server.port, b"id"]]], slots_of(server))
    server.answer("EVALSHA", 7)
    route = await make(server, "+cluster")
    assert await route.send("commits", 0, COMMIT) == 7
    assert server.count("CLUSTER") == 2


async def test_the_search_for_the_owner_of_a_slot_ends_with_its_requests(server: ScriptedServer, make: Making) -> None:
    server.answer("CLUSTER", [[0, 0, [b"127.0.0.1", server.port, b"id"]]])
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    commit = route.send("commits", 0, COMMIT)
    with pytest.raises(StoreUnavailable):
        await commit
    collected = weakref.ref(commit)
    del commit
    async with asyncio.timeout(WAIT_S_MAX):
        while collected() is not None:
            await asyncio.sleep(SHORT_S)  # time: no time passes in this loop
            gc.collect()


@pytest.mark.parametrize(
    ("durability", "command", "too_little", "enough"),
    [
        (Durability(is_fsynced=True), "WAITAOF", [0, 0], [1, 0]),
        (Durability(replicas=2), "WAIT", 1, 2),
        (Durability(replicas=1), "WAIT", Error("ERR WAIT cannot be used with replica instances"), 1),
    ],
)
async def test_a_commit_that_is_not_durable_enough_is_sent_again_as_uncertain(
    server: ScriptedServer, make: Making, durability: Durability, command: str, too_little: object, enough: object
) -> None:
    server.answer(command, too_little, enough).answer("EVALSHA", 7, 8)
    route = await make(server, durability=durability)
    assert await route.send("commits", 0, COMMIT, convert=with_certainty) == (8, True)
    assert server.count(command) == 2


async def test_reads_do_not_wait_for_durability(server: ScriptedServer, make: Making) -> None:
    server.answer("HGET", b"1-1")
    route = await make(server, durability=Durability(replicas=1))
    assert await route.send("reads", 0, ("HGET", SHARD.shard, "store")) == b"1-1"
    assert server.count("WAIT") == 0


async def test_a_cancelled_request_is_not_sent_again(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", SILENCE, 8)
    route = await make(server)
    given_up = route.send("commits", 0, COMMIT)
    await server.until("EVALSHA")
    given_up.cancel()
    await server.stop()
    await server.start()
    assert await route.send("commits", 0, COMMIT, convert=with_certainty) == (8, False)
    assert server.count("EVALSHA") == 2


async def test_closing_fails_requests_that_wait_for_a_reply_or_a_retry(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", SILENCE).answer("HGET", Error("TRYAGAIN later"))
    route = await make(server)
    silent = route.send("commits", 0, COMMIT)
    again = route.send("reads", 0, ("HGET", SHARD.shard, "store"))
    await server.until("EVALSHA")
    await server.until("HGET", 3)
    await route.close()
    late = route.send("checks", 0, ("HGET", SHARD.shard, "store"))
    assert route._requests._timer is None
    for future in (silent, again, late):
        assert future.done()
        with pytest.raises(StoreUnavailable):
            await future
    connections = server.connections
    await asyncio.sleep(0)
    assert server.connections == connections


async def test_closing_fails_requests_that_were_not_sent(server: ScriptedServer, make: Making) -> None:
    route = await make(server)
    waiting = route.send("commits", 0, COMMIT)
    await route.close()
    assert isinstance(waiting.exception(), StoreUnavailable)
    assert server.received == []


@pytest.mark.parametrize(
    ("command", "answer", "words"),
    [
        ("EVALSHA", HANG_UP, "Connection closed by server"),
        ("EVALSHA", SILENCE, "did not respond in time"),
        ("ROLE", REPLICA, "is not a primary"),
        ("WAIT", 0, "did not reach the required durability in time: 0"),
        ("EVALSHA", Error("NOREPLICAS Not enough good replicas to write."), "Not enough good replicas"),
    ],
)
async def test_the_reason_for_failed_requests_is_logged_once(
    server: ScriptedServer, make: Making, caplog: pytest.LogCaptureFixture, command: str, answer: object, words: str
) -> None:
    for name, answers in {"EVALSHA": [7], "WAIT": [1], command: [answer] * 99}.items():
        server.answer(name, *answers)
    route = await make(server, durability=Durability(replicas=1), timeout_s=SHORT_S)
    given_up = await asyncio.gather(*(route.send("commits", 0, COMMIT) for _ in range(9)), return_exceptions=True)
    assert {type(each) for each in given_up} == {StoreUnavailable}
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert words in vars(record)["error"]


async def test_an_unreachable_server_is_logged_once(
    server: ScriptedServer, make: Making, caplog: pytest.LogCaptureFixture
) -> None:
    route = await make(server, timeout_s=SHORT_S)
    await server.stop()
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await route.send("commits", 0, COMMIT)
    await server.start()
    (record,) = caplog.records
    assert (record.levelno, f"connecting to {server.address}" in vars(record)["error"]) == (logging.WARNING, True)
