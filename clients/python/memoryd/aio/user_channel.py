"""The connection of an agent that is bound to a user."""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from memoryd.aio.channel import Channel
from memoryd.aio.connection import RpcError
from memoryd.aio.runtime import Flag
from memoryd.errors import CallFailed
from memoryd.protocol.call import Call
from memoryd.protocol.method import Method
from memoryd.protocol.setting import Settings
from memoryd.protocol.user import call_of_user, of_user

Result = TypeVar("Result")


class UserChannel(Channel):
    """A connection whose requests are about a user, unless they name others. It is another one's, which is closed."""

    def __init__(self, channel: Channel, user_id: str) -> None:
        self.settings: Settings = channel.settings
        self._whole = channel.whole
        self._user_id = user_id

    @property
    def whole(self) -> Channel:
        """The connection without a bound user."""
        return self._whole

    @property
    def user_id(self) -> str:
        """The id of the bound user."""
        return self._user_id

    @property
    def closed(self) -> bool:
        """True once the connection is closed."""
        return self.whole.closed

    async def close(self) -> None:
        """End the connection and all calls on it."""
        await self.whole.close()

    async def run(self, call: Call[Result], stop: Flag | None = None) -> Result:
        """Perform a call about the user, as the connection does."""
        return await self.whole.run(call_of_user(call, self._user_id), stop)

    def download(self, method: Method[Any, Any], request: Any, timeout: float | None) -> Any:
        """Begin a call about the user that streams messages back, as the connection does."""
        return self.whole.download(method, of_user(request, self._user_id), timeout)

    async def upload(self, method: Method[Any, Any], requests: AsyncIterator[Any], seconds: float) -> Any:
        """Perform a call about the user that streams messages to the server, as the connection does."""
        bound = (of_user(request, self._user_id) async for request in requests)
        return await self.whole.upload(method, bound, seconds)

    def failure(self, error: RpcError) -> CallFailed:
        """Return this package's error for gRPC's."""
        return self.whole.failure(error)
