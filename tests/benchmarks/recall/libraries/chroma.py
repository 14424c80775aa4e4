"""Chroma in a folder, with vectors of the daemon's table: its own embedder is a download."""

from collections.abc import Sequence

import chromadb
from chromadb.config import Settings
from tests.benchmarks.recall.libraries.serving import serve
from tests.benchmarks.recall.table import load_table


class _Chroma:
    def __init__(self) -> None:
        self._table = load_table()
        self._client = chromadb.PersistentClient("chroma", Settings(anonymized_telemetry=False))
        self._collections: dict[str, chromadb.Collection] = {}

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        collection = self._client.create_collection(
            f"collection-{len(self._collections)}", embedding_function=None, metadata={"hnsw:space": "cosine"}
        )
        self._collections[conversation] = collection
        for number, text in enumerate(texts):
            collection.add(str(number), embeddings=self._table.encode([text]).tolist(), documents=[text])

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        vectors = self._table.encode([question]).tolist()
        found = self._collections[conversation].query(query_embeddings=vectors, n_results=limit)
        return [int(key) for key in found["ids"][0]]


if __name__ == "__main__":
    serve(_Chroma())
