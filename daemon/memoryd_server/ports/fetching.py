"""The fetching port: it downloads documents from the hosts that the operator has allowed."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

Sink = Callable[[bytes], Awaitable[None]]
"""A callback that receives the next part of the body."""


class Fetched(msgspec.Struct, frozen=True):
    """The name, media type and charset of a downloaded document, as its server states them; empty if it does not."""

    name: str
    media_type: str
    charset: str = ""


class Fetcher(Protocol):
    """Downloads documents by URL, within a time limit."""

    async def fetch(self, url: str, sink: Sink) -> Fetched:
        """Pass the document's body to the sink, part by part.

        Raises UrlNotAllowed, UrlUnreachable if the server does not respond or fails, DocumentUnreadable if it returns
        no document, and whatever the sink raises.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
