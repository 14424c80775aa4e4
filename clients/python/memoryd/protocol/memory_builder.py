"""A memory, said piece by piece."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from memoryd.model.memory import Embedding, LongTermMemoryType, Provenance
from memoryd.model.memory_link import MemoryLinkType
from memoryd.protocol.memory_draft import DraftLink, MemoryDraft


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What memories that are learned together have in common: whom they are about, and where they come from."""

    user_id: str
    conversation_id: str = ""
    project_id: str = ""
    document_id: str = ""
    learning_context: str = ""


class MemoryBuilder:
    """What is to be remembered, said piece by piece: each method answers a builder that knows one thing more.

    The one that was asked stays as it is, so that it may begin many memories. What each thing may be is written at
    MemoryDraft and MemoryOptions. Content and user are needed; without an embedding, the server's embedder makes one.
    """

    def __init__(self, **given: Any) -> None:
        self._given = given

    def content(self, content: str) -> Self:
        """Say what to remember."""
        return self._with(content=content)

    def user_id(self, user_id: str) -> Self:
        """Say whom it is about, or who told it."""
        return self._with(user_id=user_id)

    def project_id(self, project_id: str) -> Self:
        """Say to which project it belongs."""
        return self._with(project_id=project_id)

    def memory_id(self, memory_id: str) -> Self:
        """Name the memory."""
        return self._with(memory_id=memory_id)

    def type(self, memory_type: LongTermMemoryType | str) -> Self:
        """Say what it is."""
        return self._with(type=memory_type)

    def provenance(self, provenance: Provenance) -> Self:
        """Say where it was learned."""
        return self._with(provenance=provenance)

    def from_context(self, context: MemoryContext) -> Self:
        """Take user, project and provenance of a context."""
        provenance = Provenance(context.conversation_id, context.document_id, context.learning_context)
        return self._with(user_id=context.user_id, project_id=context.project_id, provenance=provenance)

    def tags(self, *tags: str) -> Self:
        """Label it with these tags and no others."""
        return self._with(tags=tags)

    def metadata(self, metadata: Mapping[str, Any]) -> Self:
        """Say whatever else is known."""
        return self._with(metadata=dict(metadata))

    def importance(self, importance: float) -> Self:
        """Say how much it matters, from 0 to 1."""
        return self._with(importance=importance)

    def occur_time(self, occur_time: datetime) -> Self:
        """Say when what it tells happened."""
        return self._with(occur_time=occur_time)

    def ttl(self, ttl: timedelta | float) -> Self:
        """Let it end after this time, in seconds or as a timedelta, and not at a moment that was said before."""
        return self._with(ttl=ttl, expire_time=None)

    def expire_time(self, expire_time: datetime) -> Self:
        """Let it end at this moment, and not after a time that was said before."""
        return self._with(expire_time=expire_time, ttl=None)

    def embedding(self, numbers: Embedding | Iterable[float]) -> Self:
        """Give its vector. Raises TypeError, ValueError for what are no numbers."""
        return self._with(embedding=numbers if isinstance(numbers, Embedding) else Embedding.of(numbers))

    def linked_to(
        self,
        memory_id: str,
        link_type: MemoryLinkType | str = MemoryLinkType.RELATED,
        *,
        strength: float | None = None,
    ) -> Self:
        """Link it to one more memory."""
        return self._with(links=(*self._given.get("links", ()), DraftLink(memory_id, link_type, strength)))

    def skip_kinship_check(self) -> Self:
        """Keep it even when it tells what another one tells, and look for no contradictions."""
        return self._with(skip_kinship_check=True)

    def build(self) -> MemoryDraft:
        """Answer what was said. Raises ValueError when there is no content or no user."""
        for name, need in (("content", "content: what is to be remembered"), ("user_id", "user_id: whom it is about")):
            if not self._given.get(name):
                raise ValueError(f"a memory needs a {need}")
        return MemoryDraft(**self._given)

    def _with(self, **given: Any) -> Self:
        return type(self)(**self._given | given)
