"""The factory of embedded stores: ``sqlite`` is in the data directory, ``sqlite:DIRECTORY`` in another one."""

from pathlib import Path

from typing_extensions import override

from memoryd_server.ports.durability import Durability
from memoryd_server.ports.inspection import StoreInspection
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import StoreFactory, StoreOptions, StoreSource


class SqliteFactory(StoreFactory):
    """Makes embedded stores."""

    is_shared = False
    durabilities: tuple[Durability, ...] = ("synced", "journaled")

    @override
    def directory(self, options: StoreOptions) -> Path:
        """Return the directory in the URL, else the data directory."""
        place = options.url.partition(":")[2]
        if place:
            return Path(place).expanduser().absolute()
        if options.data_directory is None:
            raise ValueError("must name a directory: sqlite:DIRECTORY")
        return options.data_directory

    @override
    def new_store(self, options: StoreOptions) -> Store:
        """Return a store of the files in the directory."""
        from memoryd_server.stores.sqlite.durability import Durability as SqliteDurability
        from memoryd_server.stores.sqlite.store import SqliteStore

        return SqliteStore(self.directory(options), SqliteDurability(options.durability or "synced"))

    @override
    def new_source(self, options: StoreOptions) -> StoreSource:
        """Return a reader of the files in the directory."""
        from memoryd_server.stores.sqlite.source import SqliteSource

        return SqliteSource(self.directory(options))

    @override
    def new_inspection(self, options: StoreOptions) -> StoreInspection:
        """Return an inspection of the files in the directory, also of damaged ones."""
        from memoryd_server.stores.sqlite.inspection.inspection import SqliteInspection

        return SqliteInspection(self.directory(options))
