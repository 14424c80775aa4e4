"""A fluent builder of memories."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from memoryd.model.memory import Embedding, MemoryType, Provenance
from memoryd.model.memory_link import MemoryLinkType
from memoryd.protocol.memory_draft import MemoryDraft, MemoryLinkDraft


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The user, project and provenance that memories learned together have in common."""

    user_id: str
    conversation_id: str = ""
    project_id: str = ""
    document_id: str = ""
    learning_context: str = ""


class MemoryBuilder:
    """An immutable builder of a memory: each method returns a new builder with one more property.

    A builder can therefore be the start of many memories. MemoryDraft and MemoryOptions describe the properties and
    their limits. The content is required; without an embedding, the server's embedder makes one.
    """

    def __init__(self, **given: Any) -> None:
        self._given = given

    def content(self, content: str) -> Self:
        """Set the text to remember."""
        return self._with(content=content)

    def user_id(self, user_id: str) -> Self:
        """Set the user whom it is about, or who said it."""
        return self._with(user_id=user_id)

    def project_id(self, project_id: str) -> Self:
        """Set the project that it belongs to."""
        return self._with(project_id=project_id)

    def memory_id(self, memory_id: str) -> Self:
        """Set the memory's id."""
        return self._with(memory_id=memory_id)

    def type(self, memory_type: MemoryType | str) -> Self:
        """Set the type."""
        return self._with(type=memory_type)

    def provenance(self, provenance: Provenance) -> Self:
        """Set where it was learned."""
        return self._with(provenance=provenance)

    def from_context(self, context: MemoryContext) -> Self:
        """Set user, project and provenance to those of a context."""
        provenance = Provenance(context.conversation_id, context.document_id, context.learning_context)
        return self._with(user_id=context.user_id, project_id=context.project_id, provenance=provenance)

    def aliases(self, *aliases: str) -> Self:
        """Set other wordings by which it is found, replacing any that were set before."""
        return self._with(aliases=aliases)

    def tags(self, *tags: str) -> Self:
        """Set the tags, replacing any that were set before."""
        return self._with(tags=tags)

    def metadata(self, metadata: Mapping[str, Any]) -> Self:
        """Set the writer's own JSON values."""
        return self._with(metadata=dict(metadata))

    def importance(self, importance: float) -> Self:
        """Set the importance, from 0 to 1."""
        return self._with(importance=importance)

    def occur_time(self, occur_time: datetime) -> Self:
        """Set the time of the event that it states."""
        return self._with(occur_time=occur_time)

    def ttl(self, ttl: timedelta | float) -> Self:
        """Set its time to live, in seconds or as a timedelta. It replaces an ``expire_time`` that was set before."""
        return self._with(ttl=ttl, expire_time=None)

    def expire_time(self, expire_time: datetime) -> Self:
        """Set the time at which it ends. It replaces a ``ttl`` that was set before."""
        return self._with(expire_time=expire_time, ttl=None)

    def embedding(self, numbers: Embedding | Iterable[float]) -> Self:
        """Set its vector. Raises TypeError or ValueError if it is not made of numbers."""
        return self._with(embedding=numbers if isinstance(numbers, Embedding) else Embedding.of(numbers))

    def linked_to(
        self,
        memory_id: str,
        link_type: MemoryLinkType | str = MemoryLinkType.RELATED,
        *,
        strength: float | None = None,
    ) -> Self:
        """Add a link to another memory."""
        return self._with(links=(*self._given.get("links", ()), MemoryLinkDraft(memory_id, link_type, strength)))

    def allow_duplicates(self) -> Self:
        """Create it even if it is a duplicate."""
        return self._with(allow_duplicates=True)

    def skip_contradictions(self) -> Self:
        """Do not link it with the memories that it contradicts."""
        return self._with(skip_contradictions=True)

    def build(self) -> MemoryDraft:
        """Return the draft. Raises ValueError if the content is missing."""
        if not self._given.get("content"):
            raise ValueError("content is missing: set it to the text to remember")
        return MemoryDraft(**self._given)

    def _with(self, **given: Any) -> Self:
        return type(self)(**self._given | given)
