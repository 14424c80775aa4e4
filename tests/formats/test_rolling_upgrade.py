"""Daemons of two versions on one shared store: both work, or the one that would do harm is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from tests.in_process import InProcess
from tests.integration.shared.pair import flags_of, new_prefix
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire
from tests.valkey.server import ValkeyServer
from tests.wait import until

from memoryd_server.domain.error import SchemaTooNew
from memoryd_server.ports.store_factory import UnfitStore
from memoryd_server.stores.redis import opening
from memoryd_server.stores.redis.opening import FORMAT, LOWEST_READER


@pytest.fixture
def flags(valkey: ValkeyServer) -> list[str]:
    """The flags of daemons that share a new store."""
    return flags_of(valkey.url, new_prefix())


@contextmanager
def daemon(
    directory: Path, flags: list[str], version: int = FORMAT, lowest_reader: int = LOWEST_READER
) -> Iterator[Wire]:
    """Run a daemon that opens the store as one of another version does."""
    served = InProcess(directory, *flags)
    with mock.patch.multiple(opening, FORMAT=version, LOWEST_READER=lowest_reader):
        served.start()
    try:
        with served.channel() as channel:
            yield Wire(channel)
    finally:
        served.stop()


def prefix_of(flags: list[str]) -> str:
    return next(each for each in flags if "prefix=" in each).rpartition("prefix=")[2]


def described(valkey: ValkeyServer, flags: list[str]) -> list[object]:
    found = valkey.command("HMGET", f"{{{prefix_of(flags)}}}:store", "format", "readers")
    assert isinstance(found, list)
    return list(found)


def test_a_newer_daemon_joins_an_older_one_and_both_see_all_changes(
    valkey: ValkeyServer, flags: list[str], tmp_path: Path
) -> None:
    with daemon(tmp_path / "older", flags) as older, daemon(tmp_path / "newer", flags, FORMAT + 1) as newer:
        assert described(valkey, flags) == [b"%d" % (FORMAT + 1), b"%d" % LOWEST_READER]
        with Watcher(older, "a").opened() as watcher:
            older.agent("a").set("k", 1)
            newer.agent("a").set("l", 2)
            watcher.until_events(2)
        assert older.agent("a").values() == newer.agent("a").values() == {"k": 1, "l": 2}
    # The older version may also start again, as when an upgrade is taken back.
    with daemon(tmp_path / "older", flags) as older:
        assert older.agent("a").values() == {"k": 1, "l": 2}
    assert described(valkey, flags) == [b"%d" % (FORMAT + 1), b"%d" % LOWEST_READER]


@pytest.mark.whole
def test_a_version_that_excludes_older_daemons_waits_until_they_have_stopped(
    valkey: ValkeyServer, flags: list[str], tmp_path: Path
) -> None:
    with daemon(tmp_path / "older", flags) as older:
        older.agent("a").set("k", 1)
        until(lambda: valkey.command("ZCARD", f"{{{prefix_of(flags)}:0}}:daemons") == 1, "the daemon is announced")
        early = daemon(tmp_path / "early", flags, FORMAT + 1, FORMAT + 1)
        with pytest.raises(UnfitStore, match="1 daemons of an older version"), early:
            pass
        older.agent("a").set("k", 2)
        assert described(valkey, flags) == [b"%d" % FORMAT, b"%d" % LOWEST_READER]
    with daemon(tmp_path / "newer", flags, FORMAT + 1, FORMAT + 1) as newer:
        assert newer.agent("a").values() == {"k": 2}
    with pytest.raises(SchemaTooNew, match=f"reads up to {FORMAT}"), daemon(tmp_path / "older", flags):
        pass
