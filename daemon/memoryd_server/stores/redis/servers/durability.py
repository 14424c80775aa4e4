"""The durability that a commit must reach before it is acknowledged."""

from typing import Any

import msgspec

from memoryd_server.stores.redis.servers.link import Command


class Durability(msgspec.Struct, frozen=True):
    """The durability that the server must reach after each batch of commits.

    If ``is_fsynced`` is true, its own append-only file is synced (WAITAOF, Redis 7.2). ``replicas`` is the number of
    replicas that have the commits: in memory, or synced if ``is_fsynced``.
    """

    is_fsynced: bool = False
    replicas: int = 0

    @property
    def waits(self) -> bool:
        """True if the server must wait for a sync or for replicas."""
        return self.is_fsynced or self.replicas > 0

    def closing_command(self, timeout_s: float) -> Command | None:
        """Return the command that waits, less than ``timeout_s``; None if there is nothing to wait for."""
        timeout_ms = max(int(timeout_s * 1000 * 0.9), 1)
        if self.is_fsynced:
            return ("WAITAOF", 1, self.replicas, timeout_ms)
        return ("WAIT", self.replicas, timeout_ms) if self.replicas else None

    def is_enough(self, reply: Any) -> bool:
        """Return True if the reply to ``closing_command`` shows that the durability was reached."""
        if self.is_fsynced:
            local, replicas = reply
            return bool(local >= 1 and replicas >= self.replicas)
        return bool(reply >= self.replicas)
