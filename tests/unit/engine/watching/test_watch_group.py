import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.unit.engine.watching.crowd import Client, Codec, Crowd
from tests.unit.engine.world import World, settle, until

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.error import Draining, StoreUnavailable
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.limit import BROADCAST_BYTES_MAX, BROADCAST_CALLS_PER_TURN, WATCH_MESSAGE_BYTES_SMALL
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchRequest

OF_A = EventSelection((EventFilter(AgentPatterns.of({"a"})),))
SELDOM_NS, OFTEN_NS = 3600 * SECOND_NS, 1_000_000
LARGE_VALUE = f'"{"x" * (2 * WATCH_MESSAGE_BYTES_SMALL)}"'
VERY_LARGE_VALUE = f'"{"x" * BROADCAST_BYTES_MAX}"'
CROWDED = pytest.mark.parametrize("is_crowd", [False, True], ids=["each", "crowd"])


class Audience:
    """Watches of one world."""

    def __init__(self, world: World, crowd: Crowd | None) -> None:
        self.world = world
        self.crowd = crowd
        self.codec = Codec()
        self.clients: list[Client] = []

    async def open(self, count: int, interval_ns: int = SELDOM_NS, selection: EventSelection = OF_A) -> list[Client]:
        """Begin watches, and wait until all are open and have nothing to do."""
        request = WatchRequest(selection, interval_ns)
        opened = [Client(self.world, self.codec, request, self.crowd) for _ in range(count)]
        self.clients += opened
        await until(lambda: all(each.received for each in opened))
        await settle()
        return opened

    @property
    def subscriptions(self) -> int:
        return len(self.world.engine.hub._by_agent.get("a", ()))


@asynccontextmanager
async def audience(is_crowd: bool) -> AsyncIterator[Audience]:
    async with World() as world:
        watching = Audience(world, Crowd() if is_crowd else None)
        yield watching
        for client in watching.clients:
            await client.cancel()
        await until(lambda: not world.engine.hub._by_agent)
        assert not world.engine.events._groups._groups


def revisions(client: Client) -> list[int]:
    return [revision for _, revision, _ in client.events]


