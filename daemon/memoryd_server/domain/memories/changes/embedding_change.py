"""Commands about vectors that are computed after their memories were committed."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory_part import MEMORIES


class EmbeddingsKept(Result, frozen=True, array_like=True, tag=True):
    """The result of KeepEmbeddings: the number of vectors that were stored."""

    count: int
    revision: int


class MemoriesReembedded(Result, frozen=True, array_like=True, tag=True):
    """The result of FinishReembedding: the numbers of memories that got a vector, and that still need one."""

    embedded: int
    left: int
    revision: int


class EmbeddedContent(msgspec.Struct, frozen=True):
    """A vector with the content that it was computed from."""

    content: str
    embedding: Embedding


class KeepEmbeddings(Command[EmbeddingsKept], frozen=True):
    """Store embeddings that were computed after their memories were committed. The revision stays.

    If ``replaces_given`` is true, they also replace embeddings that writers supplied.
    """

    embedded: tuple[EmbeddedContent, ...]
    replaces_given: bool = False

    def decide(self, transition: Transition) -> EmbeddingsKept:
        """Store the embeddings of memories whose content is still the embedded one."""
        editor = transition.open(MEMORIES)
        kept = 0
        for embedded in self.embedded:
            memory_id = embedded.embedding.memory_id
            memory, before = (
                editor.memories.memories.get(memory_id),
                editor.memories.embeddings.get(memory_id),
            )
            is_free = before is None or not before.is_given or self.replaces_given
            if memory is not None and memory.content == embedded.content and is_free:
                editor.put_embedding(embedded.embedding)
                kept += 1
        transition.keep_revision()
        return EmbeddingsKept(kept, transition.state.revision)


class FinishReembedding(Command[MemoriesReembedded], frozen=True):
    """Change nothing: the result of embedding memories again is remembered under the request id of this command."""

    embedded: int
    left: int

    def decide(self, transition: Transition) -> MemoriesReembedded:
        """Return the result."""
        return MemoriesReembedded(self.embedded, self.left, transition.result_revision)
