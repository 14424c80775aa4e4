"""The files of one release: a data directory, the commands that make a Redis store, snapshots, tokens, settings."""

import json
import lzma
import shutil
import sqlite3
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from tests.valkey.link import Reply, encoded
from tests.valkey.server import ValkeyServer

from memoryd_server.ops import composition

FOLDER = Path(__file__).parents[1] / "fixtures" / "formats"
VERSIONS = sorted(each.name for each in FOLDER.iterdir() if each.is_dir())
"""All versions whose formats are kept."""

PREFIX = "formats"
_NOT_DATA = {"memoryd.db-shm", "memoryd.reserve"}
"""Files of the embedded store that are made again, and have nothing of what was stored."""


class Fixture:
    """The folder of one version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = folder / "expected.json"
        self.snapshots = {"plain": folder / "plain.snapshot", "encrypted": folder / "encrypted.snapshot.age"}
        self.snapshot_key = folder / "snapshot.key"
        self.token_file = folder / "tokens.toml"
        self.settings_file = folder / "settings.toml"
        self._directory = folder / "sqlite.tar.xz"
        self._redis = folder / "redis.resp.xz"

    @property
    def expected(self) -> dict[str, Any]:
        """The description of the data when it was written, and the tokens that were issued."""
        found: dict[str, Any] = json.loads(self.description.read_text())
        return found

    def pack(self, data: Path) -> None:
        """Keep the store in a data directory, which a daemon may be using, as a kill would leave it."""
        # A reader keeps the daemon from emptying the log between the copy of the database and that of the log.
        with closing(sqlite3.connect(data / "memoryd.db")) as reader, tarfile.open(self._directory, "w:xz") as archive:
            reader.execute("BEGIN")
            reader.execute("SELECT 1 FROM sqlite_master").fetchone()
            for path in sorted(data.glob("memoryd.*")):
                if path.name not in _NOT_DATA:
                    archive.add(path, path.name, filter=_anonymous)

    def unpack(self, data: Path) -> Path:
        """Make the data directory again, and return its path."""
        data.mkdir(parents=True, mode=0o700)
        with tarfile.open(self._directory) as archive:
            archive.extractall(data, filter="data")
        return data

    def pack_redis(self, server: ValkeyServer) -> None:
        """Keep all keys of a server, as commands in its protocol: `xzcat redis.resp.xz | valkey-cli --pipe`."""
        keys = sorted(_list(server.command("KEYS", "*")))
        commands = (command for key in keys for command in _commands(server, key))
        self._redis.write_bytes(lzma.compress(b"".join(encoded(*command) for command in commands)))

    def unpack_redis(self, server: ValkeyServer) -> None:
        """Make the keys again."""
        with server.link() as link:
            link.send_encoded(lzma.decompress(self._redis.read_bytes()))
            link.send("PING")
            while (reply := link.receive()) != b"PONG":
                assert not isinstance(reply, Exception), reply

    def put_snapshot(self, name: str, data: Path) -> None:
        """Make a data directory that has nothing but one of the snapshots."""
        target = data / "snapshots" / self.snapshots[name].name
        target.parent.mkdir(parents=True, mode=0o700)
        shutil.copyfile(self.snapshots[name], target)
        target.chmod(0o600)


@contextmanager
def clock_at(start_ns: int) -> Iterator[None]:
    """Let daemons of this process begin at a moment, so that data of years ago has not expired, in a with block."""
    begun = time.monotonic_ns()

    def now() -> int:
        return start_ns + time.monotonic_ns() - begun

    with mock.patch.object(composition, "system_clock", now):
        yield


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def _commands(server: ValkeyServer, key: bytes) -> Iterator[list[bytes]]:
    """Yield the commands that make one key."""
    make: dict[Reply, Callable[[], list[list[bytes]]]] = {
        b"hash": lambda: [[b"HSET", key, *_list(server.command("HGETALL", key))]],
        b"zset": lambda: [[b"ZADD", key, *_backwards(_list(server.command("ZRANGE", key, 0, -1, "WITHSCORES")))]],
        b"stream": lambda: _rows(server, key),
    }
    yield from make[server.command("TYPE", key)]()


def _rows(server: ValkeyServer, key: bytes) -> list[list[bytes]]:
    rows = server.command("XRANGE", key, "-", "+")
    assert isinstance(rows, list)
    return [[b"XADD", key, *_flat(row)] for row in rows]


def _flat(row: Reply) -> list[bytes]:
    assert isinstance(row, list)
    return [part for each in row for part in (_list(each) if isinstance(each, list) else _list([each]))]


def _backwards(pairs: list[bytes]) -> list[bytes]:
    """Return scores and members from members and scores."""
    return [part for member, score in zip(pairs[::2], pairs[1::2], strict=True) for part in (score, member)]


def _list(reply: Reply) -> list[bytes]:
    assert isinstance(reply, list)
    return [each for each in reply if isinstance(each, bytes)]
