"""Leases: fragments that one consumer holds while the others do not get them."""

import msgspec


class Lease(msgspec.Struct, frozen=True, array_like=True):
    """Fragments by their sequences, held by who knows the token, until ``expire_time`` (ns since the Unix epoch).

    A lease without fragments is over. Stored in this order.
    """

    token: str
    expire_time: int
    sequences: tuple[int, ...]

    def is_live(self, now: int) -> bool:
        """Whether the lease has not run out."""
        return now < self.expire_time
