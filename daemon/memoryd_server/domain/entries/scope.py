"""Scopes: nested containers of entries; a look-up falls back to the scopes above."""

from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.values.record_filter import RecordShape

_RENEWED_PARTS = 4
"""The parts of its idle time of which one passes before a scope that is in use is written again."""

SCOPE_SHAPE = RecordShape("scope", attrgetter("scope_id"), tags_of=None, metadata_of=None)
"""The fields of scopes that a filter asks for."""


class Scope(msgspec.Struct, frozen=True, array_like=True):
    """A scope. Fields are stored in this order.

    ``ancestors`` are the scopes above it, the parent first, without the root. ``revision`` is the one that created the
    scope; ``dispose_revision`` the one that disposed it, None while it is active. A scope that is unused for
    ``idle_ttl_ns`` ends at ``expire_time``; both are None for one that only its users dispose.
    """

    kept_when_erased: ClassVar = ("scope_id", "ancestors")

    scope_id: str
    name: str
    ancestors: tuple[str, ...]
    create_time: int
    revision: int
    dispose_revision: int | None = None
    user_id: str = ""
    idle_ttl_ns: int | None = None
    expire_time: int | None = None

    @property
    def parent_scope_id(self) -> str:
        """The id of the scope that look-ups fall back to, or of the root."""
        return self.ancestors[0] if self.ancestors else ROOT

    @property
    def path(self) -> tuple[str, ...]:
        """The scope's id, and those of the scopes above it."""
        return (self.scope_id, *self.ancestors)

    @property
    def update_time(self) -> int:
        """The time of creation, since a scope does not change."""
        return self.create_time

    def used(self, now: int) -> "Scope":
        """Return the scope after a use at ``now``: itself while it lives long enough, else with a later deadline.

        A deadline is later than the idle time by a part of it, and is put off once that part has passed. A scope that
        is used all the time is thus written a few times per idle time, and none ends before it was unused that long.
        """
        if self.idle_ttl_ns is None or (self.expire_time is not None and self.expire_time >= now + self.idle_ttl_ns):
            return self
        return msgspec.structs.replace(self, expire_time=now + self.idle_ttl_ns + self.idle_ttl_ns // _RENEWED_PARTS)

    @property
    def disposed(self) -> bool:
        """True if the scope was disposed."""
        return self.dispose_revision is not None
