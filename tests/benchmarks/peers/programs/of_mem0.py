"""mem0 without a language model, on Qdrant in a folder. Its embedder is a formula, since its own are services."""

import os
from pathlib import Path

os.environ |= {"MEM0_DIR": str(Path("mem0").absolute()), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from tests.benchmarks.peers.programs import calling


class _Formula(EmbeddingBase):
    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return calling.vector_of(text)


def main() -> None:
    settings = {"path": "qdrant", "on_disk": True, "embedding_model_dims": len(calling.vector_of(""))}
    memory = Memory.from_config({"vector_store": {"provider": "qdrant", "config": settings}})
    memory.embedding_model = _Formula()

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
    calling.begin()
    main()
