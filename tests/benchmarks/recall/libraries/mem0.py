"""mem0 without a language model: texts are stored unchanged.

Its search by words (fastembed's BM25 and spaCy's lemmas) needs models that it downloads when it runs, so it is off
here. Its own embedders are services or downloads, too: the daemon's table replaces them.
"""

import os
from collections.abc import Sequence
from pathlib import Path

os.environ |= {"MEM0_DIR": str(Path("mem0").absolute()), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from tests.benchmarks.recall.libraries.serving import serve
from tests.benchmarks.recall.table import DIMENSIONS, load_table


class _Table(EmbeddingBase):
    def __init__(self) -> None:
        super().__init__()
        self._table = load_table()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._table.encode([text])[0].tolist()
        return vector


class _Mem0:
    def __init__(self) -> None:
        settings = {"path": "qdrant", "on_disk": True, "embedding_model_dims": DIMENSIONS}
        self._memory = Memory.from_config({"vector_store": {"provider": "qdrant", "config": settings}})
        self._memory.embedding_model = _Table()

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            self._memory.add(text, user_id=conversation, metadata={"number": number}, infer=False)

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        found = self._memory.search(question, top_k=limit, filters={"user_id": conversation})
        return [item["metadata"]["number"] for item in found["results"]]


if __name__ == "__main__":
    serve(_Mem0())
