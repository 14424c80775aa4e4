"""How a context window is shared out where nobody says otherwise.

Of a window of 16,000 tokens documents get 6,000, notes 4,000, the conversation 3,000, memories 2,000, entries 1,000,
the plan and the entities 500 each. That is a little more than the window, which hardly anybody fills with all of them.
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
    """The budget of a section by the name of its source, in tokens."""
    return _SHARES[source] * tokens_max // _SHARES_IN_ALL
