"""LlamaIndex over memoryd: ``MemorydChatStore`` is a chat store, for its memories of conversations.

It needs the extra ``memoryd[llama-index]``.
"""

try:
    import llama_index.core.storage.chat_store  # noqa: F401 - whether it is there
except ImportError as error:
    raise ImportError("memoryd.llama_index needs llama-index-core: pip install 'memoryd[llama-index]'") from error

from memoryd.llama_index.chat_store import MemorydChatStore

__all__ = ["MemorydChatStore"]
