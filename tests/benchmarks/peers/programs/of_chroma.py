"""Chroma in the process, in a folder, with vectors that are given."""

import chromadb
from chromadb.config import Settings
from tests.benchmarks.peers.programs import calling


def main() -> None:
    client = chromadb.PersistentClient("chroma", Settings(anonymized_telemetry=False))
    collection = client.create_collection("agent", embedding_function=None)
    others = client.create_collection("other", embedding_function=None)

    def put(number: int, prefix: str = "") -> None:
        text = calling.text_of(number)
        others.upsert(f"{prefix}{calling.key_of(number)}", embeddings=[calling.vector_of(text)], documents=[text])

    def search(number: int) -> object:
        vectors = [calling.vector_of(calling.text_of(number))]
        return collection.query(query_embeddings=vectors, n_results=calling.LIMIT)

    for number in range(calling.MEMORIES):
        text = calling.text_of(number)
        collection.add(str(number), embeddings=[calling.vector_of(text)], documents=[text])
    calling.one("set", put)
    calling.one("get", lambda number: others.get(calling.key_of(number)))
    calling.one("recall", search)
    calling.many_threads("set", lambda caller, number: put(number, f"{caller}:"))
    calling.many_threads("get", lambda caller, number: others.get(f"{caller}:{calling.key_of(number)}"))
    calling.many_threads("recall", lambda _, number: search(number))


if __name__ == "__main__":
    calling.begin()
    main()
