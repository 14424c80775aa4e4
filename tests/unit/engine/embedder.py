"""An embedder that a test can block and make fail."""

import asyncio
import struct
from collections.abc import Sequence

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.ports.retrieval import EmbedderUnavailable, Familiarity

IDENTITY = EmbeddingIdentity("lengths", "1", 2)


def vector_of(text: str) -> bytes:
    """Return a vector of the text's length and first character."""
    return struct.pack("<2f", len(text), ord(text[0]))


class FakeEmbedder:
    """An embedder that returns ``vector_of`` each text, waits while ``gate`` is closed and fails while ``is_away``.

    It refuses texts that contain ``refuses``. ``asked`` has the texts of each call.
    """

    def __init__(self, *, is_immediate: bool = False, identity: EmbeddingIdentity = IDENTITY) -> None:
        self.identity = identity
        self.is_immediate = is_immediate
        self.is_away = False
        self.refuses = ""
        self.defect: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked: list[list[str]] = []
        self.closed = False

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        self.asked.append(list(texts))
        await self.gate.wait()
        if self.defect is not None:
            defect, self.defect = self.defect, None
            raise defect
        if self.is_away or (self.refuses and any(self.refuses in text for text in texts)):
            raise EmbedderUnavailable("away")
        return [vector_of(text) for text in texts]

    def familiarity_of(self, text: str) -> Familiarity:
        return Familiarity(0.5, frozenset(text.split()[:1]))

    async def close(self) -> None:
        self.closed = True
