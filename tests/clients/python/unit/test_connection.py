"""The connection of the client for asyncio."""

from unittest.mock import AsyncMock, MagicMock

from memoryd.aio.connection import _Connection


class _Stream:
    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


async def test_its_end_is_the_end_of_the_streams_that_an_older_grpc_leaves_open() -> None:
    first, second = _Stream(), _Stream()
    channel = MagicMock(close=AsyncMock())
    channel.unary_stream.return_value = MagicMock(side_effect=[first, second])
    connection = _Connection(channel)
    begin = connection.unary_stream("/method")
    assert [begin("request", timeout=None), begin("request", timeout=None)] == [first, second]
    del second
    await connection.close()
    assert first.cancelled
    channel.close.assert_awaited_once()
