"""Moves memory from one store to another: a composition of its own, beside that of the daemon."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.engine.migration import AgentSource, Migrated, Migration, Report
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.store import Store
from memoryd_server.stores.redis.store import RedisSettings, RedisStore
from memoryd_server.stores.redis.unfit import UnfitServer
from memoryd_server.stores.redis.url import parse_store_url
from memoryd_server.stores.sqlite.source import SqliteSource
from memoryd_server.stores.sqlite.store import SqliteStore

SQLITE = "sqlite:"


async def move(source: str, target: str, prefix: str, report: Report) -> Migrated:
    """Copy all agents from one place to another, each ``sqlite:DIRECTORY`` or the URL of a Redis store.

    Raises OperatorError, Refusal.
    """
    if source == target:
        raise OperatorError("--to: is the same as --from", "INVALID_SETTING")
    try:
        async with _source(source, prefix) as here, _target(target, prefix) as there:
            return await Migration(here, there, report).run()
    except UnfitServer as error:
        raise OperatorError(str(error), "STORE_UNFIT") from error
    except StoreUnavailable as error:
        raise OperatorError(str(error.__cause__ or error), error.reason) from error


@contextlib.asynccontextmanager
async def _source(place: str, prefix: str) -> AsyncIterator[AgentSource]:
    if place.startswith(SQLITE):
        with contextlib.closing(SqliteSource(_directory_of(place))) as source:
            yield source
        return
    async with _opened(_redis(place, RedisSettings(prefix=prefix, level="memory", may_create=False))) as store:
        yield store


@contextlib.asynccontextmanager
async def _target(place: str, prefix: str) -> AsyncIterator[Store]:
    if place.startswith(SQLITE):
        with DataDirectory(_directory_of(place)) as directory:
            async with _opened(SqliteStore(directory.path)) as store:
                yield store
        return
    async with _opened(_redis(place, RedisSettings(prefix=prefix, level="memory"))) as store:
        yield store


def _directory_of(place: str) -> Path:
    return Path(place.removeprefix(SQLITE)).expanduser().absolute()


def _redis(place: str, settings: RedisSettings) -> RedisStore:
    try:
        return RedisStore(parse_store_url(place), settings)
    except ValueError as error:
        raise OperatorError(f"a store is sqlite:DIRECTORY or an URL; that {error}", "INVALID_SETTING") from None


@contextlib.asynccontextmanager
async def _opened(store: Store) -> AsyncIterator[Store]:
    await store.open()
    try:
        yield store
    finally:
        await store.close()
