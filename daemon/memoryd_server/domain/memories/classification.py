"""Classification of a memory by the words of its content."""

import re

from memoryd_server.domain.memories.memory import MemoryType

_PROCEDURAL = (
    "to do",
    "how to",
    "steps to",
    "run",
    "execute",
    "first",
    "then",
    "finally",
    "in order to",
    "to accomplish",
)
_EPISODIC = (
    "yesterday",
    "last week",
    "on",
    "when we",
    "that time",
    "remember when",
    "earlier",
    "ago",
    "back when",
    "that day",
)
_SEMANTIC = ("is", "are", "uses", "prefers", "requires", "the", "always", "never", "has", "contains", "means")
"""The indicators of the memory model's specification, MEM-01, section 5."""

_BY_TYPE = {
    MemoryType.PROCEDURAL: _PROCEDURAL,
    MemoryType.EPISODIC: _EPISODIC,
    MemoryType.SEMANTIC: _SEMANTIC,
}
"""The indicators of each type. On a tie the first type wins: the indicators of facts occur in every text."""

_LOOKED_AT_CHARACTERS_MAX = 10_000


def type_of(content: str) -> MemoryType:
    """Return the type that has most indicators among the whole words of a content; SEMANTIC if there are none."""
    text = content[:_LOOKED_AT_CHARACTERS_MAX].lower()
    counts = {kind: sum(_occurs(each, text) for each in indicators) for kind, indicators in _BY_TYPE.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else MemoryType.SEMANTIC


def _occurs(indicator: str, text: str) -> bool:
    # Most indicators occur nowhere in the text, and the plain search excludes them a hundred times as fast.
    return indicator in text and re.search(rf"\b{indicator}\b", text) is not None
