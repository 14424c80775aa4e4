"""Today's code reads what every released version has written: stores, snapshots, tokens and files of operators."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from tests.formats.__main__ import write
from tests.formats.description import describe, differences, events_of
from tests.formats.filling import CLEARED_AGENT, DAY, KINDS_AGENT, PURGED_AGENT, SECRET
from tests.formats.fixture import FOLDER as RELEASED
from tests.formats.fixture import PREFIX, VERSIONS, Fixture, clock_at
from tests.in_process import InProcess
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import until

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd_server.ops.auth.policy_file import read_policy
from memoryd_server.testing.daemon import settings_of

Serve = Callable[..., Wire]


@pytest.fixture(params=[*VERSIONS, pytest.param("current", marks=pytest.mark.whole)], scope="module")
def fixture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fixture:
    """The data of a released version, or of the code of today, which the next release will have to read."""
    if request.param != "current":
        return Fixture(RELEASED / request.param)
    folder = tmp_path_factory.mktemp("formats") / "current"
    write(folder)
    return Fixture(folder)


@pytest.fixture
def serve(fixture: Fixture, tmp_path: Path) -> Iterator[Serve]:
    """A function that serves the data directory ``data``, soon after the fixture was written."""
    with ExitStack() as stack:

        def served(*flags: str) -> Wire:
            stack.enter_context(clock_at(fixture.expected["written_ns"]))
            daemon = stack.enter_context(InProcess(tmp_path, *flags))
            return Wire(stack.enter_context(daemon.channel()))

        yield served


@pytest.mark.whole
def test_an_embedded_store_has_every_record_and_event(fixture: Fixture, serve: Serve, tmp_path: Path) -> None:
    fixture.unpack(tmp_path / "data")
    assert differences(fixture.expected, describe(serve())) == _without_description(fixture)


def test_the_daemon_begins_when_the_data_was_written(fixture: Fixture, serve: Serve, tmp_path: Path) -> None:
    fixture.unpack(tmp_path / "data")
    agent = serve().agent("new")
    agent.set("key", ttl=DAY)
    after_ns = agent.get("key").entry.expire_time.ToNanoseconds() - fixture.expected["written_ns"]
    assert DAY.ToNanoseconds() < after_ns < 2 * DAY.ToNanoseconds()


@pytest.mark.whole
def test_a_shared_store_has_every_record_and_event(fixture: Fixture, serve: Serve, tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "valkey") as server:
        fixture.unpack_redis(server)
        wire = serve("--store", with_options(server.url, prefix=PREFIX))
        expected = fixture.expected["redis"]
        assert differences(expected, {**describe(wire), "resume_token": expected["resume_token"]}) == []
        assert resumed(wire, expected["resume_token"]) == events_after_token(wire)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["plain", "encrypted"])
def test_a_snapshot_has_every_record(fixture: Fixture, serve: Serve, tmp_path: Path, name: str) -> None:
    fixture.put_snapshot(name, tmp_path / "data")
    fixture.snapshot_key.chmod(0o600)  # git keeps no more of a file's mode than whether it is executable
    restored = describe(serve("--restore", name, "--snapshot-key-file", str(fixture.snapshot_key)))
    for agent_id, agent in fixture.expected["agents"].items():
        for part in ("records", "versions"):
            # A restore is a commit of its own, whose revision the records have then.
            expected = without_revisions(agent[part])
            assert differences(expected, restored["agents"][agent_id][part]) == []


@pytest.mark.whole
def test_a_purge_that_was_interrupted_is_finished(fixture: Fixture, serve: Serve, tmp_path: Path) -> None:
    fixture.unpack(tmp_path / "data")
    assert SECRET.encode() in stored_bytes(tmp_path / "data")
    wire = serve()
    until(lambda: SECRET.encode() not in stored_bytes(tmp_path / "data"), "the purge is finished")
    assert SECRET not in str(events_of(wire, PURGED_AGENT))


def test_a_removal_that_was_interrupted_is_whole_and_is_finished(
    fixture: Fixture, serve: Serve, tmp_path: Path
) -> None:
    data = fixture.unpack(tmp_path / "data")
    assert removal_is_pending(data)
    agent = serve().agent(CLEARED_AGENT)
    (scope,) = agent.scopes().scopes  # type: ignore[attr-defined]
    assert agent.values(scope.scope_id) == {}
    assert agent.values() == {"stays": 1}
    agent.set("next")
    assert not removal_is_pending(data)


def test_tokens_continue_where_they_were_issued(fixture: Fixture, serve: Serve, tmp_path: Path) -> None:
    fixture.unpack(tmp_path / "data")
    wire = serve()
    assert resumed(wire, fixture.expected["resume_token"]) == events_after_token(wire)
    first = wire.events.ListEvents(event_pb.ListEventsRequest(page_size=3))
    token = fixture.expected["page_token"]
    second = wire.events.ListEvents(event_pb.ListEventsRequest(page_size=3, page_token=token))
    again = wire.events.ListEvents(event_pb.ListEventsRequest(page_size=3, page_token=first.next_page_token))
    assert list(second.events) == list(again.events)


def test_files_of_operators_are_read(fixture: Fixture, tmp_path: Path) -> None:
    fixture.token_file.chmod(0o600)
    rows = read_policy(fixture.token_file)
    assert rows.tokens["ci"].agents == ("build-1", "team-*")
    settings = settings_of("--config", str(fixture.settings_file), "--data-dir", str(tmp_path))
    assert settings.journal.age_max == 14 * 86_400


def _without_description(fixture: Fixture) -> list[str]:
    """Return the differences of what ``describe`` does not return."""
    return [f"/{name} is missing" for name in fixture.expected if name not in {"agents", "ended", "recalled", "found"}]


def without_revisions(value: Any) -> Any:
    if isinstance(value, list):
        return [without_revisions(each) for each in value]
    if isinstance(value, dict):
        return {name: without_revisions(each) for name, each in value.items() if name != "revision"}
    return value


def resumed(wire: Wire, token: str) -> list[tuple[int, int]]:
    """Return the events of ``kinds`` that a watch sends after a token, once there are as many as the journal has."""
    count = len(events_after_token(wire))
    with Watcher(wire, KINDS_AGENT, resume_token=token) as watcher:
        watcher.until_events(count)
        return [(each.revision, each.index) for each in watcher.events]


def events_after_token(wire: Wire) -> list[tuple[int, int]]:
    """Return the events from the first removal on: the token is of the moment before it."""
    events = events_of(wire, KINDS_AGENT)
    first = next(n for n, each in enumerate(events) if each["type"].endswith("CONVERSATION_DELETED"))
    return [(int(each["revision"]), int(each.get("index", 0))) for each in events[first:]]


def stored_bytes(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data.glob("memoryd.db*") if path.exists())


def removal_is_pending(data: Path) -> bool:
    with closing(sqlite3.connect(f"{(data / 'memoryd.db').as_uri()}?mode=ro", uri=True)) as connection:
        return bool(connection.execute("SELECT 1 FROM record WHERE agent_key = 0").fetchall())
