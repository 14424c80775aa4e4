"""How durable a commit is before it is answered."""

from typing import Any

import msgspec

from memoryd_server.stores.redis.link import Command


class Durability(msgspec.Struct, frozen=True):
    """What the server is asked to wait for after each batch of commits.

    ``is_fsynced``: until its own append-only file is synced (WAITAOF, Redis 7.2). ``replicas``: until so many replicas
    have the commits as well: in memory, or synced when ``is_fsynced``.
    """

    is_fsynced: bool = False
    replicas: int = 0

    @property
    def waits(self) -> bool:
        """Whether there is something to wait for."""
        return self.is_fsynced or self.replicas > 0

    def closing_command(self, timeout_s: float) -> Command | None:
        """The command that waits, at most so long; None when there is nothing to wait for."""
        timeout_ms = max(int(timeout_s * 1000 * 0.9), 1)
        if self.is_fsynced:
            return ("WAITAOF", 1, self.replicas, timeout_ms)
        return ("WAIT", self.replicas, timeout_ms) if self.replicas else None

    def is_enough(self, reply: Any) -> bool:
        """Whether the answer to the command says that what was waited for has come."""
        if self.is_fsynced:
            local, replicas = reply
            return bool(local >= 1 and replicas >= self.replicas)
        return bool(reply >= self.replicas)
