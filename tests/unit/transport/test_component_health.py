"""Each component that fails is seen by GetServerInfo, the health service and the probe, which never disagree."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from tests.unit.engine.embedder import FakeEmbedder
from tests.unit.engine.world import NEVER_S, World, until
from tests.unit.transport.test_serving import INFO, Daemon, ShardsAway

from memoryd.v1 import server_service_pb2 as pb
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.engine.upkeep.maintenance import Schedule
from memoryd_server.engine.watching import store_watch
from memoryd_server.ops.auth import renewal
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.live_policy import LivePolicy
from memoryd_server.ops.auth.policy_file import Policy
from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.room import Room
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.transport.health import WRITES

SERVING, READ_ONLY, UNAVAILABLE = (
    pb.SERVER_STATE_SERVING,
    pb.SERVER_STATE_READ_ONLY,
    pb.SERVER_STATE_UNAVAILABLE,
)
OK, DEGRADED, FAILED = pb.COMPONENT_STATE_OK, pb.COMPONENT_STATE_DEGRADED, pb.COMPONENT_STATE_FAILED
SHORT = Schedule(
    expiry_interval_s=NEVER_S, access_interval_s=NEVER_S, journal_interval_s=0.001, snapshot_interval_s=0.001
)


class Seen(NamedTuple):
    """All that says how a daemon is."""

    component: "pb.ComponentState.ValueType"
    state: "pb.ServerState.ValueType"
    serving: bool
    writes: bool
    fault: str


async def seen(daemon: Daemon, name: str) -> tuple[Seen, str]:
    """Return what is seen of a component, and the reason of its fault."""
    info = pb.GetServerInfoResponse.FromString(await daemon.call(INFO, pb.GetServerInfoRequest()))
    (component,) = [each for each in info.components if each.name == name]
    assert component.start_time.seconds > 0
    assert (component.state == OK) == (not component.reason)
    assert all(each.state == OK for each in info.components if each.name != name)
    serving = daemon.health.serving
    return Seen(component.state, info.state, serving[""], serving[WRITES], daemon.serving.fault), component.reason


class Broken(NamedTuple):
    """A daemon, and what breaks and mends its component."""

    world: World
    fail: Callable[[], Awaitable[Any] | None]
    mend: Callable[[], Awaitable[Any] | None]


@asynccontextmanager
async def a_shared_store(monkeypatch: pytest.MonkeyPatch, away: list[int]) -> AsyncIterator[Broken]:
    monkeypatch.setattr(store_watch, "STORE_LOOK_S", 0.0)
    store = ShardsAway()
    store.shard_count = 2
    async with World(store) as world:
        health = world.engine.components.of("store")

        async def note(shards: list[int]) -> None:
            before, store.away = health.health, shards
            await until(lambda: health.health != before)

        yield Broken(world, lambda: note(away), lambda: note([]))


@asynccontextmanager
async def store_gone(monkeypatch: pytest.MonkeyPatch, _: Path) -> AsyncIterator[Broken]:
    async with a_shared_store(monkeypatch, [0, 1]) as broken:
        yield broken


@asynccontextmanager
async def shard_gone(monkeypatch: pytest.MonkeyPatch, _: Path) -> AsyncIterator[Broken]:
    async with a_shared_store(monkeypatch, [1]) as broken:
        yield broken


class RoomyStore(InMemoryStore):
    """A store that can run out of space."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Room()


