"""The store factory port: a distribution registers one factory for each URL scheme of its stores.

It names the factory's class as an entry point of the group ``memoryd.stores``, under the scheme. The daemon's own
stores are registered in the same way, in its pyproject.toml; docs/contributing/adding-a-store.md adds another one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from memoryd_server.ports.durability import Durability
from memoryd_server.ports.inspection import SourceInspection, StoreInspection
from memoryd_server.ports.store import AgentHead, AgentQuery, ListedAgent, Store, StoredAgent

ENTRY_POINT_GROUP = "memoryd.stores"


class StoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a store. An option of one kind of store only is a part of its URL.

    ``url`` is the URL as it was configured, or its scheme alone. ``data_directory`` is the daemon's; None outside of a
    daemon. ``durability`` is one of the factory's ``durabilities``; None accepts a server's own, and selects the most
    durable one of an embedded store. ``journal_rows_max`` is the approximate number of rows that all journals together
    retain between prunings.
    """

    url: str
    data_directory: Path | None = None
    durability: Durability | None = None
    journal_rows_max: int = 1_000_000


class UnfitStore(Exception):  # noqa: N818 - the operator's error, not the program's
    """The store cannot be used with these settings. The message says what to change, and contains no password.

    ``Store.open`` and ``StoreSource.open`` may raise it.
    """


class StoreSource(Protocol):
    """A store that is only read, possibly while a daemon uses it. The methods are those of ``ports.store.Store``."""

    store_id: str

    async def open(self) -> None:
        """Open the store without changing it. Raises StoreUnavailable if there is none."""

    async def close(self) -> None:
        """Release all that was opened."""

    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the agents that the query lists, in its order."""

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """Return an agent's head."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """Return an agent with all its records."""


class StoreFactory(Protocol):
    """Makes the stores of one scheme.

    It is imported, and constructed without arguments, before a store is needed: its methods must import whatever is
    slow to import. Each method raises ValueError, without a password in its message, for a URL that it cannot use.
    """

    is_shared: bool
    """If true, several daemons may use the same data at a time, and its stores have a ``sharing``."""

    durabilities: Sequence[Durability]
    """The durabilities that its stores support, the default first."""

    def directory(self, options: StoreOptions) -> Path | None:
        """Return the directory of the store's files; None for a store without files on this machine.

        The daemon creates it if it is missing, and holds a lock on it as long as it uses the store.
        """

    def new_store(self, options: StoreOptions) -> Store:
        """Return a store that is not open yet."""

    def new_source(self, options: StoreOptions) -> StoreSource:
        """Return a read-only view of the same data, not open yet, for ``memoryd migrate``. It never creates a store."""

    def new_inspection(self, options: StoreOptions) -> StoreInspection:
        """Return an inspection, not open yet, for ``memoryd check`` and ``memoryd salvage``.

        By default it loads each agent from the source. A store that can tell more of damaged files returns its own.
        """
        return SourceInspection(self.new_source(options))
