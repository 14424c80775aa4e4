"""Words only: SQLite's FTS5, used in the common way."""

import sqlite3
from collections.abc import Sequence

from tests.benchmarks.recall.contender import LIMIT, Answer, timed
from tests.benchmarks.recall.word import words
from tests.conversation import Conversation


class Fts5:
    """A ``Contender``: a table for each conversation, stemmed, ranked by bm25; any word of the question may match."""

    name = "FTS5"
    about = f"SQLite {sqlite3.sqlite_version}, porter, the daemon's stop words"

    def __init__(self) -> None:
        self._tables: dict[str, sqlite3.Connection] = {}

    def store(self, conversation: Conversation) -> None:
        """Store all turns of a conversation."""
        self._tables[conversation.name] = table_of([turn.content for turn in conversation.turns])

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best."""
        return timed(lambda: self.found(conversation, question, LIMIT))

    def found(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        """Return the ids of the turns that match best, at most ``limit``."""
        numbers = matching(self._tables[conversation.name], question, limit)
        return [conversation.turns[number].id for number in numbers]


def table_of(texts: Sequence[str]) -> sqlite3.Connection:
    """Return an FTS5 table of texts, in memory."""
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE text USING fts5 (content, tokenize = 'porter unicode61')")
    table.executemany("INSERT INTO text (rowid, content) VALUES (?, ?)", enumerate(texts))
    return table


def matching(table: sqlite3.Connection, question: str, limit: int) -> Sequence[int]:
    """Return the numbers of the texts that match best, counted from 0."""
    query = " OR ".join(f'"{word}"' for word in words(question))
    if not query:
        return []
    rows = table.execute("SELECT rowid FROM text WHERE text MATCH ? ORDER BY rank LIMIT ?", (query, limit))
    return [number for (number,) in rows]
