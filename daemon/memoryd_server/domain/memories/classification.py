"""Which type a memory is of, by the words of its content."""

import re

from memoryd_server.domain.memories.memory import LongTermMemoryType

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
    LongTermMemoryType.PROCEDURAL: _PROCEDURAL,
    LongTermMemoryType.EPISODIC: _EPISODIC,
    LongTermMemoryType.SEMANTIC: _SEMANTIC,
}
"""Of types with as many indicators the first one is taken: the words of facts are in every text."""

_LOOKED_AT_CHARACTERS_MAX = 10_000


def type_of(content: str) -> LongTermMemoryType:
    """The type with the most indicators among the content's whole words, whatever their case; semantic when none is."""
    text = content[:_LOOKED_AT_CHARACTERS_MAX].lower()
    counts = {kind: sum(_is_said(each, text) for each in indicators) for kind, indicators in _BY_TYPE.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else LongTermMemoryType.SEMANTIC


def _is_said(indicator: str, text: str) -> bool:
    # Most are not even within a word, which is seen a hundred times as fast.
    return indicator in text and re.search(rf"\b{indicator}\b", text) is not None
