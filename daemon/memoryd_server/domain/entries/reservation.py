"""Reservations: the exclusive right of one caller to fill an entry while others wait for it."""

import msgspec


class Reservation(msgspec.Struct, frozen=True, array_like=True):
    """The right of the token's holder to fill an entry until ``expire_time`` (ns since the Unix epoch)."""

    scope_id: str
    key: str
    token: str
    expire_time: int

    def is_live(self, now: int) -> bool:
        """Return True if the reservation has not expired at ``now``."""
        return now < self.expire_time
