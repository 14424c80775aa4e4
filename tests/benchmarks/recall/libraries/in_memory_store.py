"""LangGraph's InMemoryStore with an index of vectors."""

from collections.abc import Sequence

from langgraph.store.memory import InMemoryStore
from tests.benchmarks.recall.libraries.serving import serve
from tests.benchmarks.recall.table import DIMENSIONS, load_table


class _Store:
    def __init__(self) -> None:
        table = load_table()
        self._store = InMemoryStore(
            index={"dims": DIMENSIONS, "embed": lambda texts: table.encode(list(texts)).tolist(), "fields": ["text"]}
        )

    def store(self, conversation: str, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            self._store.put((conversation, "memories"), str(number), {"text": text})

    def recall(self, conversation: str, question: str, limit: int) -> Sequence[int]:
        found = self._store.search((conversation, "memories"), query=question, limit=limit)
        return [int(item.key) for item in found]


if __name__ == "__main__":
    serve(_Store())
