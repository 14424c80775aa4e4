"""The composition of `memoryd migrate`: copies agents from one store to another."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.engine.images.migration import AgentSource, Migrated, Migration, Report
from memoryd_server.ops.config.settings import Redis
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.store import JournalCompacted, RevisionConflict, Store
from memoryd_server.stores.redis.sharing import GONE_MS, RedisSharing
from memoryd_server.stores.redis.store import RedisSettings, RedisStore
from memoryd_server.stores.redis.unfit import UnfitServer
from memoryd_server.stores.redis.url import parse_store_url
from memoryd_server.stores.sqlite.source import SqliteSource
from memoryd_server.stores.sqlite.store import SqliteStore

SQLITE = "sqlite:"


class _Openable(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...


_Opened = TypeVar("_Opened", bound=_Openable)


async def move(source: str, target: str, redis: Redis, report: Report, *, overwrites: bool = False) -> Migrated:
    """Copy all agents between two stores, each named by ``sqlite:DIRECTORY`` or the URL of a Redis store.

    Raises WouldOverwrite if data of the target would be lost, unless ``overwrites``. Raises OperatorError, Refusal.
    """
    if source == target:
        raise OperatorError("--to: must differ from --from")
    try:
        async with _source(source, redis) as here, _target(target, redis) as there:
            if here.store_id == there.store_id:
                raise OperatorError("--to: is the same store as --from, or a copy of its files")
            return await Migration(here, there, report, partial(_ensure_unused, there), overwrites=overwrites).run()
    except UnfitServer as error:
        raise OperatorError(str(error)) from error
    except StoreUnavailable as error:
        raise OperatorError(str(error.__cause__ or error), error.reason) from error
    except (RevisionConflict, JournalCompacted) as error:
        message = f"another process writes to the target ({error}): stop it, and run this again"
        raise OperatorError(message) from error


@contextlib.asynccontextmanager
async def _source(place: str, redis: Redis) -> AsyncIterator[AgentSource]:
    if place.startswith(SQLITE):
        async with _opened(SqliteSource(_directory_of(place))) as source:
            yield source
        return
    async with _opened(_redis(place, redis, may_create=False)) as store:
        yield store


@contextlib.asynccontextmanager
async def _target(place: str, redis: Redis) -> AsyncIterator[Store]:
    if place.startswith(SQLITE):
        with DataDirectory(_directory_of(place)) as directory:
            async with _opened(SqliteStore(directory.path)) as store:
                yield store
        return
    async with _opened(_redis(place, redis, may_create=True)) as store:
        yield store


async def _ensure_unused(target: Store) -> None:
    """Raise OperatorError if daemons use the target. For an embedded store, its lock has excluded that."""
    count = await target.sharing.daemon_count() if isinstance(target.sharing, RedisSharing) else 0
    if count:
        users = "a daemon uses" if count == 1 else f"{count} daemons use"
        raise OperatorError(
            f"{users} the target: stop them all; a killed daemon counts for {GONE_MS // 1_000} more seconds"
        )


def _directory_of(place: str) -> Path:
    return Path(place.removeprefix(SQLITE)).expanduser().absolute()


def _redis(place: str, redis: Redis, *, may_create: bool) -> RedisStore:
    settings = RedisSettings(prefix=redis.prefix, shard_count=redis.shards, level="memory", may_create=may_create)
    try:
        return RedisStore(parse_store_url(place), settings)
    except ValueError as error:
        raise OperatorError(f"a store is sqlite:DIRECTORY or a URL; that {error}") from None


@contextlib.asynccontextmanager
async def _opened(store: _Opened) -> AsyncIterator[_Opened]:
    await store.open()
    try:
        yield store
    finally:
        await store.close()
