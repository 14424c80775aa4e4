"""The base of the store and of the checkpointer, which closes their connections."""

from types import TracebackType
from typing import Self

from memoryd.langgraph.connection import Connection


class Connected:
    """The base of a store or a checkpointer. Close it, or use it as a context manager."""

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
