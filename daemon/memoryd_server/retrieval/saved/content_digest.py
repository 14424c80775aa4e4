"""Digests of what an index reads of a memory."""

import hashlib
from collections.abc import Iterator

from memoryd_server.ports.retrieval import IndexedMemory

_DIGEST_BYTES = 8


def digest_of(indexed: IndexedMemory) -> int:
    """Return a digest of a memory's texts, its time and its vector: what is saved of it depends on nothing else."""
    digest = hashlib.blake2b(b"".join(_read_of(indexed)), digest_size=_DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "little", signed=True)


def _read_of(indexed: IndexedMemory) -> Iterator[bytes]:
    memory, embedding = indexed.memory, indexed.embedding
    yield memory.content.encode("utf-8", "surrogatepass")
    yield b"\0%d\0" % memory.occur_time
    if memory.aliases or memory.tags:
        yield repr((memory.aliases, memory.tags)).encode("utf-8", "surrogatepass")
    if embedding is not None:
        yield repr(embedding.identity).encode()
        yield embedding.vector
