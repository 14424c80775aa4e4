"""Leases: the exclusive right of one consumer to process fragments."""

import msgspec


class Lease(msgspec.Struct, frozen=True, array_like=True):
    """Leased fragments by their sequences, until ``expire_time`` (ns since the Unix epoch).

    The holder of the token may renew and settle the lease. A lease without fragments has ended. Fields are stored in
    this order.
    """

    token: str
    expire_time: int
    sequences: tuple[int, ...]

    def is_live(self, now: int) -> bool:
        """Return True if the lease has not expired at ``now``."""
        return now < self.expire_time
