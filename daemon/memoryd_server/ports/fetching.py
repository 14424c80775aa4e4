"""The fetching port: what asks other servers for documents, where the operator has allowed them."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

Sink = Callable[[bytes], Awaitable[None]]
"""Takes the next part of what is fetched."""


class Fetched(msgspec.Struct, frozen=True):
    """What a server said of the document that it answered: a name and a type; empty for none."""

    name: str
    media_type: str


class Fetcher(Protocol):
    """Fetches what URLs answer, within limits of time."""

    async def fetch(self, url: str, sink: Sink) -> Fetched:
        """Hand the answer to the sink, part by part.

        Raises UrlNotAllowed, DocumentUnreadable when there is no answer of use, and what the sink raises.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
