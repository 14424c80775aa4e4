"""mem0 without a language model, on Qdrant in a folder. Its embedder is a formula, since its own are services."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ |= {"MEM0_DIR": str(Path("mem0").absolute()), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from tests.benchmarks.peers.programs import calling, store


class _Formula(EmbeddingBase):
    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return calling.vector_of(text)


class _Users:
    """Each key is a user with one memory, since a memory's id is given by mem0."""

    def __init__(self) -> None:
        self._memory = _memory()

    def write(self, key: str, text: str) -> None:
        self._memory.add(text, user_id=key, infer=False)

    def read(self, key: str) -> str | None:
        found = self._found(key)
        return None if found is None else str(found["memory"])

    def increment(self, key: str) -> None:
        found = self._found(key)
        assert found is not None
        self._memory.update(found["id"], str(int(found["memory"]) + 1))

    def _found(self, key: str) -> dict[str, Any] | None:
        results: list[dict[str, Any]] = self._memory.get_all(filters={"user_id": key})["results"]
        return results[0] if results else None


def _memory() -> Memory:
    settings = {"path": "qdrant", "on_disk": True, "embedding_model_dims": len(calling.vector_of(""))}
    memory = Memory.from_config({"vector_store": {"provider": "qdrant", "config": settings}})
    memory.embedding_model = _Formula()
    return memory


@contextlib.contextmanager
def _opened(_: str) -> Iterator[_Users]:
    yield _Users()


def _speed(_: str) -> None:
    memory = _memory()

    def add(number: int, user: str = "agent") -> str:
        added: str = memory.add(calling.text_of(number), user_id=user, infer=False)["results"][0]["id"]
        return added

    def search(number: int) -> object:
        return memory.search(calling.text_of(number), top_k=calling.LIMIT, filters={"user_id": "agent"})

    ids = [add(number) for number in range(calling.MEMORIES)]
    calling.one("set", lambda number: add(number, "other"))
    calling.one("get", lambda number: memory.get(ids[number % len(ids)]))
    calling.one("recall", search)
    calling.many_threads("set", lambda caller, number: add(number, f"agent-{caller}"))
    calling.many_threads("get", lambda _, number: memory.get(ids[number % len(ids)]))
    calling.many_threads("recall", lambda _, number: search(number))


if __name__ == "__main__":
    store.run(_opened, _speed)
