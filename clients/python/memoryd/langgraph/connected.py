"""What stands on connections, and closes them."""

from types import TracebackType
from typing import Self

from memoryd.langgraph.connection import Connection


class Connected:
    """A store or a checkpointer, which is closed, or used as a context manager."""

    _connection: Connection

    def close(self) -> None:
        """End the connection of the methods that are not awaited."""
        self._connection.close()

    async def aclose(self) -> None:
        """End the connections of this event loop, and of the methods that are not awaited."""
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
