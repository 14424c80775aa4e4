"""LangGraph over memoryd: ``MemorydStore`` is a store, ``MemorydSaver`` a checkpointer.

It needs the extra ``memoryd[langgraph]``.
"""

try:
    import langgraph.checkpoint.base
    import langgraph.store.base  # noqa: F401 - whether both are there
except ImportError as error:
    raise ImportError("memoryd.langgraph needs langgraph-checkpoint: pip install 'memoryd[langgraph]'") from error

from memoryd.langgraph.saver import MemorydSaver
from memoryd.langgraph.store import MemorydStore

__all__ = ["MemorydSaver", "MemorydStore"]
