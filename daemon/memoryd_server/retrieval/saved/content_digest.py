"""Digests of what an index reads of a memory."""

import hashlib

from memoryd_server.ports.retrieval import IndexedMemory

_DIGEST_BYTES = 8


def digest_of(indexed: IndexedMemory) -> int:
    """Return a digest of a memory's texts, its time and its vector: what is saved of it depends on nothing else."""
    memory, embedding = indexed.memory, indexed.embedding
    digest = hashlib.blake2b(memory.content.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES)
    digest.update(b"\0%d\0" % memory.occur_time)
    if memory.aliases or memory.tags:
        digest.update(repr((memory.aliases, memory.tags)).encode("utf-8", "surrogatepass"))
    if embedding is not None:
        digest.update(embedding.identity.model.encode() + b"\0" + embedding.identity.version.encode() + b"\0")
        digest.update(embedding.vector)
    return int.from_bytes(digest.digest(), "little", signed=True)
