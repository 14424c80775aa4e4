"""How stores are found: a distribution registers one factory for each scheme of its stores' URLs.

It names the factory's class as an entry point of the group ``memoryd.stores``, under the scheme. The daemon's own
stores are registered in the same way, in its pyproject.toml; docs/contributing/adding-a-store.md adds another one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from memoryd_server.ports.store import AgentHead, Store, StoredAgent

ENTRY_POINT_GROUP = "memoryd.stores"

Durability = Literal["synced", "journaled", "memory"]
"""What an acknowledged change survives: a loss of power; a killed process; only what snapshots hold."""


class StoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator chose for a store. Whatever is one store's own is a part of its URL.

    ``url`` is the URL as it was written, or its scheme alone. ``data_directory`` is the daemon's; None outside of a
    daemon. ``durability`` is one of the factory's ``durabilities``; None asks for nothing of a server, and for the most
    durable of an embedded store. ``journal_rows_max`` is about how many rows all journals retain between prunings.
    """

    url: str
    data_directory: Path | None = None
    durability: Durability | None = None
    journal_rows_max: int = 1_000_000


class UnfitStore(Exception):  # noqa: N818 - the operator's error, not the program's
    """The store cannot be used as the operator asked. The message says what to change, and holds no password.

    ``Store.open`` and ``StoreSource.open`` may raise it.
    """


class StoreSource(Protocol):
    """A store that is only read, also while a daemon uses it. What each method does, ``ports.store.Store`` says."""

    store_id: str

    async def open(self) -> None:
        """Make ready to read, changing nothing. Raises StoreUnavailable when there is no store."""

    async def close(self) -> None:
        """Release what was opened."""

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """Heads of agents that have not ended, in order of their ids."""

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """An agent's head."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """An agent whole."""


class StoreFactory(Protocol):
    """Makes the stores of one scheme. It is loaded, and made without arguments, before anything else of its store is
    needed: whatever is slow to import is imported by its methods.

    Each method raises ValueError, without any password in its message, for a URL that it cannot use.
    """

    is_shared: bool
    """Whether several daemons may use the same data at a time: whether its stores have a ``sharing``."""

    durabilities: Sequence[Durability]
    """What its stores can promise. The first is what they promise unless the operator chooses another."""

    def directory(self, options: StoreOptions) -> Path | None:
        """The directory whose files are the store's; None for a store without files here.

        The daemon creates it where it is missing, and holds a lock on it as long as it uses the store.
        """

    def new_store(self, options: StoreOptions) -> Store:
        """A store that is not open yet."""

    def new_source(self, options: StoreOptions) -> StoreSource:
        """The same data to read only, not open yet, for ``memoryd migrate``. It never creates a store."""
