"""Watches that begin, stop reading, read again, resume and end at random, beside random commits.

The journal is the model: each watch has the events after its start in order, each once, and each of its tokens is the
position after exactly the events that it has. The seed in a test's name reproduces its run.
"""

import asyncio
import random
from collections.abc import Iterator

import pytest
from tests.unit.engine.shared_store import SlowStore, sharing
from tests.unit.engine.watching.crowd import Client, Codec, Crowd
from tests.unit.engine.world import World, until

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.error import Draining
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS, Limits
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.agents.token import ShardPoint, encode_resume
from memoryd_server.engine.limit import WATCH_MESSAGE_BYTES_SMALL
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchRequest

AGENT_IDS = ("a", "b", "c")
SELECTIONS = (
    EventSelection((EventFilter(AgentPatterns.of({"a"})),)),
    EventSelection((EventFilter(AgentPatterns.of({"a"}), key_prefix="x"),)),
    EventSelection(),
)
SIZES = (1, 1, 1, 1, 1, WATCH_MESSAGE_BYTES_SMALL, 4 * WATCH_MESSAGE_BYTES_SMALL, PAGE_BYTES_MAX // 2)
INTERVALS_NS = (3_000_000, 3600 * SECOND_NS)
CLIENTS_MAX = 12
ACTIONS = 120

Place = tuple[int, int, int]
"""The shard, position and index of an event in the journal."""


class Run:
    """One run of random actions."""

    def __init__(self, seed: int, world: World, crowd: Crowd | None) -> None:
        self.random = random.Random(seed)
        self.world = world
        self.crowd = crowd
        self.codec = Codec()
        self.clients: list[Client] = []
        self.open: list[Client] = []
        self._writing: set[asyncio.Task[object]] = set()

    async def run(self) -> None:
        """Act, let all clients read all, and drain."""
        actions = (self.write, self.write, self.write, self.begin, self.begin, self.stop, self.read, self.pause)
        rare = (self.cancel, self.park, self.write_much)
        for _ in range(ACTIONS):
            await self.random.choice(actions if self.random.random() < 0.9 else rare)()
        await asyncio.gather(*self._writing)
        for client in self.open:
            client.read()
        await until(lambda: all(each.received or each.has_ended for each in self.open))
        for agent_id in AGENT_IDS:
            await self.world.set("x-end", agent_id=agent_id)
        await until(lambda: all(map(_has_end, self.open)))
        await self.world.set("y-end")
        revision = (await self.world.cache.current("a")).state.revision
        reported = [each for each in self.open if each.request.progress_on_commit]
        await until(lambda: all(each.received[-1].revision == revision for each in reported))
        self.world.engine.hub.close()
        await asyncio.gather(*(each.task for each in self.open))

    async def write(self) -> None:
        """Begin some writes at once, without waiting for them."""
        agent_id = self.random.choice(AGENT_IDS)
        for _ in range(self.random.randrange(1, 4)):
            value_json = f'"{"v" * self.random.choice(SIZES)}"'
            keys = [f"{self.random.choice('xy')}{number}" for number in range(self.random.choice((1, 1, 3)))]
            task = asyncio.create_task(self.world.fill(keys, value_json, agent_id))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        await asyncio.sleep(0)

    async def write_much(self) -> None:
        """Write more than the queue of a watch may hold."""
        for number in range(40):
            await self.world.set(f"x{number}", f'"{"v" * (PAGE_BYTES_MAX // 8)}"')

    async def begin(self) -> None:
        """Begin a watch, of those that there are or from now on."""
        if len(self.open) >= CLIENTS_MAX:
            return
        selection, interval_ns = self.random.choice(SELECTIONS), self.random.choice(INTERVALS_NS)
        start = self.random.choice(("now", "now", "token", "state", "revision"))
        on_commit = selection != SELECTIONS[2] and self.random.random() < 0.5
        request = WatchRequest(selection, interval_ns, on_commit)
        alike = [client for client in self.clients if client.request.selection == selection]
        points = [step.point for client in alike for step in client.received if step.point is not None]
        if start == "token" and points:
            token = encode_resume(self.world.store.store_id, self.random.choice(points))
            request = WatchRequest(selection, interval_ns, on_commit, token)
        elif start == "state" and selection == SELECTIONS[0]:
            request = WatchRequest(selection, interval_ns, on_commit, include_initial_state=True)
        elif start == "revision" and selection != SELECTIONS[2]:
            revision = (await self.world.cache.current("a")).state.revision
            after_revision = self.random.randint(0, revision)
            request = WatchRequest(selection, interval_ns, on_commit, after_revision=after_revision)
        self.clients.append(Client(self.world, self.codec, request, self.crowd))
        self.open.append(self.clients[-1])

    async def stop(self) -> None:
        """Let a client read no more."""
        if self.open:
            self.random.choice(self.open).stop()

    async def read(self) -> None:
        """Let a client read again."""
        if self.open:
            self.random.choice(self.open).read()

    async def pause(self) -> None:
        """Let others run for a while: the turns of messages, or the time of pauses."""
        if self.random.random() < 0.3:
            passed = asyncio.Event()
            asyncio.get_running_loop().call_later(0.004, passed.set)
            await passed.wait()
        for _ in range(self.random.randrange(30)):
            await asyncio.sleep(0)

    async def cancel(self) -> None:
        """End a watch."""
        if self.open:
            await self.open.pop(self.random.randrange(len(self.open))).cancel()

    async def park(self) -> None:
        """Drop what is queued for watches and groups, as if the memory for queues were full."""
        memory = self.world.engine.hub.memory
        maximum, memory.queued_bytes_max = memory.queued_bytes_max, 0
        await self.world.set("x-parks")
        memory.queued_bytes_max = maximum


def _has_end(client: Client) -> bool:
    """Return True if the client has the last event of each agent that it watches."""
    wanted = client.request.selection.agents.ids or set(AGENT_IDS)
    emitted = [each for step in client.received for each in step.slices]
    return wanted == {
        each.commit.agent_id for each in emitted if any(event.subject.key == "x-end" for event in each.events)
    }


async def _journal(world: World) -> list[Published]:
    commits = []
    for shard in range(world.store.shard_count):
        after, complete = 0, False
        while not complete:
            page = await world.store.read_journal(after, 1_000, None, shard)
            commits += map(published, page.rows)
            after, complete = page.end_position, page.complete
    return commits


def _selected(
    journal: list[Published], client: Client, after_revision: int
) -> Iterator[tuple[Place, tuple[str, int, int]]]:
    keeps = client.request.selection.keeps
    for commit in journal:
        for index, event in enumerate(commit.events):
            if keeps(commit.agent_id, event) and event.revision > after_revision:
                yield (commit.shard, commit.position, index), (commit.agent_id, event.revision, event.index)


def check(client: Client, journal: list[Published]) -> None:
    """Fail unless the client has exactly the events of the journal between its start and each of its tokens."""
    opened = client.received[0]
    assert opened.phase is WatchPhase.OPENED
    assert opened.point is not None
    after = client.request.after_revision or 0
    if client.request.include_initial_state:
        complete = (each.revision for each in client.received if each.phase is WatchPhase.INITIAL_STATE_COMPLETE)
        after = next(complete, 0)
    selected = list(_selected(journal, client, after))
    start = {each.shard: each for each in opened.point.shards}
    before = {event for place, event in selected if _is_before(place, start)}
    has: list[tuple[str, int, int]] = []
    for step in client.received:
        if step.phase is WatchPhase.INITIAL_STATE:
            continue
        new = [(each.commit.agent_id, event.revision, event.index) for each in step.slices for event in each.events]
        assert (step.phase is WatchPhase.LIVE) == bool(new)
        has += new
        assert step.point is not None
        end = {each.shard: each for each in step.point.shards}
        wanted = [event for place, event in selected if _is_before(place, end) and not _is_before(place, start)]
        # Only events of the same shard have an order.
        assert _by_agent(has) == _by_agent(wanted)
        assert len(has) == len(wanted)
        if client.request.selection != SELECTIONS[2]:
            # A watch could also resume after its revision: it has all events up to it, and others only if it says so.
            later = [event for event in has if event[1] > step.revision]
            assert step.revision_continues or not later
            assert {event for _, event in selected if event[1] <= step.revision} <= set(has) | before


def _is_before(place: Place, points: dict[int, ShardPoint]) -> bool:
    shard, position, index = place
    return (position, index) < (points[shard].position, points[shard].offset)


def _by_agent(events: list[tuple[str, int, int]]) -> dict[str, list[tuple[str, int, int]]]:
    return {agent_id: [each for each in events if each[0] == agent_id] for agent_id in AGENT_IDS}


@pytest.mark.parametrize("kind", ["crowd", "each"])
@pytest.mark.parametrize("seed", range(10))
async def test_every_watch_has_the_events_of_the_journal_in_order_each_once(seed: int, kind: str) -> None:
    crowd = Crowd() if kind == "crowd" else None
    budget = Limits(watch_bytes=8 << 20) if seed % 2 else Limits()
    async with World(limits=budget) as world:
        run = Run(seed, world, crowd)
        await run.run()
        journal = await _journal(world)
        for client in run.clients:
            if client.received:
                check(client, journal)
        for client in run.open:
            assert isinstance(client.end, Draining), client.end
            assert client.received[-1].phase is WatchPhase.PROGRESS


@pytest.mark.parametrize("seed", range(5))
async def test_groups_over_several_shards_do_so_too(seed: int) -> None:
    crowd = Crowd()
    async with sharing(SlowStore(random.Random(seed)), 2) as worlds:
        run = Run(seed, worlds[0], crowd)
        await run.run()
        journal = await _journal(worlds[0])
        for client in run.clients:
            if client.received:
                check(client, journal)
        assert {type(client.end) for client in run.open} <= {Draining}
