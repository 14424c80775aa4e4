"""Embeddings: what a text means, as a vector that is compared with others of the same embedder only."""

import msgspec


class EmbeddingIdentity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Which embedder made a vector. Vectors of two identities are never compared. Stored in this order."""

    model: str
    version: str
    dimensions: int


class Embedding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The vector of a memory's content: ``dimensions`` little-endian IEEE float32, not normalised.

    ``is_given`` is whether the memory's writer brought it, and no embedder of the daemon made it. Stored in this order.
    """

    memory_id: str
    identity: EmbeddingIdentity
    vector: bytes
    is_given: bool = False

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        return len(self.vector)
