"""How a context window is shared out where nobody says otherwise.

Of a window of 16,000 tokens notes get 4,000, the conversation 3,000, memories 2,000 and entries 1,000; the rest is for
what the application says itself, and for the answer.
"""

_SIXTEENTHS = {"text": 16, "notes": 4, "entries": 1, "memories": 2, "messages": 3}


def share_of(source: str, tokens_max: int) -> int:
    """The budget of a section by the name of its source, in tokens."""
    return _SIXTEENTHS[source] * tokens_max // 16
