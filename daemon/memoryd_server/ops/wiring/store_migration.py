"""The composition of `memoryd migrate`: copies agents from one store to another."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.engine.images.migration import Migrated, Migration, Report
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.store import JournalCompacted, RevisionConflict, Store
from memoryd_server.ports.store_factory import StoreOptions, UnfitStore


class _Openable(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...


_Opened = TypeVar("_Opened", bound=_Openable)


async def move(source: str, target: str, report: Report, *, overwrites: bool = False) -> Migrated:
    """Copy all agents between two stores, each named by its URL.

    Raises WouldOverwrite if data of the target would be lost, unless ``overwrites``. Raises OperatorError, Refusal.
    """
    if source == target:
        raise OperatorError("--to: must differ from --from")
    with refused_as("--from"):
        left = factory_of(source).new_source(StoreOptions(url=source))
    with refused_as("--to"):
        options = StoreOptions(url=target)
        filled, directory = factory_of(target).new_store(options), factory_of(target).directory(options)
    try:
        async with _opened(left) as here, _locked(directory), _opened(filled) as there:
            if here.store_id == there.store_id:
                raise OperatorError("--to: is the same store as --from, or a copy of its files")
            return await Migration(here, there, report, partial(_ensure_unused, there), overwrites=overwrites).run()
    except UnfitStore as error:
        raise OperatorError(str(error)) from error
    except StoreUnavailable as error:
        raise OperatorError(str(error.__cause__ or error), error.reason) from error
    except (RevisionConflict, JournalCompacted) as error:
        message = f"another process writes to the target ({error}): stop it, and run this again"
        raise OperatorError(message) from error


@contextlib.asynccontextmanager
async def _locked(directory: Path | None) -> AsyncIterator[None]:
    """Keep others from the files of the target, if it has files here."""
    with contextlib.nullcontext() if directory is None else DataDirectory(directory):
        yield


async def _ensure_unused(target: Store) -> None:
    """Raise OperatorError if daemons use the target. For an embedded store, its lock has excluded that."""
    count = 0 if target.sharing is None else await target.sharing.daemon_count()
    if count:
        users = "a daemon uses" if count == 1 else f"{count} daemons use"
        raise OperatorError(f"{users} the target: stop them all; a killed daemon counts for some seconds more")


@contextlib.asynccontextmanager
async def _opened(store: _Opened) -> AsyncIterator[_Opened]:
    await store.open()
    try:
        yield store
    finally:
        await store.close()
