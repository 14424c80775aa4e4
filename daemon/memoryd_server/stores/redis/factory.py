"""A shared store's place: ``redis://``, ``rediss://``, and ``+sentinel`` or ``+cluster`` of either."""

from typing import TYPE_CHECKING

from typing_extensions import override

from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import Durability, StoreFactory, StoreOptions, StoreSource

if TYPE_CHECKING:
    from memoryd_server.stores.redis.store import RedisStore


class RedisFactory(StoreFactory):
    """Makes shared stores. The options of a URL are in ``stores.redis.url``."""

    is_shared = True
    durabilities: tuple[Durability, ...] = ("synced", "journaled", "memory")

    @override
    def directory(self, options: StoreOptions) -> None:
        """There are no files here."""
        return

    @override
    def new_store(self, options: StoreOptions) -> Store:
        """The store at the URL, which is created if it is not there."""
        return self._store(options, may_create=True)

    @override
    def new_source(self, options: StoreOptions) -> StoreSource:
        """The store at the URL, which must be there."""
        return self._store(options, may_create=False)

    def _store(self, options: StoreOptions, *, may_create: bool) -> "RedisStore":
        # The client of Redis takes 12 MB and a fifth of the time to start, which daemons without it need not spend.
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