@CROWDED
async def test_watches_in_step_share_one_subscription_and_one_encoding(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        await watching.open(20)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()
        assert watching.subscriptions == 1
        encoded = watching.codec.count
        await watching.world.set("k2")
        await until(lambda: all(revisions(each) == [1, 2] for each in watching.clients))
        assert watching.codec.count == encoded + 1
        assert len({id(each.received[-1]) for each in watching.clients}) == 1


@pytest.mark.whole
async def test_a_crowd_is_broadcast_all_messages_but_very_large_ones() -> None:
    async with audience(is_crowd=True) as watching:
        await watching.open(BROADCAST_CALLS_PER_TURN + 2)
        assert watching.crowd is not None
        sent = []
        for revision, value in enumerate(("1", LARGE_VALUE, VERY_LARGE_VALUE, "2"), 1):
            before = watching.crowd.sent
            await watching.world.set("k", value)
            await until(lambda: all(revisions(each)[-1:] == [revision] for each in watching.clients))  # noqa: B023
            await settle()
            sent.append(watching.crowd.sent - before)
        assert [count >= BROADCAST_CALLS_PER_TURN for count in sent] == [True, True, False, True]
        assert sent[2] == 0
        assert WATCH_MESSAGE_BYTES_SMALL < watching.crowd.largest_bytes <= BROADCAST_BYTES_MAX


async def test_while_much_is_unsent_each_client_is_sent_a_large_message_for_itself() -> None:
    async with audience(is_crowd=True) as watching:
        await watching.open(4)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()
        assert watching.crowd is not None
        sent = watching.crowd.sent
        watching.crowd.unsent = watching.world.engine.hub.memory.broadcast_bytes_max - WATCH_MESSAGE_BYTES_SMALL
        await watching.world.set("k2", LARGE_VALUE)
        await until(lambda: all(revisions(each) == [1, 2] for each in watching.clients))
        assert watching.crowd.sent == sent
        await settle()
        watching.crowd.unsent = 0
        await watching.world.set("k3", LARGE_VALUE)
        await until(lambda: all(revisions(each) == [1, 2, 3] for each in watching.clients))
        assert watching.crowd.sent == sent + 4


@CROWDED
async def test_only_watches_that_ask_for_the_same_share_a_group(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        others = EventSelection((EventFilter(AgentPatterns.of({"a"})),), exclude_origin="me")
        for selection, interval_ns in ((OF_A, SELDOM_NS), (OF_A, SELDOM_NS + 1), (others, SELDOM_NS)):
            await watching.open(4, interval_ns, selection)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()
        assert watching.subscriptions == 3


@CROWDED
async def test_a_client_that_stops_reading_delays_nobody_and_misses_nothing(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        stopped, *reading = await watching.open(10)
        stopped.stop()
        for number in range(1, 31):
            await watching.world.set(f"k{number}")
            await until(lambda number=number: all(revisions(each)[-1:] == [number] for each in reading))  # type: ignore[misc]
        assert len(stopped.unsent) <= 1
        assert revisions(stopped) == []
        stopped.read()
        await until(lambda: revisions(stopped)[-1:] == [30])
        await settle()
        assert all(revisions(each) == list(range(1, 31)) for each in watching.clients)
        assert watching.subscriptions == 1


@CROWDED
async def test_a_group_sends_progress_to_all_who_read(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        stopped, *reading = await watching.open(5, OFTEN_NS)
        stopped.stop()
        await watching.world.set("k", agent_id="other")
        end = await watching.world.store.journal_end()
        await until(lambda: all(each.received[-1].point.shards[0].position == end + 1 for each in reading))  # type: ignore[union-attr]
        assert {each.received[-1].phase for each in reading} == {WatchPhase.PROGRESS}
        assert len(stopped.unsent) <= 1


@CROWDED
async def test_a_drained_group_sends_its_events_then_progress_then_ends(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        await watching.open(10)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()
        await watching.world.set("k2")
        watching.world.engine.hub.close()
        await asyncio.gather(*(each.task for each in watching.clients))
        for client in watching.clients:
            assert revisions(client) == [1, 2]
            assert client.received[-1].phase is WatchPhase.PROGRESS
            assert isinstance(client.end, Draining)


@CROWDED
async def test_a_failure_of_the_feed_ends_all_members_after_what_is_queued(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        await watching.open(5)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()
        await watching.world.set("k2")
        watching.world.engine.hub.fail(lambda agent_id: agent_id == "a", StoreUnavailable())
        await asyncio.gather(*(each.task for each in watching.clients))
        assert [revisions(each) for each in watching.clients] == [[1, 2]] * 5
        assert {type(each.end) for each in watching.clients} == {StoreUnavailable}


async def test_a_defect_of_the_transport_ends_the_members_and_no_other_watch(caplog: pytest.LogCaptureFixture) -> None:
    async with audience(is_crowd=True) as watching:
        alone = (await watching.open(1, SELDOM_NS + 1))[0]
        members = await watching.open(5)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        await settle()

        def fail(calls: object, message: bytes) -> list[int]:
            raise OSError("defect")

        assert watching.crowd is not None
        watching.crowd.broadcast = fail  # type: ignore[method-assign]
        await watching.world.set("k2")
        await until(lambda: revisions(alone) == [1, 2])
        await asyncio.gather(*(each.task for each in members))
        assert {type(each.end) for each in members} == {OSError}
        assert "group of watches failed" in caplog.text


@CROWDED
async def test_what_a_group_sends_counts_in_the_budget_until_it_is_sent(is_crowd: bool) -> None:
    async with audience(is_crowd) as watching:
        memory = watching.world.engine.hub.memory
        await watching.open(3)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        for client in watching.clients:
            client.stop()
        await settle()
        await watching.world.set("k2", VERY_LARGE_VALUE)
        await until(lambda: all(each.unsent for each in watching.clients))
        assert memory.unsent_bytes >= 3 * len(watching.clients[0].unsent[0])
        for client in watching.clients:
            client.read()
        await until(lambda: not memory.unsent_bytes)
        assert memory.queued_bytes == 0


async def test_without_room_in_the_budget_members_wait_and_miss_nothing() -> None:
    async with audience(is_crowd=True) as watching:
        memory = watching.world.engine.hub.memory
        await watching.open(3)
        await watching.world.set("k1")
        await until(lambda: all(revisions(each) == [1] for each in watching.clients))
        other = memory.flow("another connection")
        other.hold(memory.unsent_bytes_max)
        await settle()
        await watching.world.set("k2", LARGE_VALUE)
        await until(lambda: watching.subscriptions >= 3)
        await settle()
        assert all(revisions(each) == [1] for each in watching.clients)
        other.close()
        await until(lambda: all(revisions(each) == [1, 2] for each in watching.clients))


async def test_what_a_crowd_has_not_sent_leaves_less_room_for_others() -> None:
    async with audience(is_crowd=True) as watching:
        assert watching.crowd is not None
        await watching.open(2)
        memory = watching.world.engine.hub.memory
        flow = memory.flow()
        assert flow.has_room
        watching.crowd.unsent = memory.unsent_bytes_max
        assert not flow.has_room
        watching.crowd.unsent = 0
        flow.close()
