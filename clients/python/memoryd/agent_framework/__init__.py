"""Microsoft's Agent Framework over memoryd: ``MemorydHistoryProvider`` and ``MemorydContextProvider``.

It needs the extra ``memoryd[agent-framework]``.
"""

try:
    from agent_framework import ContextProvider, HistoryProvider  # noqa: F401 - whether both are there
except ImportError as error:
    raise ImportError(
        "memoryd.agent_framework needs agent-framework-core: pip install 'memoryd[agent-framework]'"
    ) from error

from memoryd.agent_framework.context_provider import MemorydContextProvider
from memoryd.agent_framework.history_provider import MemorydHistoryProvider

__all__ = ["MemorydContextProvider", "MemorydHistoryProvider"]
