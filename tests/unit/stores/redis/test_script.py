"""Every branch of the scripts that run inside the server."""

import asyncio
import re
from importlib import resources
from typing import Any

import pytest
from tests.unit.stores.redis.writing import Writer, journal_texts, keys_of, prefix_of
from tests.valkey.server import ValkeyServer

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.store import NEVER, AgentQuery, CommitPoint, JournalCompacted, RevisionConflict
from memoryd_server.stores.redis import journal
from memoryd_server.stores.redis.row import padded
from memoryd_server.stores.redis.script import PRUNE, WALK
from memoryd_server.stores.redis.store import RedisStore

MANY = tuple(f"key-{number}" for number in range(4_321))
"""More keys than one command within a script can have."""


@pytest.fixture
def writer(store: RedisStore) -> Writer:
    return Writer(store)


async def stored_keys(store: RedisStore, agent_id: str = "a") -> set[str]:
    agent = await store.load(agent_id)
    assert agent is not None
    return {record.key for record in agent.records}


async def test_a_commit_is_one_row_and_moves_the_agent_to_its_point(store: RedisStore, writer: Writer) -> None:
    first = await writer.write("k")
    second = await writer.write("l")
    agent = await store.load("a")
    assert agent is not None
    assert (agent.point, agent.head.revision) == (second, 2)
    (one, two) = (await store.read_journal(0, 9, None, store.shard_of("a"))).rows
    assert (one.point, one.base_point, two.point, two.base_point) == (first, NEVER, second, first)


async def test_positions_of_a_shard_have_no_gaps(store: RedisStore) -> None:
    writers = [Writer(store, f"agent-{number}") for number in range(20)]
    await asyncio.gather(*(writer.write("k") for writer in writers))
    for shard in range(store.shard_count):
        rows = (await store.read_journal(0, 100, None, shard)).rows
        assert [row.position for row in rows] == list(range(1, len(rows) + 1))


async def test_a_commit_that_is_sent_twice_is_applied_once(store: RedisStore, writer: Writer) -> None:
    await writer.write("k")
    commit = writer.next("l")
    assert [await store.commit(commit) for _ in range(3)] == [2, 2, 2]
    assert await journal_texts(store, store.shard_of("a")) == ["a:1", "a:2"]


async def test_a_commit_that_is_not_based_on_the_last_is_refused(store: RedisStore, writer: Writer) -> None:
    await writer.write("k")
    stale = writer.next("stale")
    await writer.write("l")
    for conflicting in (stale, Writer(store).next("m"), Writer(store, point=CommitPoint(9, 9)).next("m")):
        with pytest.raises(RevisionConflict) as refused:
            await store.commit(conflicting)
        assert (refused.value.agent_id, refused.value.is_certain) == ("a", True)
    assert await stored_keys(store) == {"k", "l"}


async def test_a_commit_on_a_missing_agent_is_refused(store: RedisStore) -> None:
    with pytest.raises(RevisionConflict):
        await store.commit(Writer(store, point=CommitPoint(1, 1)).next("k"))


async def test_thousands_of_records_are_put_and_deleted_in_one_commit(store: RedisStore, writer: Writer) -> None:
    await writer.write(*MANY)
    assert await stored_keys(store) == set(MANY)
    await writer.write("new", deletes=MANY[1:])
    assert await stored_keys(store) == {MANY[0], "new"}


@pytest.mark.parametrize("count", [999, 1_000, 1_001, 2_000, 2_001])
async def test_no_record_is_lost_between_two_commands(store: RedisStore, writer: Writer, count: int) -> None:
    await writer.write("kept", *MANY[:count])
    assert await stored_keys(store) == {"kept", *MANY[:count]}
    await writer.write(deletes=MANY[:count])
    assert await stored_keys(store) == {"kept"}


async def test_earlier_records_are_dropped_before_the_puts(store: RedisStore, writer: Writer) -> None:
    await writer.write("k", "l")
    await writer.write("l", drop=True, data=b"new")
    agent = await store.load("a")
    assert agent is not None
    assert [(record.key, record.data) for record in agent.records] == [("l", b"new")]


async def test_a_deadline_is_set_moved_kept_and_removed(store: RedisStore, writer: Writer) -> None:
    for deadline, due in ((30, ["a"]), (30, ["a"]), (40, []), (20, ["a"]), (None, []), (None, []), (30, ["a"])):
        await writer.write("k", deadline=deadline, drop=deadline == 20)
        assert await store.due_agents(30, 10) == due
    assert await store.due_agents(2**62, 10) == ["a"]


