"""A primary and its replica under one sentinel, which promotes the replica when the primary is gone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.valkey.server import ValkeyServer
from tests.wait import until

NAME = "memory"
DOWN_AFTER_MS = 500
# Until its periods are shortened, a sentinel pings each second: DOWN_AFTER_MS would make it find every server down.
DOWN_AFTER_MS_AT_FIRST = 60_000
# The periods at which the sentinel asks and publishes. Redis has the command since 7.0.
PERIODS_MS = {"PING-PERIOD": 100, "INFO-PERIOD": 200, "ASK-PERIOD": 200, "PUBLISH-PERIOD": 200}
# A failed attempt at a failover is repeated after twice this time.
FAIL_OVER_MS_MAX = 5_000


class ValkeySentinel:
    """Two servers and one sentinel, which decides alone: its quorum is 1."""

    def __init__(
        self,
        directory: Path,
        *,
        options: Mapping[str, str] | None = None,
        credentials: tuple[str, str] | None = None,
    ) -> None:
        """Options and credentials apply to the two servers. The sentinel requires no credentials."""
        self.name = NAME
        self.servers = [
            ValkeyServer(directory / name, options=options, credentials=credentials) for name in ("first", "second")
        ]
        monitoring = {
            f"sentinel monitor {NAME}": f"127.0.0.1 {self.servers[0].port} 1",
            f"sentinel down-after-milliseconds {NAME}": str(DOWN_AFTER_MS_AT_FIRST),
            f"sentinel failover-timeout {NAME}": str(FAIL_OVER_MS_MAX),
        }
        if credentials is not None:
            user, password = credentials
            monitoring |= {f"sentinel auth-user {NAME}": user, f"sentinel auth-pass {NAME}": password}
        # With the argument the same binary is a sentinel; it keeps its state in its configuration.
        self.sentinel = ValkeyServer(directory / "sentinel", options=monitoring, arguments=("--sentinel",))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The sentinel's host and port."""
        return self.sentinel.address

    @property
    def primary(self) -> ValkeyServer:
        """The server that the sentinel names."""
        reply = self.sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
        assert isinstance(reply, list)
        assert isinstance(reply[1], bytes)
        port = int(reply[1])
        (server,) = [each for each in self.servers if each.port == port]
        return server

    @property
    def replica(self) -> ValkeyServer:
        """The server that the sentinel does not name."""
        primary = self.primary
        (server,) = [each for each in self.servers if each is not primary]
        return server

    def start(self) -> None:
        """Start all three processes and wait until the sentinel could promote the replica."""
        try:
            primary, replica = self.servers
            primary.start()
            replica.start()
            replica.replicate(primary)
            self.sentinel.start()
            for name, period_ms in PERIODS_MS.items():
                self.sentinel.command("SENTINEL", "DEBUG", name, period_ms)
            until(self._is_ready, "the sentinel knows primary and replica")
            self.sentinel.command("SENTINEL", "SET", NAME, "down-after-milliseconds", DOWN_AFTER_MS)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill all three processes."""
        for server in (self.sentinel, *self.servers):
            server.close()

    def fail_over(self) -> ValkeyServer:
        """Kill the primary and wait until the sentinel names the promoted replica. Return that one."""
        until(self._is_ready, "the sentinel knows primary and replica")
        old, new = self.primary, self.replica
        old.kill()
        # Wait also until the sentinel monitors the new primary: it names it a moment earlier.
        until(lambda: self.primary is new and self._sees_primary(), f"the sentinel promotes {new.address}")
        assert new.role == "master"
        return new

    def restart(self) -> None:
        """Start the killed primary again and wait until the sentinel has made it a replica."""
        returned = self.replica
        returned.restart()
        until(lambda: returned.role == "slave" and returned.is_synced, f"{returned.address} is a replica")
        until(self._is_ready, "the sentinel knows primary and replica")

    def _is_ready(self) -> bool:
        replicas = self.sentinel.command("SENTINEL", "REPLICAS", NAME)
        assert isinstance(replicas, list)
        flags = [_fields(each)[b"flags"] for each in replicas]
        return self._sees_primary() and flags == [b"slave"] and self.replica.is_synced

    def _sees_primary(self) -> bool:
        fields = _fields(self.sentinel.command("SENTINEL", "MASTER", NAME))
        return fields[b"flags"] == b"master" and fields[b"port"] == str(self.primary.port).encode()


def _fields(reply: object) -> dict[bytes, bytes]:
    assert isinstance(reply, list)
    return dict(zip(reply[::2], reply[1::2], strict=True))
