"""The daemon's store, made and locked as the settings say."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from memoryd_server.engine.engine import NO_INDEX_FILES, IndexFiles
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.restore_mark import refuse_interrupted
from memoryd_server.ports.durability import Durability
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import StoreOptions
from memoryd_server.stores.index_directory import IndexDirectory


def durability_of(settings: Settings) -> Durability:
    """Return the durability that the operator chose, or else the first that the store offers."""
    return settings.storage.durability or factory_of(settings.storage.url).durabilities[0]


def store_directory_of(settings: Settings, data_directory: DataDirectory) -> Path | None:
    """Return where the store keeps its files; None if it keeps none. Raises OperatorError."""
    with refused_as("store"):
        options = StoreOptions(url=settings.storage.url, data_directory=data_directory.path)
        return factory_of(settings.storage.url).directory(options)


def index_files_of(settings: Settings, data_directory: DataDirectory) -> IndexFiles:
    """Return where indexes are saved: beside an embedded store. None are saved of memory that other daemons erase."""
    place = store_directory_of(settings, data_directory)
    if place is None or factory_of(settings.storage.url).is_shared:
        return NO_INDEX_FILES
    return IndexFiles(IndexDirectory(place / "indexes" / "memories"), IndexDirectory(place / "indexes" / "documents"))


@contextlib.contextmanager
def store_of(settings: Settings, data_directory: DataDirectory) -> Iterator[Store]:
    """Provide the daemon's store, not open yet, and lock its directory unless that is the data directory.

    Raises OperatorError if the store cannot be used as it is set.
    """
    options = StoreOptions(
        url=settings.storage.url,
        data_directory=data_directory.path,
        durability=durability_of(settings),
        journal_rows_max=settings.journal.rows_max,
    )
    with refused_as("store"):
        factory = factory_of(options.url)
        store, directory = factory.new_store(options), factory.directory(options)
    if directory is None or directory == data_directory.path:
        refuse_interrupted(data_directory.path)
        yield store
        return
    with DataDirectory(directory, insecure=settings.security.insecure):
        refuse_interrupted(directory)
        yield store