@asynccontextmanager
async def store_failing(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    store = RoomyStore()
    async with World(store) as world:
        note = store.room.note_write
        yield Broken(world, lambda: note(is_failing=True), lambda: note(is_failing=False))


@asynccontextmanager
async def disk_full(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    store = RoomyStore()
    async with World(store) as world:
        yield Broken(world, lambda: store.room.change(is_left=False), lambda: store.room.change(is_left=True))


@asynccontextmanager
async def upkeep_failing(method: str, name: str) -> AsyncIterator[Broken]:
    async with World(schedule=SHORT) as world:
        target: Any = world.store if method == "prune_journal" else world.repository
        work, health = getattr(target, method), world.engine.components.of(name)

        async def failing(*_: Any, **__: Any) -> None:
            raise StoreUnavailable

        async def note(does: Any) -> None:
            before = health.health
            setattr(target, method, does)
            await until(lambda: health.health != before)

        yield Broken(world, lambda: note(failing), lambda: note(work))


@asynccontextmanager
async def journal_failing(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    async with upkeep_failing("prune_journal", "journal") as broken:
        yield broken


@asynccontextmanager
async def snapshots_failing(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    async with upkeep_failing("create", "snapshots") as broken:
        yield broken


@asynccontextmanager
async def embedder_away(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    embedder = FakeEmbedder()
    async with World(embedder=embedder) as world:

        async def note(is_away: bool) -> None:
            embedder.is_away = is_away
            await world.engine._vectors.of_query("a text")

        yield Broken(world, lambda: note(is_away=True), lambda: note(is_away=False))


@asynccontextmanager
async def watches_full(_: pytest.MonkeyPatch, __: Path) -> AsyncIterator[Broken]:
    async with World() as world:
        flow = world.engine.hub.memory.flow()
        yield Broken(world, lambda: flow.hold(world.engine.hub.memory.unsent_bytes_max), flow.sent)


@asynccontextmanager
async def policy_unreadable(_: pytest.MonkeyPatch, path: Path) -> AsyncIterator[Broken]:
    async with World() as world:
        file = path / "tokens.toml"
        policy = LivePolicy(
            file,
            PolicyAuthenticator(Policy()),
            mock.Mock(),
            mock.Mock(),
            component=world.engine.components.of("policy"),
        )

        async def note(text: str) -> None:
            file.touch(0o600)
            file.write_text(text)
            await policy.renew()

        yield Broken(world, lambda: note("["), lambda: note(""))


@asynccontextmanager
async def certificates_unreadable(monkeypatch: pytest.MonkeyPatch, path: Path) -> AsyncIterator[Broken]:
    async with World() as world:
        server, tls = mock.Mock(), Tls(cert_file=path / "c", key_file=path / "k")
        (followed,) = renewal.followed_certificates(tls, server, world.engine.components)

        async def note(credentials: Any) -> None:
            monkeypatch.setattr(renewal, "server_credentials", credentials)
            await followed.renew()

        yield Broken(world, lambda: note(mock.Mock(side_effect=OperatorError("bad"))), lambda: note(mock.Mock()))


@pytest.mark.parametrize(
    ("broken", "name", "expected"),
    [
        (store_gone, "store", Seen(FAILED, UNAVAILABLE, False, False, "the store does not respond")),
        (shard_gone, "store", Seen(DEGRADED, SERVING, True, True, "")),
        (store_failing, "store", Seen(DEGRADED, SERVING, True, False, "")),
        (disk_full, "disk", Seen(DEGRADED, READ_ONLY, True, False, "")),
        (journal_failing, "journal", Seen(DEGRADED, SERVING, True, True, "")),
        (snapshots_failing, "snapshots", Seen(DEGRADED, SERVING, True, True, "")),
        (embedder_away, "embedder", Seen(DEGRADED, SERVING, True, True, "")),
        (watches_full, "watches", Seen(DEGRADED, SERVING, True, True, "")),
        (policy_unreadable, "policy", Seen(DEGRADED, SERVING, True, True, "")),
        (certificates_unreadable, "certificates", Seen(DEGRADED, SERVING, True, True, "")),
    ],
)
async def test_a_component_that_does_not_work_is_seen_everywhere_until_it_works(
    broken: Any, name: str, expected: Seen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with broken(monkeypatch, tmp_path) as (world, fail, mend):
        daemon = Daemon(world)
        daemon.serving.start()
        well = Seen(OK, SERVING, True, True, "")
        assert (await seen(daemon, name))[0] == well
        await _done(fail())
        found, reason = await seen(daemon, name)
        assert (found, bool(reason)) == (expected, True)
        assert "/" not in reason  # Every caller reads it.
        await _done(mend())
        assert (await seen(daemon, name))[0] == well
        await daemon.serving.drain(NEVER_S)


async def test_a_component_that_works_again_while_the_daemon_drains_lets_nothing_serve() -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        await daemon.serving.drain(NEVER_S)
        for note in (world.engine.components.of("store").degrade, lambda _: world.engine.components.of("store").ok()):
            note("slow")
            assert not any(daemon.health.serving.values())
        assert daemon.serving.fault == "draining"


async def _done(noted: Awaitable[Any] | None) -> None:
    if noted is not None:
        await noted
    await asyncio.sleep(0)
