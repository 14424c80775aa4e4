"""Google's Agent Development Kit over memoryd: ``MemorydSessionService`` and ``MemorydMemoryService``.

It needs the extra ``memoryd[google-adk]``.
"""

try:
    import google.adk.memory
    import google.adk.sessions  # noqa: F401 - whether both are there
except ImportError as error:
    raise ImportError("memoryd.google_adk needs google-adk: pip install 'memoryd[google-adk]'") from error

from memoryd.google_adk.memory_service import MemorydMemoryService
from memoryd.google_adk.session_service import MemorydSessionService

__all__ = ["MemorydMemoryService", "MemorydSessionService"]
