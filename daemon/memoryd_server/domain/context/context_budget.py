"""The default shares of a context window.

Of 16,000 tokens, documents get 6,000, notes 4,000, the conversation 3,000, memories 2,000, entries 1,000, the plan and
the entities 500 each. The shares of all sources together exceed the window, since a context rarely has all of them.
Text sections may take the whole window.
"""

_SHARES = {
    "text": 32,
    "notes": 8,
    "plan": 1,
    "entities": 1,
    "entries": 2,
    "memories": 4,
    "documents": 12,
    "messages": 6,
}
_SHARES_IN_ALL = 32


def share_of(source: str, tokens_max: int) -> int:
    """Return the default budget of a section in tokens, by the name of its source."""
    return _SHARES[source] * tokens_max // _SHARES_IN_ALL
