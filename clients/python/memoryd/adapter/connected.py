"""The base of what an adapter offers to its framework, which closes its connections."""

from types import TracebackType
from typing import Self

from memoryd.adapter.connection import Connection


class Connected:
    """The base of an object that calls the daemon for a framework. Close it, or use it as a context manager."""

    _connection: Connection

    def close(self) -> None:
        """Close the connection of the sync methods."""
        self._connection.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop and of the sync methods."""
        await self._connection.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
