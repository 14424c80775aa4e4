"""The opening of stores by commands: the lock of their files, and the failures that the operator must mend."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import UnfitStore


class _Openable(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...


Opened = TypeVar("Opened", bound=_Openable)


@contextlib.asynccontextmanager
async def opened(store: Opened) -> AsyncIterator[Opened]:
    """Open a store, and close it at the end."""
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@contextlib.contextmanager
def locked(directory: Path | None) -> Iterator[None]:
    """Keep others from the files of a store that is written, if it has files here."""
    with contextlib.nullcontext() if directory is None else DataDirectory(directory):
        yield


@contextlib.contextmanager
def failures_named() -> Iterator[None]:
    """Turn the failures that the operator must mend into OperatorError."""
    try:
        yield
    except UnfitStore as error:
        raise OperatorError(str(error)) from error
    except StoreUnavailable as error:
        raise OperatorError(str(error.__cause__ or error), error.reason) from error


async def ensure_unused(target: Store, own: int = 0) -> None:
    """Raise OperatorError if daemons use the target, besides ``own``. The lock of an embedded store excludes that."""
    count = 0 if target.sharing is None else await target.sharing.daemon_count() - own
    if count > 0:
        users = "a daemon uses" if count == 1 else f"{count} daemons use"
        raise OperatorError(f"{users} the target: stop them all; a killed daemon counts for some seconds more")
