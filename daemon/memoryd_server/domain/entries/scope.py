"""Scopes: nested containers of entries that fall back to their parents."""

import msgspec

from memoryd_server.domain.entries.entry import ROOT


class Scope(msgspec.Struct, frozen=True, array_like=True):
    """A scope. ``ancestors`` are the scopes above it, the parent first, without the root; stored in this order.

    ``revision`` created it; ``dispose_revision`` is the one that ended it, None while it is active.
    """

    scope_id: str
    name: str
    ancestors: tuple[str, ...]
    create_time: int
    revision: int
    dispose_revision: int | None = None

    @property
    def parent_scope_id(self) -> str:
        """The scope that lookups fall back to."""
        return self.ancestors[0] if self.ancestors else ROOT

    @property
    def disposed(self) -> bool:
        """Whether the scope has ended."""
        return self.dispose_revision is not None