async def test_an_ended_agent_is_no_longer_listed_and_can_be_created_again(
    store: RedisStore, writer: Writer, valkey: ValkeyServer
) -> None:
    keys = keys_of(store, "a")
    await writer.write("k", deadline=30)
    assert [each.head.agent_id for each in await store.list_agents(AgentQuery(9))] == ["a"]
    await writer.write(ended=True)
    assert await store.list_agents(AgentQuery(9)) == []
    assert await store.due_agents(2**62, 10) == []
    assert valkey.command("ZRANGE", keys.ended, 0, -1, "WITHSCORES") == [b"a", b"2"]
    await writer.write("l")
    assert [each.head.revision for each in await store.list_agents(AgentQuery(9))] == [3]
    assert valkey.command("ZRANGE", keys.ended, 0, -1) == []
    assert await stored_keys(store) == {"l"}


async def test_the_head_of_an_ended_agent_is_pruned_with_its_last_row(
    store: RedisStore, writer: Writer, valkey: ValkeyServer
) -> None:
    await writer.write("k")
    await writer.write(ended=True)
    again = Writer(store, "again" if store.shard_of("again") == store.shard_of("a") else "a2")
    while store.shard_of(again.agent_id) != store.shard_of("a"):
        again.agent_id += "x"
    await again.write("k", ended=True)
    await again.write("k")
    assert await store.prune_journal(2 * store.shard_count, 0) == 2
    assert await store.load_head("a") is None
    assert await store.load_head(again.agent_id) is not None
    assert valkey.command("EXISTS", keys_of(store, "a").agent("a")) == 0
    assert await Writer(store).write("k") == CommitPoint(5, (await store.load("a")).point.nonce)  # type: ignore[union-attr]


async def test_the_heads_of_ended_agents_are_pruned_unless_they_were_created_again(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "ROWS_PRUNED_TOGETHER", 3)
    writers = [Writer(store, f"agent-{number}") for number in range(20)]
    for writer in writers:
        await writer.write("k", ended=True)
    again, send = writers[7], store._route.send
    shard = store.shard_of(again.agent_id)

    async def create_again(pruned: "asyncio.Future[Any]") -> Any:
        reply = await pruned
        if again.agent_id.encode() in reply[1] and again.revision == 1:
            await again.write("k")
        return reply

    def sent(lane: Any, of: int, *commands: Any, **kinds: Any) -> Any:
        answer = send(lane, of, *commands, **kinds)
        return create_again(answer) if commands[0][1] == PRUNE.digest and of == shard else answer

    monkeypatch.setattr(store._route, "send", sent)
    assert await store.prune_journal(0, 0) == 21
    assert again.revision == 2
    heads = [await store.load_head(writer.agent_id) for writer in writers]
    assert [head.agent_id for head in heads if head is not None] == [again.agent_id]


