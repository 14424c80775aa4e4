import asyncio
import gc
import logging
import weakref
from typing import Any

import pytest
from tests.unit.stores.redis.routes import CHECK, COMMIT, READ, SHARD, SHORT_S, Making, certainly, slots_of
from tests.unit.stores.redis.scripted import HANG_UP, REPLICA, SILENCE, Error, Late, ScriptedServer
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import HistoryLost, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX
from memoryd_server.stores.redis.script import SCRIPTS

pytestmark = pytest.mark.hurried


async def test_what_waits_is_sent_together_and_each_gets_its_own_reply(server: ScriptedServer, make: Making) -> None:
    server.answer("GET", *range(300))
    route = await make(server)
    futures = [route.send("reads", 0, ("GET", str(number))) for number in range(300)]
    assert await asyncio.gather(*futures) == list(range(300))
    assert server.connections == 1
    assert [each[1] for each in server.heard if each[0] == b"GET"] == [b"%d" % number for number in range(300)]


@pytest.mark.parametrize(
    ("size_bytes", "exchanges"), [(0, 1), (BYTES_TOGETHER_MAX // 2, 2), (BYTES_TOGETHER_MAX + 1, 3)]
)
async def test_no_more_is_sent_together_than_arrives_in_time(
    server: ScriptedServer, make: Making, size_bytes: int, exchanges: int
) -> None:
    server.answer("EVALSHA", 1).answer("WAIT", 1)
    route = await make(server, durability=Durability(replicas=1))
    sent = [route.send("commits", 0, COMMIT, size_bytes=size_bytes) for _ in range(3)]
    assert await asyncio.gather(*sent) == [1, 1, 1]
    assert server.count("WAIT") == exchanges


async def test_several_commands_are_answered_as_a_list(server: ScriptedServer, make: Making) -> None:
    server.answer("HGET", b"store").answer("HGETALL", [])
    route = await make(server)
    assert await route.send("reads", 0, *READ) == [b"store", []]


async def test_what_a_reply_means_may_be_a_refusal(server: ScriptedServer, make: Making) -> None:
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
async def test_what_was_turned_away_is_sent_again_and_surely_was_not_carried_out(
    server: ScriptedServer, make: Making, error: str
) -> None:
    server.answer("EVALSHA", Error(error), Error(error), 7)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT, convert=certainly) == (7, False)
    assert server.count("EVALSHA") == 3


@pytest.mark.parametrize("error", ["NOSCRIPT No matching script.", "READONLY You can't write"])
async def test_who_lost_the_scripts_or_its_rank_is_met_anew(server: ScriptedServer, make: Making, error: str) -> None:
    server.answer("EVALSHA", Error(error), 7)
    route = await make(server)
    await route.send("commits", 0, COMMIT)
    assert (server.connections, server.count("ROLE")) == (2, 2)
    assert server.count("SCRIPT") == 2 * len(SCRIPTS)


async def test_a_server_that_loads_its_data_is_waited_for(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", Error("LOADING Redis is loading the dataset in memory"))
    server.answer("EVALSHA", Error("LOADING Redis is loading the dataset in memory"), 7)
    route = await make(server)
    assert (await route.send("commits", 0, COMMIT, convert=certainly))[0] == 7


async def test_a_commit_whose_reply_was_lost_is_sent_again_as_uncertain(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", HANG_UP, 7)
    route = await make(server)
    assert await route.send("commits", 0, COMMIT, convert=certainly) == (7, True)


async def test_a_commit_that_was_never_sent_is_certain(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", HANG_UP)
    server.answer("EVALSHA", 7)
    route = await make(server)
    await server.stop()
    answer = route.send("commits", 0, COMMIT, convert=certainly)
    await asyncio.sleep(0)
    await server.start()
    assert await answer == (7, False)


async def test_a_silent_server_is_unavailable_after_a_time(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", *[SILENCE] * 9)
    route = await make(server, timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") == 2


async def test_a_silent_read_does_not_hold_commits_and_checks_up(server: ScriptedServer, make: Making) -> None:
    server.answer("HGETALL", SILENCE).answer("EVALSHA", 7).answer("HGET", b"1-1")
    route = await make(server)
    read = route.send("reads", 0, ("HGETALL", SHARD.agent("a")))
    await server.until("HGETALL")
    assert await route.send("commits", 0, COMMIT) == 7
    assert await route.send("checks", 0, ("HGET", SHARD.agent("a"), "id")) == b"1-1"
    assert not read.done()
    read.cancel()


async def test_a_server_that_is_away_is_unavailable_after_a_time_and_then_found(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("EVALSHA", 7)
    route = await make(server, timeout_s=SHORT_S)
    await server.stop()
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    await server.start()
    assert await route.send("commits", 0, COMMIT) == 7


async def test_no_memory_is_no_room_at_once(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", Error("OOM command not allowed when used memory > 'maxmemory'."))
    route = await make(server)
    with pytest.raises(StorageFull):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") == 1


async def test_no_memory_is_no_room_also_in_the_words_of_older_servers(server: ScriptedServer, make: Making) -> None:
    words = "Error running script (call to f_12ab): @user_script:24: @user_script: 24: -OOM command not allowed"
    server.answer("EVALSHA", Error(f"ERR {words}"))
    route = await make(server)
    with pytest.raises(StorageFull):
        await route.send("commits", 0, COMMIT)


async def test_no_memory_after_a_lost_reply_does_not_say_that_nothing_was_written(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("EVALSHA", HANG_UP, Error("OOM command not allowed when used memory > 'maxmemory'."))
    route = await make(server)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)


async def test_an_error_that_lasts_is_not_tried_again_and_touches_nobody_else(
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
async def test_a_user_who_may_not_is_told_to_the_operator(
    server: ScriptedServer, make: Making, caplog: pytest.LogCaptureFixture, error: str, command: str
) -> None:
    server.answer(command, Error(error)).answer("EVALSHA", 7)
    route = await make(server)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    (record,) = caplog.records
    assert (record.levelno, record.message) == (logging.ERROR, "store refused memoryd's user")
    assert await route.send("commits", 0, COMMIT) == 7


async def test_a_replica_is_not_written_to_nor_read(server: ScriptedServer, make: Making) -> None:
    server.answer("ROLE", *[REPLICA] * 1_000)
    route = await make(server, timeout_s=SHORT_S)
    for lane in ("commits", "reads"):
        with pytest.raises(StoreUnavailable):
            await route.send(lane, 0, COMMIT)
    assert server.count("EVALSHA") == 0


async def test_sentinels_are_asked_again_when_the_primary_is_none_any_more(
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
        # Nobody is told that the connection has ended; the next commit finds out.
        assert await route.send("commits", 0, COMMIT) == 2
        assert await route.send("commits", 0, COMMIT) == 2


async def test_a_moved_slot_is_followed_at_once_and_remembered(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    other.answer("EVALSHA", 7)
    route = await make(server, "+cluster")
    assert await route.send("commits", 0, COMMIT, convert=certainly) == (7, False)
    assert await route.send("commits", 0, COMMIT) == 7
    assert (server.count("EVALSHA"), server.count("CLUSTER")) == (1, 1)


@pytest.mark.parametrize("host", ["", "?"])
@pytest.mark.parametrize("word", ["MOVED", "ASK"])
async def test_a_node_that_does_not_know_its_name_is_where_the_one_is_that_sends_there(
    server: ScriptedServer, other: ScriptedServer, make: Making, word: str, host: str
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"{word} {SHARD.slot} {host}:{other.port}"))
    other.answer("EVALSHA", 7)
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    assert await route.send("commits", 0, COMMIT) == 7


async def test_a_node_that_has_nothing_any_more_is_hung_up_on(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server), slots_of(other))
    server.answer("HGET", b"1-1").answer("EVALSHA", Error("CLUSTERDOWN The cluster is down"))
    other.answer("EVALSHA", 7).answer("HGET", b"1-2")
    route = await make(server, "+cluster")
    assert await route.send("checks", 0, CHECK) == b"1-1"
    assert await route.send("commits", 0, COMMIT) == 7
    await server.until_left()
    assert await route.send("checks", 0, CHECK) == b"1-2"
    assert other.connections == 2


async def test_a_node_that_is_still_asked_for_something_is_not_hung_up_on(
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


async def test_two_nodes_that_send_to_each_other_are_not_asked_without_end(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", slots_of(server)).answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    other.answer("EVALSHA", Error(f"MOVED {SHARD.slot} {server.address}"))
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert server.count("EVALSHA") < 10


async def test_a_server_that_sends_elsewhere_without_a_cluster_is_unavailable(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    server.answer("EVALSHA", Error(f"MOVED {SHARD.slot} {other.address}"))
    route = await make(server, timeout_s=SHORT_S)
    with pytest.raises(StoreUnavailable):
        await route.send("commits", 0, COMMIT)
    assert other.heard == []


async def test_a_key_on_the_move_is_asked_for_where_it_has_gone(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    gone = Error(f"ASK {SHARD.slot} {other.address}")
    server.answer("CLUSTER", slots_of(server)).answer("HGET", gone, b"here").answer("HGETALL", gone, [b"here"])
    other.answer("HGET", b"there").answer("HGETALL", [b"there"])
    route = await make(server, "+cluster")
    assert await route.send("reads", 0, *READ) == [b"there", [b"there"]]
    assert [each[0] for each in other.heard[-4:]] == [b"ASKING", b"HGET", b"ASKING", b"HGETALL"]
    assert await route.send("reads", 0, *READ) == [b"here", [b"here"]]


async def test_keys_that_are_parted_are_not_asked_for_where_only_some_are(
    server: ScriptedServer, other: ScriptedServer, make: Making
) -> None:
    """A node that gets a slot answers for a key that it does not have yet as if it did not exist."""
    gone = Error(f"ASK {SHARD.slot} {other.address}")
    server.answer("CLUSTER", slots_of(server)).answer("HGET", gone).answer("HGETALL", [b"a", b"1"], gone)
    other.answer("HGET", b"there").answer("HGETALL", [b"a", b"2"])
    route = await make(server, "+cluster")
    assert await route.send("reads", 0, *READ) == [b"there", [b"a", b"2"]]
    assert (server.count("HGETALL"), other.count("HGETALL")) == (2, 1)


async def test_a_slot_that_nobody_has_is_waited_for(server: ScriptedServer, make: Making) -> None:
    server.answer("CLUSTER", [[16_383, 16_383, [b"127.0.0.1", server.port, b"id"]]], slots_of(server))
    server.answer("EVALSHA", 7)
    route = await make(server, "+cluster")
    assert await route.send("commits", 0, COMMIT) == 7
    assert server.count("CLUSTER") == 2


async def test_a_slot_that_nobody_has_is_not_looked_for_when_nobody_waits_any_more(
    server: ScriptedServer, make: Making
) -> None:
    server.answer("CLUSTER", [[0, 0, [b"127.0.0.1", server.port, b"id"]]])
    route = await make(server, "+cluster", timeout_s=SHORT_S)
    commit = route.send("commits", 0, COMMIT)
    with pytest.raises(StoreUnavailable):
        await commit
    whoever_has_it = weakref.ref(commit)
    del commit
    async with asyncio.timeout(WAIT_S_MAX):
        while whoever_has_it() is not None:
            await asyncio.sleep(SHORT_S)  # time: which takes none
            gc.collect()


@pytest.mark.parametrize(
    ("durability", "command", "too_little", "enough"),
    [
        (Durability(is_fsynced=True), "WAITAOF", [0, 0], [1, 0]),
        (Durability(replicas=2), "WAIT", 1, 2),
        (Durability(replicas=1), "WAIT", Error("ERR WAIT cannot be used with replica instances"), 1),
    ],
)
async def test_a_commit_that_is_not_as_durable_as_asked_for_is_sent_again_as_uncertain(
    server: ScriptedServer, make: Making, durability: Durability, command: str, too_little: object, enough: object
) -> None:
    server.answer(command, too_little, enough).answer("EVALSHA", 7, 8)
    route = await make(server, durability=durability)
    assert await route.send("commits", 0, COMMIT, convert=certainly) == (8, True)
    assert server.count(command) == 2


async def test_reads_do_not_wait_for_durability(server: ScriptedServer, make: Making) -> None:
    server.answer("HGET", b"1-1")
    route = await make(server, durability=Durability(replicas=1))
    assert await route.send("reads", 0, ("HGET", SHARD.shard, "store")) == b"1-1"
    assert server.count("WAIT") == 0


async def test_what_nobody_waits_for_any_more_is_not_sent_again(server: ScriptedServer, make: Making) -> None:
    server.answer("EVALSHA", SILENCE, 8)
    route = await make(server)
    given_up = route.send("commits", 0, COMMIT)
    await server.until("EVALSHA")
    given_up.cancel()
    await server.stop()
    await server.start()
    assert await route.send("commits", 0, COMMIT, convert=certainly) == (8, False)
    assert server.count("EVALSHA") == 2


async def test_closing_ends_what_waits_also_for_its_next_attempt(server: ScriptedServer, make: Making) -> None:
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


async def test_closing_ends_what_was_not_begun(server: ScriptedServer, make: Making) -> None:
    route = await make(server)
    waiting = route.send("commits", 0, COMMIT)
    await route.close()
    assert isinstance(waiting.exception(), StoreUnavailable)
    assert server.heard == []


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
async def test_the_log_says_once_why_requests_were_given_up(
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


async def test_the_log_says_once_that_a_server_is_away(
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
