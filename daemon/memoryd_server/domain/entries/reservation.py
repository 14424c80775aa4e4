"""Reservations: the right of one caller to make a key's value while the others wait."""

import msgspec


class Reservation(msgspec.Struct, frozen=True, array_like=True):
    """The right to make a value, held by who knows the token, until ``expire_time`` (ns since the Unix epoch)."""

    scope_id: str
    key: str
    token: str
    expire_time: int

    def is_live(self, now: int) -> bool:
        """Whether the lease has not run out."""
        return now < self.expire_time