async def test_pruning_ends_although_commits_continue(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, shard, send = Writer(store), store.shard_of("a"), store._route.send
    calls = []

    async def and_one_more(pruned: "asyncio.Future[Any]") -> Any:
        reply = await pruned
        calls.append(reply)
        if len(calls) < 9:
            await writer.write("k")
        return reply

    def sent(lane: Any, of: int, *commands: Any, **kinds: Any) -> Any:
        answer = send(lane, of, *commands, **kinds)
        return and_one_more(answer) if commands[0][1] == PRUNE.digest else answer

    await writer.write("k")
    monkeypatch.setattr(store._route, "send", sent)
    assert await store.prune_journal(0, 0, [shard]) == 1
    assert len(calls) == 1


async def test_pruning_a_young_journal_reads_only_its_first_row(
    store: RedisStore, writer: Writer, valkey: ValkeyServer
) -> None:
    for _ in range(3):
        await writer.write("k", time=7)
    with valkey.link() as link:
        link.call("MONITOR")
        assert await store.prune_journal(10_000, 6, [store.shard_of("a")]) == 0
        valkey.command("PING", prefix_of(store))
        monitored = [link.receive()]
        while b"PING" not in monitored[-1] or prefix_of(store).encode() not in monitored[-1]:
            monitored.append(link.receive())
    read = [
        line.split()[-1] for line in monitored if b'"XRANGE"' in line and keys_of(store, "a").journal.encode() in line
    ]
    assert set(read) == {b'"1"'}


async def test_old_rows_of_any_size_are_pruned(store: RedisStore) -> None:
    writer = Writer(store)
    for number in range(250):
        await writer.write("k", time=5, row=b"x" * (100_000 if number in (0, 1, 5, 120, 249) else 10))
    await writer.write("k", time=7, row=b"x" * 100_000)
    assert await store.prune_journal(10_000, 6) == 250
    assert await store.journal_start(store.shard_of("a")) == 251


async def test_pruning_by_time_stops_at_the_first_row_that_is_retained(store: RedisStore, writer: Writer) -> None:
    for time in (10, 30, 20, 40):
        await writer.write("k", time=time)
    shard = store.shard_of("a")
    assert await store.prune_journal(10_000, 25, [shard]) == 1
    assert await journal_texts(store, shard, 1) == ["a:2", "a:3", "a:4"]
    assert await store.prune_journal(10_000, 2**62, [1 - shard]) == 0
    assert await store.prune_journal(10_000, 2**62) == 3
    assert await store.journal_start(shard) == 5
    assert await store.prune_journal(10_000, 2**62) == 0


async def test_pruning_continues_after_the_maximum_of_one_script(store: RedisStore) -> None:
    writers = [Writer(store, f"agent-{number}") for number in range(40)]
    for _ in range(70):
        await asyncio.gather(*(writer.write("k", time=5) for writer in writers))
    assert await store.prune_journal(100_000, 6) == 2_800
    assert [await journal_texts(store, shard, await store.journal_end(shard)) for shard in range(2)] == [[], []]


async def test_the_journal_is_bounded_between_prunings(valkey: ValkeyServer, store: RedisStore) -> None:
    store._settings = type(store._settings)(prefix=store._settings.prefix, journal_rows_max=2 * 200)
    writer = Writer(store)
    for _ in range(1_000):
        await writer.write("k")
    length = valkey.command("XLEN", keys_of(store, "a").journal)
    assert isinstance(length, int)
    # The server drops only whole nodes of its stream.
    assert 200 <= length <= 320


async def test_recent_rows_are_read_back_to_a_time_or_a_number(store: RedisStore) -> None:
    a, b = Writer(store, "a"), Writer(store, "b")
    for time in (10, 20, 30):
        await a.write("k", time=time)
        await b.write("k", time=time)
    assert [row.revision for row in await store.recent_journal("a", 20, 9)] == [2, 3]
    assert [row.revision for row in await store.recent_journal("a", -1, 2)] == [2, 3]
    assert [row.revision for row in await store.recent_journal("a", 31, 9)] == []
    assert await store.recent_journal("nobody", 0, 9) == []


async def test_more_rows_than_one_walk_reads_are_found(store: RedisStore, writer: Writer) -> None:
    for _ in range(600):
        await writer.write("k")
    shard = store.shard_of("a")
    assert await store.locate("a", 5) == 5
    assert await store.locate("a", 600) == 600
    await store.prune_journal(1_100, 0)
    with pytest.raises(JournalCompacted) as compacted:
        await store.locate("a", 5)
    assert compacted.value.oldest_revision == 51
    with pytest.raises(JournalCompacted) as compacted:
        await store.read_journal(5, 9, ["a"], shard)
    assert compacted.value.oldest_revision == 51
    assert await store.locate("a", 50) == 50


async def walked(store: RedisStore, *arguments: bytes | str | int) -> tuple[str, int]:
    """Walk through the rows of an agent. Return how the walk ended, and its number of rows."""
    keys = keys_of(store, "a")
    command = WALK.call((keys.shard, keys.journal, keys.agent("a")), store.store_id, "", *arguments)
    ending, _, rows = await store._route.send("reads", store.shard_of("a"), command)
    return ending.decode(), len(rows)


async def test_a_walk_ends_at_its_maximum_of_rows_or_bytes(store: RedisStore, writer: Writer) -> None:
    for _ in range(5):
        await writer.write("k", row=b"x" * 1_000)
    assert await walked(store, "id", "", 9, 10_000, 0) == ("start", 5)
    assert await walked(store, "id", "", 4, 10_000, 0) == ("more", 4)
    assert await walked(store, "id", "", 9, 2_500, 0) == ("more", 3)
    assert await walked(store, "id", "", 9, 0, 0) == ("more", 0)
    assert await walked(store, "id", "", 9, 10_000, 1) == ("start", 1)
    assert await walked(store, "time", padded(4), 9, 10_000, 1) == ("found", 1)


def test_scripts_access_only_declared_keys() -> None:
    folder = resources.files("memoryd_server.stores.redis") / "lua"
    called = {
        (script.name, key)
        for script in folder.iterdir()
        for command, key in re.findall(r"redis\.call\('(\w+)'(?:, ([^,)\]]+\]?))?", script.read_text("utf-8"))
        if command != "TIME"
    }
    assert called
    assert [each for each in called if not re.fullmatch(r"KEYS\[\w+\]", each[1])] == []


async def test_every_script_detects_a_replaced_store(store: RedisStore, writer: Writer, valkey: ValkeyServer) -> None:
    known = await writer.write("k")
    valkey.command("HSET", keys_of(store, "a").shard, "store", "another")
    assert store.sharing is not None
    for attempt in (
        lambda: store.commit(writer.next("l")),
        lambda: store.sharing.rows_since("a", known),
        lambda: store.recent_journal("a", 0, 9),
        lambda: store.prune_journal(0, 0),
        lambda: store.load("a"),
        lambda: store.load("b"),
        lambda: store.load_head("a"),
        lambda: store.list_agents(AgentQuery(9)),
        lambda: store.journal_end(store.shard_of("a")),
        lambda: store.journal_start(store.shard_of("a")),
        lambda: store.read_journal(0, 9, None, store.shard_of("a")),
        lambda: store.sharing.changed("a", NEVER),
        lambda: store.sharing.journal_points([store.shard_of("a")]),
    ):
        with pytest.raises(HistoryLost):
            await attempt()
