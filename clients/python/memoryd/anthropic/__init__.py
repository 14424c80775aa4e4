"""Claude's memory tool over memoryd: ``MemorydMemoryTool``, and ``MemorydAsyncMemoryTool`` for asyncio.

It needs the extra ``memoryd[anthropic]``.
"""

try:
    import anthropic.lib.tools  # noqa: F401 - whether it is there
except ImportError as error:
    raise ImportError("memoryd.anthropic needs anthropic: pip install 'memoryd[anthropic]'") from error

from memoryd.anthropic.memory_tool import MemorydAsyncMemoryTool, MemorydMemoryTool

__all__ = ["MemorydAsyncMemoryTool", "MemorydMemoryTool"]
