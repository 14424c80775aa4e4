"""The OpenAI Agents SDK over memoryd: ``MemorydSession`` is a session.

It needs the extra ``memoryd[openai-agents]``.
"""

try:
    import agents.memory  # noqa: F401 - whether it is there
except ImportError as error:
    raise ImportError("memoryd.openai_agents needs openai-agents: pip install 'memoryd[openai-agents]'") from error

from memoryd.openai_agents.session import MemorydSession

__all__ = ["MemorydSession"]
