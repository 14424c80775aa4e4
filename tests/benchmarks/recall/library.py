"""Third-party libraries as contenders: each runs in a separate process and environment, created once a machine."""

import contextlib
import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from tests.benchmarks.environment import MissingLibrary, interpreter_with, last_line
from tests.benchmarks.process import ROOT
from tests.benchmarks.recall.contender import LIMIT, Answer
from tests.conversation import Conversation

_EMBEDDER = "model2vec==0.10.0"


class Library(msgspec.Struct, frozen=True):
    """A library. ``program`` is the module that runs it; ``packages`` are its requirements, beginning with itself."""

    name: str
    about: str
    program: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()


_RANK_BM25 = "rank_bm25==0.2.2"

LIBRARIES = (
    Library("rank_bm25, split", "BM25Okapi, lower-cased, split at spaces", "rank_bm25", (_RANK_BM25,)),
    Library(
        "rank_bm25, words",
        "BM25Okapi, lower-cased words without the daemon's stop words",
        "rank_bm25",
        (_RANK_BM25,),
        ("--words",),
    ),
    Library(
        "LangGraph InMemoryStore",
        "vectors of the same table",
        "in_memory_store",
        ("langgraph-checkpoint==4.3.2", _EMBEDDER),
    ),
    Library(
        "mem0",
        "vectors of the same table, infer=False, Qdrant in a folder; what it does with words needs a download",
        "mem0",
        ("mem0ai==2.2.1", _EMBEDDER),
    ),
    Library("Chroma", "vectors of the same table, in a folder", "chroma", ("chromadb==1.5.9", _EMBEDDER)),
)


class LibraryProcess:
    """A ``Contender`` that runs a library; a context manager that ends it. Its times are the library's alone."""

    def __init__(self, library: Library, directory: Path) -> None:
        self.name = library.name
        self.about = f"{library.packages[0].replace('==', ' ')}: {library.about}"
        self._library = library
        self._directory = directory

    def __enter__(self) -> "LibraryProcess":
        """Install and start it. Raises MissingLibrary."""
        program = f"tests.benchmarks.recall.libraries.{self._library.program}"
        interpreter = interpreter_with(self._library.program, self._library.packages)
        command = [str(interpreter), "-m", program, *self._library.arguments]
        self._log = (self._directory / f"{self._library.program}.log").open("w+")
        # It writes only into its own directory, and downloads nothing.
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'daemon'}", "HF_HUB_OFFLINE": "1"}
        self._process = subprocess.Popen(
            command,
            cwd=self._directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        try:
            self._reply()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def store(self, conversation: Conversation) -> None:
        """Store all turns of a conversation."""
        self._ask("store", conversation, texts=[turn.content for turn in conversation.turns])

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best."""
        answer = self._ask("recall", conversation, question=question, limit=LIMIT)
        turn_ids = [conversation.turns[number].id for number in answer["numbers"]]
        return Answer(turn_ids, answer["seconds"])

    def _ask(self, do: str, conversation: Conversation, **given: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        # A process that has ended is reported by _reply, with the last line of its log.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, "conversation": conversation.name, **given}) + "\n")
            self._process.stdin.flush()
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            raise MissingLibrary(f"its process ended: {last_line(self._log.read())}")
        answer: dict[str, Any] = json.loads(line)
        return answer
