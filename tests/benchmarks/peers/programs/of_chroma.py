"""Chroma in the process, in a folder, with vectors that are given."""

import contextlib
from collections.abc import Iterator

import chromadb
from chromadb.config import Settings
from tests.benchmarks.peers.programs import calling, store


class _Collection:
    def __init__(self, client: chromadb.ClientAPI, name: str) -> None:
        self._collection = client.get_or_create_collection(name, embedding_function=None)

    def write(self, key: str, text: str) -> None:
        self._collection.upsert(key, embeddings=[calling.vector_of(text)], documents=[text])

    def read(self, key: str) -> str | None:
        documents = self._collection.get(key)["documents"]
        return documents[0] if documents else None

    def increment(self, key: str) -> None:
        self.write(key, str(int(self.read(key) or 0) + 1))

    def search(self, text: str) -> object:
        return self._collection.query(query_embeddings=[calling.vector_of(text)], n_results=calling.LIMIT)


def _client() -> chromadb.ClientAPI:
    return chromadb.PersistentClient("chroma", Settings(anonymized_telemetry=False))


@contextlib.contextmanager
def _opened(_: str) -> Iterator[_Collection]:
    yield _Collection(_client(), "agent")


def _speed(_: str) -> None:
    client = _client()
    memories, values = _Collection(client, "agent"), _Collection(client, "other")
    for number in range(calling.MEMORIES):
        memories.write(str(number), calling.text_of(number))
    calling.one("set", lambda number: values.write(calling.key_of(number), calling.text_of(number)))
    calling.one("get", lambda number: values.read(calling.key_of(number)))
    calling.one("recall", lambda number: memories.search(calling.text_of(number)))
    calling.many_threads(
        "set", lambda caller, number: values.write(f"{caller}:{calling.key_of(number)}", calling.text_of(number))
    )
    calling.many_threads("get", lambda caller, number: values.read(f"{caller}:{calling.key_of(number)}"))
    calling.many_threads("recall", lambda _, number: memories.search(calling.text_of(number)))


if __name__ == "__main__":
    store.run(_opened, _speed)
