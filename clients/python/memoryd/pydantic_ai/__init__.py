"""Pydantic AI over memoryd: ``MemorydConversationStore`` is a store of conversations.

It needs the extra ``memoryd[pydantic-ai]``.
"""

try:
    import pydantic_ai.conversation_store  # noqa: F401 - whether it is there
except ImportError as error:
    raise ImportError("memoryd.pydantic_ai needs pydantic-ai-slim: pip install 'memoryd[pydantic-ai]'") from error

from memoryd.pydantic_ai.conversation_store import MemorydConversationStore

__all__ = ["MemorydConversationStore"]
