"""The factory of shared stores: ``redis://`` and ``rediss://``, either with ``+sentinel`` or ``+cluster``."""

from typing import TYPE_CHECKING

from typing_extensions import override

from memoryd_server.ports.durability import Durability
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import StoreFactory, StoreOptions, StoreSource

if TYPE_CHECKING:
    from memoryd_server.stores.redis.store import RedisStore


class RedisFactory(StoreFactory):
    """Makes shared stores. The options of a URL are in ``stores.redis.url``."""

    is_shared = True
    durabilities: tuple[Durability, ...] = ("synced", "journaled", "memory")

    @override
    def directory(self, options: StoreOptions) -> None:
        """Return None: there are no files on this machine."""
        return

    @override
    def new_store(self, options: StoreOptions) -> Store:
        """Return the store at the URL. ``open`` creates it if it does not exist."""
        return self._store(options, may_create=True)

    @override
    def new_source(self, options: StoreOptions) -> StoreSource:
        """Return the store at the URL, which must exist."""
        return self._store(options, may_create=False)

    def _store(self, options: StoreOptions, *, may_create: bool) -> "RedisStore":
        # Imported here: the Redis client takes 12 MB and a fifth of a daemon's time to start.
        from memoryd_server.stores.redis.store import RedisSettings, RedisStore
        from memoryd_server.stores.redis.url import parse_store_url

        url = parse_store_url(options.url)
        settings = RedisSettings(
            **url.settings,
            level=options.durability or "memory",
            journal_rows_max=options.journal_rows_max,
            may_create=may_create,
        )
        return RedisStore(url, settings)
