"""Embeddings: vectors that represent the meaning of texts."""

import msgspec


class EmbeddingIdentity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The embedding model that made a vector. Vectors of different identities are never compared.

    Fields are stored in this order.
    """

    model: str
    version: str
    dimensions: int


class Embedding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The vector of a memory's content: ``dimensions`` little-endian IEEE float32, not normalised.

    If ``is_given`` is true, the memory's writer supplied it; otherwise the daemon's embedder made it. Fields are stored
    in this order.
    """

    memory_id: str
    identity: EmbeddingIdentity
    vector: bytes
    is_given: bool = False

    @property
    def size_bytes(self) -> int:
        """Bytes that the vector counts against the storage limit."""
        return len(self.vector)
